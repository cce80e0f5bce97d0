"""Run a broker, sites behind it, and virtual phones, all on this machine, each in its own process."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manyhands.benchmarks.testbed import HOST, OwnAdbServer
from manyhands.deploy.child_process import ChildProcess
from manyhands.deploy.fleet.phones.virtual import PROVIDER
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.stand_ins import start_phones
from manyhands.protocol.phones import WHOLE_SITE

USER, PASSWORD = "MQTT_USER", "MQTT_PASSWORD"
"""The environment variables with our name and password at the broker."""
CLUSTER = "cluster"
STOP_S = 20.0


@dataclass(frozen=True, slots=True)
class Account:
    """Hold a name and password at a broker."""

    name: str
    password: str

    @property
    def variables(self) -> Mapping[str, str]:
        """Return the environment variables of a process that uses this account."""
        return {USER: self.name, PASSWORD: self.password}


def serving_command(words: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> ChildProcess:
    """Return the process of ``manyhands WORDS --json``, which prints one JSON line when it serves."""
    command = (sys.executable, "-m", "manyhands", *words, "--json")
    name = f"manyhands {words[0]}"
    return ChildProcess(name, command, log, environment=environment, ends_with_stdin=False, stop_s=STOP_S)


class OwnBroker:
    """Run ``manyhands broker`` with TLS, on a free port."""

    def __init__(self, folder: Path, sites: Sequence[str], log: Path) -> None:
        self._folder = folder
        named = [word for site in sites for word in ("--site", site)]
        self._service = serving_command(["broker", "--folder", str(folder), "--port", "0", *named], log)

    async def __aenter__(self) -> OwnBroker:
        await self._service.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._service.__aexit__()

    @property
    def url(self) -> str:
        return str(self._service.ready["url"])

    @property
    def ca(self) -> str:
        return str(self._service.ready["ca"])

    @property
    def pid(self) -> int:
        """Return the id of mosquitto's first process."""
        return int(self._service.ready["pid"])

    def account(self, name: str) -> Account:
        """Return the account of a site, or of the cluster."""
        text = (self._folder / "credentials" / f"{name}.env").read_text(encoding="utf-8")
        user, password = (line.partition("=")[2] for line in text.splitlines()[:2])
        return Account(user, password)


@dataclass(frozen=True, slots=True)
class BenchmarkSite:
    """Hold a site: its adb server, its gateway and its phones."""

    adb: OwnAdbServer
    gateway: ChildProcess
    serials: tuple[str, ...]
    """The serials of the site's phones, as the site knows them."""


@dataclass(frozen=True, slots=True)
class EdgeWorld:
    """Hold the broker and the sites."""

    broker: OwnBroker
    sites: Mapping[str, BenchmarkSite]

    def settings(self, settings: FleetSettings) -> FleetSettings:
        """Return settings of a run on all phones of all sites.

        The run's environment must have the variables of ``account``.
        """
        update: dict[str, Any] = {
            "phones": tuple(f"{self.broker.url}/{name}{WHOLE_SITE}" for name in self.sites),
            "mqtt_ca": Path(self.broker.ca),
            "mqtt_user_env": USER,
            "mqtt_password_env": PASSWORD,
        }
        return settings.model_copy(update=update)

    @property
    def account(self) -> Account:
        """Return the account of a run."""
        return self.broker.account(CLUSTER)


@asynccontextmanager
async def edge_world(
    settings: FleetSettings, phones: Mapping[str, int], out: Path, options: Sequence[str] = ()
) -> AsyncIterator[EdgeWorld]:
    """Run all parts while the context is open; ``phones``: the number at each site.

    ``options``: more options for the gateways. The phones' size and seed are those of ``settings``. Raises BadInput,
    CallError.
    """
    async with AsyncExitStack() as stack:
        logs = out / "logs"
        broker = await stack.enter_async_context(OwnBroker(out / "broker", tuple(phones), logs / "broker.log"))
        sites = {}
        for number, (name, count) in enumerate(phones.items()):
            adb = await stack.enter_async_context(OwnAdbServer())
            virtual = settings.virtual.model_copy(update={"seed": settings.virtual.seed + number * 100})
            there = settings.model_copy(update={"adb_host": HOST, "adb_port": adb.port, "virtual": virtual})
            serials = await stack.enter_async_context(start_phones(there.virtual, there.groups.adb, count, logs / name))
            words = gateway_words(name, broker, adb.port, out / name)
            account = broker.account(name)
            gateway = serving_command([*words, *options], logs / name / "gateway.log", account.variables)
            sites[name] = BenchmarkSite(adb, await stack.enter_async_context(gateway), serials)
        yield EdgeWorld(broker, sites)


def gateway_words(site: str, broker: OwnBroker, adb_port: int, state_dir: Path, url: str | None = None) -> list[str]:
    """Return the command of a gateway to virtual phones; ``url``: another address for the broker."""
    flags = {
        "--site": site,
        "--broker": url or broker.url,
        "--mqtt-ca": broker.ca,
        "--mqtt-user-env": USER,
        "--mqtt-password-env": PASSWORD,
        "--adb-port": str(adb_port),
        "--state-dir": str(state_dir),
        "--reset-provider": PROVIDER,
        "--label-provider": f"{PROVIDER}/apps",
    }
    return ["gateway", *(word for option, value in flags.items() for word in (option, value))]
