"""Many gateways as one: a phone is asked of the gateway that has its site, and none of another."""

from __future__ import annotations

import hashlib
import inspect
import pickle
from collections.abc import Sequence
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from manyhands.actors.interfaces import Gateway
from manyhands.actors.phones.sites import GatewayRouter
from manyhands.protocol.errors import PhoneUnknown
from manyhands.protocol.phones import Lease, PhoneInfo, file_name_of, site_of


class Recorder:
    """A gateway that keeps which of its methods were called, with what."""

    def __init__(self, name: str, *serials: str) -> None:
        self.name = name
        self.serials = serials
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    async def phones(self) -> Sequence[PhoneInfo]:
        return [PhoneInfo(serial=serial, state="device") for serial in self.serials]

    def __getattr__(self, method: str) -> Any:
        if method.startswith("__"):
            raise AttributeError(method)

        async def called(*args: Any) -> Any:
            self.calls.append((method, args))

        return called


def methods_of(protocol: type) -> dict[str, inspect.Signature]:
    members = inspect.getmembers(protocol, inspect.iscoroutinefunction)
    return {name: inspect.signature(member) for name, member in members if not name.startswith("_")}


def given(parameter: inspect.Parameter, serial: str) -> Any:
    """A value for a parameter, made of its name; a lease, or a serial, is that of the phone."""
    lease = Lease(serial=serial, holder="h", epoch=1, expires_at=0)
    return {"serial": serial, "lease": lease}.get(parameter.name, parameter.name)


@pytest.mark.parametrize("method", sorted(methods_of(Gateway).keys() - {"phones"}))
@pytest.mark.parametrize(
    ("serial", "gateway"),
    [("R58M1", "own"), ("lab/R58M1", "broker"), ("shop/R58M1", "broker"), ("node-3/R58M1", "node"), ("a/b", "own")],
)
async def test_each_call_goes_to_the_gateway_of_its_phone_as_it_is(method: str, serial: str, gateway: str) -> None:
    broker = Recorder("broker")
    router = GatewayRouter(
        {"": Recorder("own"), "lab": broker, "shop": broker, "node-3": Recorder("node")}  # type: ignore[dict-item]
    )
    parameters = list(methods_of(Gateway)[method].parameters.values())[1:]
    args = tuple(given(parameter, serial) for parameter in parameters)
    copied = pickle.loads(pickle.dumps(router))
    await getattr(copied, method)(*args)
    called = {id(asked): asked for asked in copied._routes.values()}.values()
    assert {asked.name: asked.calls for asked in called if asked.calls} == {gateway: [(method, args)]}


async def test_a_phone_of_no_site_is_unknown() -> None:
    router = GatewayRouter({"lab": Recorder("broker")})  # type: ignore[dict-item]
    for serial in ("R58M1", "shop/R58M1"):
        with pytest.raises(PhoneUnknown, match=rf"{serial}.*there are lab/"):
            await router.attach(serial, "h", 30)


async def test_each_gateway_lists_its_phones_once() -> None:
    broker = Recorder("broker", "lab/a", "shop/b")
    router = GatewayRouter({"": Recorder("own", "c"), "lab": broker, "shop": broker})  # type: ignore[dict-item]
    assert [phone.serial for phone in await router.phones()] == ["c", "lab/a", "shop/b"]


@pytest.mark.parametrize(
    ("serial", "site", "file"),
    [
        ("emulator-5554", "", "emulator-5554"),
        ("127.0.0.1:7001", "", "127.0.0.1_7001"),
        ("lab/127.0.0.1:7001", "lab", "lab_127.0.0.1_7001"),
        ("lab/emulator-5554", "lab", "lab_emulator-5554"),
        ("lab/a/b", "lab", "lab_a_b__@"),
        ("lab/../../run\0\n", "lab", "lab_.._.._run____@"),
        ("lab/" + "x" * 300, "lab", "lab_" + "x" * 178 + "__@"),
    ],
)
def test_names_of_phones(serial: str, site: str, file: str) -> None:
    digest = hashlib.blake2b(serial.encode(), digest_size=8).hexdigest()
    assert (site_of(serial), file_name_of(serial)) == (site, file.replace("@", digest))


@hypothesis.given(st.sets(st.text("a1./:_", min_size=1, max_size=7), max_size=50))
@hypothesis.example({"a/b_c", "a_b/c", "a_b_c", "a/b:c", "a/1", "a:1", "a/b:1", "a:1/b", "a_1", "a/b/1"})
def test_no_two_phones_have_the_same_name_for_files(serials: set[str]) -> None:
    assert len({file_name_of(serial) for serial in serials}) == len(serials)
