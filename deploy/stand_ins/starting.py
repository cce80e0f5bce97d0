"""Starting what stands in for phones and for the model, as processes behind their own doors.

Both are called what they are in every run folder, table and report.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import adbutils

from manyhands.deploy.fleet.adb_server import AdbServer
from manyhands.deploy.settings.fleet import FleetSettings, RehearsalOptions, VirtualOptions
from manyhands.deploy.stand_ins.processes import Companion
from manyhands.protocol import private
from manyhands.protocol.errors import PhoneError, StateUnavailable

REHEARSED_MODEL = "manyhands-rehearsed"
"""The name under which the rehearsed model serves, so that nobody takes it for another."""
REHEARSED_SOURCE = "the rehearsed model, a stand-in for Qwen-VL; none of its figures is a figure of Qwen-VL"
CANNED_MODEL = "manyhands-canned"
CANNED_SOURCE = "the canned model: fixed replies, no look at a picture; none of its figures is a figure of Qwen-VL"
VIRTUAL_SOURCE = "virtual phones; none of their figures is a figure of real phones"
CANNED_PHONES_SOURCE = (
    "canned phones, which show a few fixed pictures in turn; none of their figures is a figure of real phones"
)
PROVIDER = "content://manyhands.simulator"
DOOR_TIMEOUT_S = 10.0
_log = logging.getLogger(__name__)


def describe_phones(virtual: int, canned: int, all_phones: int) -> str:
    """What the phones of a run were, where some are virtual; of those, ``canned`` draw nothing."""
    kinds = ((virtual - canned, VIRTUAL_SOURCE), (canned, CANNED_PHONES_SOURCE))
    return "; ".join(
        source if count == all_phones else f"{count} of the {all_phones} phones are {source}"
        for count, source in kinds
        if count
    )


def virtual_providers(settings: FleetSettings) -> FleetSettings:
    """The same settings, with the content providers by which virtual phones list apps and are reset."""
    return settings.model_copy(update={"label_providers": (f"{PROVIDER}/apps",), "reset_provider": PROVIDER})


async def virtual_among(adb: AdbServer, serials: Sequence[str]) -> tuple[str, ...]:
    """Those of ``serials`` that are virtual phones, however they were started: they answer the simulator's door."""
    answers = await asyncio.gather(*(asyncio.to_thread(_ask, adb, serial, "apps") for serial in serials))
    return tuple(serial for serial, said in zip(serials, answers, strict=True) if said.startswith("Row: 0 label="))


async def canned_among(adb: AdbServer, virtual: Sequence[str]) -> tuple[str, ...]:
    """Those of the virtual phones that are canned ones: their state says so. Raises StateUnavailable."""
    answers = await asyncio.gather(*(asyncio.to_thread(_ask, adb, serial, "state") for serial in virtual))
    return tuple(serial for serial, said in zip(virtual, answers, strict=True) if parse_row(said).get("canned"))


def _ask(adb: AdbServer, serial: str, what: str) -> str:
    """What a phone says at the simulator's door; empty where it does not answer."""
    device = adbutils.AdbClient(host=adb.host, port=adb.port).device(serial=serial)
    try:
        return str(device.shell(f"content query --uri {PROVIDER}/{what}", timeout=DOOR_TIMEOUT_S))
    except (adbutils.AdbError, OSError, EOFError):
        return ""


class VirtualPhones:
    """N virtual phones in a process of their own, connected to an adb server while the context is open."""

    def __init__(self, count: int, options: VirtualOptions, adb: AdbServer, logs: Path) -> None:
        arguments = ["--phones", str(count), "--size", options.size, "--seed", str(options.seed)]
        if options.transitions is not None:
            arguments += ["--transitions", options.transitions]
        if options.cut is not None:
            arguments += ["--cut", options.cut]
        self._companion = Companion("manyhands.simulator.fleet", arguments, logs / "virtual_phones.log")
        self._adb = adb
        self.serials: tuple[str, ...] = ()

    async def __aenter__(self) -> Self:
        await self._companion.__aenter__()
        try:
            self.serials = tuple(f"127.0.0.1:{port}" for port in self._companion.ready["ports"])
            await self._adb.connect(self.serials)
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._adb.disconnect(self.serials)
        except PhoneError as lost:
            _log.warning("virtual phones stay in adb's list: %s", lost)
        finally:
            await self._companion.__aexit__(kind, error, trace)

    async def tell(self, line: str) -> None:
        """A control line, e.g. ``vanish 2``."""
        await self._companion.tell(line)


async def save_ledgers(adb: AdbServer, serials: Sequence[str], folder: Path) -> None:
    """Write what each virtual phone received to ``ledgers/<serial>.json``, for the audit. A lost phone has none."""
    private.make_folder(folder / "ledgers")
    await asyncio.gather(*(asyncio.to_thread(_save_ledger, adb, serial, folder) for serial in serials))


def _save_ledger(adb: AdbServer, serial: str, folder: Path) -> None:
    client = adbutils.AdbClient(host=adb.host, port=adb.port)
    device = client.device(serial=serial)
    try:
        client.connect(serial, timeout=DOOR_TIMEOUT_S)  # it may have been away, and be back since nobody tried it
        rows = parse_row(str(device.shell(f"content query --uri {PROVIDER}/ledger", timeout=DOOR_TIMEOUT_S)))
    except (adbutils.AdbError, OSError, EOFError, StateUnavailable) as error:
        _log.warning("%s left no ledger, the audit cannot judge it: %s", serial, error)
        return
    path = folder / "ledgers" / f"{serial.replace(':', '_')}.json"
    private.write_text(path, json.dumps({"serial": serial, "rows": rows}, ensure_ascii=False))


def parse_row(answer: str) -> Any:
    """The JSON value of a ``Row: 0 json=<base64>`` answer. Raises StateUnavailable."""
    head, _, encoded = answer.strip().partition("json=")
    if head.strip() != "Row: 0":
        raise StateUnavailable(f"the content provider answered {answer[:80]!r}")
    try:
        return json.loads(base64.b64decode(encoded, validate=True))
    except ValueError as error:
        raise StateUnavailable(f"the content provider answered no JSON: {error}") from error


@asynccontextmanager
async def rehearsed_model(options: RehearsalOptions, logs: Path) -> AsyncIterator[str]:
    """The URL of a rehearsed model that runs while the context is open."""
    async with Companion(
        "manyhands.simulator.rehearsal", rehearsal_arguments(options, 0), logs / "rehearsed_model.log"
    ) as model:
        yield model.ready["url"]


def rehearsal_arguments(options: RehearsalOptions, port: int) -> list[str]:
    """The command line of ``python -m manyhands.simulator.rehearsal``."""
    arguments = ["--port", str(port), "--mistakes", str(options.mistakes), "--seed", str(options.seed)]
    for role, seconds in sorted(options.latency_s.items()):
        arguments += ["--latency", f"{role.value}={seconds}"]
    if options.tokens_per_s is not None:
        arguments += ["--tokens-per-s", str(options.tokens_per_s)]
    return arguments
