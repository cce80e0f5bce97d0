"""Keep mosquitto running: restart it when it ends, and when sites or users have changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from manyhands.actors.clock import Clock
from manyhands.deploy.mosquitto.configuration import BrokerFolder, Listening, Program
from manyhands.deploy.serving.supervisor import (
    Deaths,
    RestartBudget,
    ServerCommand,
    ServerProcess,
    check_address,
    is_listening,
)
from manyhands.protocol.errors import CallError
from manyhands.protocol.utilities.backoff import Backoff

START_S = 20.0
LOOK_EVERY_S = 1.0
_BY_SIGNAL = 128
_PATIENCE = RestartBudget(ready_s=START_S, pauses=Backoff(first_s=0.5, longest_s=10.0))


class BrokerGivenUp(CallError):
    """Report a broker that does not start, or that ends too often."""

    code = "broker_given_up"


@dataclass(frozen=True, slots=True)
class BrokerEvent:
    """Report that the broker listens, with its process id; or that it does not, with the reason."""

    pid: int
    why: str = ""


class Broker:
    """Run mosquitto with the folder's configuration until cancelled. It ends with this process, however that ends."""

    def __init__(self, folder: Path, listening: Listening, program: Program, clock: Clock) -> None:
        self._folder = folder
        self._listening = listening
        self._program = program
        self._clock = clock
        self.log = folder / "mosquitto.log"

    async def run(self, report: Callable[[BrokerEvent], None]) -> None:
        """Keep mosquitto running, and pass each event to ``report``. Raises BadInput, BrokerGivenUp, OSError."""
        for one in self._listening.listeners:
            check_address(one.host, one.port, option="--listen")
        deaths = Deaths(_PATIENCE)
        while True:
            folder = BrokerFolder(self._folder)
            path = await asyncio.to_thread(folder.write, self._program, self._listening)
            stamp = _stamp(folder.access_file)
            first = self._listening.listeners[0]
            command = ServerCommand("mosquitto", (self._program.path, "-c", str(path)), first.host, first.port)
            async with ServerProcess(command, self.log) as process:
                ended = asyncio.create_task(process.wait())
                try:
                    await self._until_it_listens(command, process, ended)
                    report(BrokerEvent(process.pid))
                    changed = await self._until_it_ends(ended, folder.access_file, stamp)
                finally:
                    ended.cancel()
                    await asyncio.wait((ended,))
                if changed:
                    report(BrokerEvent(process.pid, "sites or users have changed; starting again"))
                    continue
                why = _why(ended.result(), process.last_words())
            pause = deaths.pause_after(self._clock.now(), was_ready=True)
            if pause is None:
                raise BrokerGivenUp(f"{why}; it did {_PATIENCE.deaths} times; see {self.log}")
            report(BrokerEvent(process.pid, f"{why}; starting again in {pause:g} s"))
            await self._clock.sleep(pause)

    async def _until_it_listens(self, command: ServerCommand, process: ServerProcess, ended: asyncio.Task[int]) -> None:
        until = self._clock.now() + START_S
        while not await is_listening(command.host, command.port):
            if ended.done() or self._clock.now() > until:
                raise BrokerGivenUp(f"mosquitto does not listen: {process.last_words()}; see {self.log}")
            await self._clock.sleep(0.05)

    async def _until_it_ends(self, ended: asyncio.Task[int], file: Path, stamp: tuple[int, int]) -> bool:
        """Return True when users have changed while mosquitto runs, False when mosquitto has ended."""
        while not ended.done():
            if _stamp(file) != stamp:
                return True
            await asyncio.wait((ended,), timeout=LOOK_EVERY_S)
        return False


def _why(code: int, last_words: str) -> str:
    """Return why mosquitto ended. If a signal ended it, ignore ``last_words``: the log does not tell of signals."""
    if code > _BY_SIGNAL:
        return f"mosquitto was ended by signal {code - _BY_SIGNAL}"
    return f"mosquitto ended with exit code {code}: {last_words}"


def _stamp(path: Path) -> tuple[int, int]:
    """Return values that change with each write of a file, because each write replaces the file by a new one."""
    about = path.stat()
    return about.st_ino, about.st_mtime_ns
