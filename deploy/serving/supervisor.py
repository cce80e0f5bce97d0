"""Keep servers running: start them, wait until they are healthy, restart those that die, stop all together.

Each process runs under a reaper, which ends the process and all its children.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from manyhands.actors.clock import Clock
from manyhands.deploy import process_reaper
from manyhands.deploy.child_process import ChildProcess
from manyhands.protocol.errors import BadInput, CallError, first_error
from manyhands.protocol.utilities.backoff import Backoff

ANSWER_TIMEOUT_S = 5.0


def check_address(host: str, port: int, option: str = "--host") -> None:
    """Raise BadInput if a server cannot listen at an address: the host is not this machine, or the port is in use.

    ``option`` names the address on the command line.
    """
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise BadInput(f"{option} {host}: {error.strerror or error}") from None
    family, kind, protocol, _, address = addresses[0]
    with socket.socket(family, kind, protocol) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise BadInput(f"--port {port}: something listens on {host}:{port}; give another port") from None
            raise BadInput(f"{option} {host}: {error.strerror or error}; give an address of this machine") from None


async def is_healthy(host: str, port: int) -> bool:
    """Return whether ``GET /health`` answers 200. A server that refuses, hangs or answers otherwise is not healthy."""
    try:
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            return await _status(host, port) == b"200"
    except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return False


async def _status(host: str, port: int) -> bytes:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(f"GET /health HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        words = (await reader.readuntil(b"\r\n")).split()
        return words[1] if len(words) > 1 else b""
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def is_listening(host: str, port: int) -> bool:
    """Return whether anything accepts connections at this address."""
    try:
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            _, writer = await asyncio.open_connection(host, port)
    except (TimeoutError, OSError):
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True


_GRACE_S = 20.0
_STARTED_S = 30.0
_STOP_S = 40.0


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """Hold the command of one server. ``host`` and ``port``: where the server's health is checked.

    ``secrets``: more environment variables, whose values are never shown.
    """

    name: str
    argv: tuple[str, ...]
    host: str
    port: int
    env: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def url(self) -> str:
        """Return the base URL of the server's OpenAI API."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/v1"


class ServerProcess(ChildProcess):
    """Run a server under a reaper, which ends the server and all its workers even if this process is killed."""

    def __init__(self, command: ServerCommand, log: Path) -> None:
        self.command = command
        self._server_pid = 0
        words = (*process_reaper.COMMAND, "run", str(_GRACE_S), *command.argv)
        environment = {**command.env, **command.secrets}
        super().__init__(command.name, words, log, environment=environment, ready_s=_STARTED_S, stop_s=_STOP_S)

    @property
    def pid(self) -> int:
        """Return the id of the server's first process."""
        return self._server_pid

    async def _become_ready(self) -> None:
        try:
            self._server_pid = int(await self.read_line())
        except (ValueError, BadInput, CallError) as error:
            raise CallError(f"{self.name} could not be started: {self.last_words() or self.command.argv[0]}") from error


EventKind = Literal["starting", "loading", "ready", "died"]
_CHECK_EVERY_S = 0.5
_PAUSES = Backoff(first_s=2.0, longest_s=60.0)


class ServerGivenUp(CallError):
    """Report a server that does not become ready, or that dies too often."""

    code = "server_given_up"


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """Describe what happened to one server.

    ``detail`` is one line for people; ``seconds`` count from the server's start.
    """

    kind: EventKind
    server: str
    url: str
    pid: int
    detail: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RestartBudget:
    """Limit how long a server may load, and how often it may die.

    A server that dies ``deaths`` times
    within ``within_s`` seconds is given up.
    """

    ready_s: float = 1800.0
    """Seconds that a server may load. Loading a large model from a slow disk takes many minutes."""
    deaths: int = 5
    within_s: float = 600.0
    pauses: Backoff = _PAUSES
    """The pauses before restarts."""


@dataclass(slots=True)
class Deaths:
    """Count the deaths of one server. The caller reads the clock."""

    patience: RestartBudget
    times: list[float] = field(default_factory=list)

    def pause_after(self, now: float, was_ready: bool) -> float | None:
        """Return the seconds until the next start after a death at ``now``; None to give up.

        ``was_ready``: whether the server had become ready. If it had not, all earlier deaths still count, however long
        the server took to load.
        """
        recent = [time for time in self.times if now - time < self.patience.within_s or not was_ready]
        self.times = [*recent, now]
        count = len(self.times)
        if count >= self.patience.deaths:
            return None
        return self.patience.pauses.wait_s(count)


class Supervisor:
    """Run servers until cancelled, or until one server is given up. Pass each event to ``report`` at once."""

    def __init__(
        self,
        commands: Sequence[ServerCommand],
        logs: Path,
        clock: Clock,
        report: Callable[[ServerEvent], None],
        patience: RestartBudget = RestartBudget(),
        is_ready: Callable[[str, int], Awaitable[bool]] = is_healthy,
    ) -> None:
        """``is_ready``: returns whether what was started at a host and port can be used."""
        self._commands = tuple(commands)
        self._logs = logs
        self._clock = clock
        self._report = report
        self._patience = patience
        self._is_ready = is_ready

    async def run(self) -> None:
        """Run all servers. After one is given up, stop the others and raise ServerGivenUp."""
        with first_error():
            async with asyncio.TaskGroup() as tasks:
                for command in self._commands:
                    tasks.create_task(self._keep(command), name=command.name)

    async def _keep(self, command: ServerCommand) -> None:
        """Restart one server whenever it dies. A server that was never ready is not restarted: it would fail again."""
        deaths = Deaths(self._patience)
        was_ready = False
        while True:
            log = self._logs / f"{command.name}.log"
            if await is_listening(command.host, command.port):
                raise ServerGivenUp(f"{command.name}: something listens on {command.host}:{command.port}; give --port")
            async with ServerProcess(command, log) as server:
                came_up = await self._one_life(server)
                was_ready = was_ready or came_up
                code, words = await server.wait(), server.last_words()
            ending = f"ended with exit code {code}" + (f": {words}" if words else "")
            if not was_ready:
                raise ServerGivenUp(f"{command.name} {ending} before it was ready; see {log}")
            pause = deaths.pause_after(self._clock.now(), came_up)
            if pause is None:
                patience = self._patience
                often = f"within {patience.within_s / 60:.0f} minutes" if came_up else "and does not come up again"
                raise ServerGivenUp(f"{command.name} died {patience.deaths} times {often}; it {ending}; see {log}")
            self._say("died", server, f"{ending}; starting again in {pause:.0f} s")
            await self._clock.sleep(pause)

    async def _one_life(self, server: ServerProcess) -> bool:
        """Run a server from its start to its end; return whether it was ready in between."""
        self._say("starting", server)
        ended = asyncio.create_task(server.wait())
        try:
            began = self._clock.now()
            while not await self._is_ready(server.command.host, server.command.port):
                waited = self._clock.now() - began
                if waited > self._patience.ready_s:
                    raise ServerGivenUp(
                        f"{server.command.name} was not ready within {self._patience.ready_s:.0f} s: "
                        f"{server.last_words()}; see {server.log}"
                    )
                self._say("loading", server, server.last_words(), waited)
                await asyncio.wait((ended,), timeout=_CHECK_EVERY_S)
                if ended.done():
                    return False
            self._say("ready", server, seconds=self._clock.now() - began)
            await ended
            return True
        finally:
            ended.cancel()
            await asyncio.wait((ended,))

    def _say(self, kind: EventKind, server: ServerProcess, detail: str = "", seconds: float = 0.0) -> None:
        command = server.command
        self._report(ServerEvent(kind, command.name, command.url, server.pid, detail, seconds))
