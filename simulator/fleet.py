"""A fleet of virtual phones in one process, and that process itself.

    python -m manyhands.simulator.fleet --phones 4 --size 1080x2400 --seed 1 --json

prints one line when the phones are ready, ``{"ports": [...], "serials": [...], "seeds": [...]}`` with
``--json``, and serves until SIGTERM, SIGHUP or SIGINT. With ``--until-stdin-closes`` it reads stdin: it ends
with it, so also when its parent ends in whatever way, and takes control lines, each answered by one
line of JSON on stdout:

    vanish 2        the phone with index 2 (from 0) drops its connections and closes its port
    return 2        it listens on the same port again; its apps, files and ledger are as they were

``--cut 6@10`` does so by itself, once to every phone: for 6 s, when it has received 10 inputs.

Bad arguments give one line on stderr and exit code 2.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import re
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, NoReturn, Self

import adbutils
import cv2

from manyhands.protocol.errors import BadInput, PhoneLost
from manyhands.simulator.adbd import PhoneEndpoint
from manyhands.simulator.device import PhoneDevice
from manyhands.simulator.ending import Ending
from manyhands.simulator.faults import Cut, cut_once
from manyhands.simulator.phone import VirtualPhone
from manyhands.simulator.ui.course import FAMILIES, Family, Transitions

MakePhone = Callable[[int], PhoneDevice]
"""Makes a phone from its seed."""

DEFAULT_SIZE = (1080, 2400)
DEFAULT_DENSITY = 420
CONNECT_TIMEOUT_S = 10.0
CONNECTS_AT_ONCE = 8
MAX_PHONES = 1000
MAX_CONTROL_LINE = 1000
MAX_WAITING_LINES = 64
SMALLEST, LARGEST = 240, 4000


class VirtualFleet:
    """``count`` phones on free ports; the phone with index i has seed ``seed + i``."""

    def __init__(self, count: int, make_phone: MakePhone, *, seed: int = 1, host: str = "127.0.0.1") -> None:
        if not 1 <= count <= MAX_PHONES:
            raise BadInput(f"a virtual fleet has 1 to {MAX_PHONES} phones, not {count}")
        self.seeds = tuple(range(seed, seed + count))
        self._encoders = ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="encoder")
        self.endpoints = tuple(PhoneEndpoint(make_phone(number), self._encoders, host) for number in self.seeds)

    @property
    def ports(self) -> tuple[int, ...]:
        return tuple(endpoint.port for endpoint in self.endpoints)

    @property
    def serials(self) -> tuple[str, ...]:
        return tuple(endpoint.serial for endpoint in self.endpoints)

    async def start(self) -> None:
        """All phones listen. Raises BadInput where one cannot; none listens then."""
        try:
            for endpoint in self.endpoints:
                await endpoint.open()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """For good: a stopped fleet is not started again."""
        for endpoint in self.endpoints:
            await endpoint.close()
        self._encoders.shutdown()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    # ------------------------------------------------------------------ faults
    async def vanish(self, index: int) -> None:
        """As if a phone were unplugged: its connections drop, its port is closed. Raises BadInput."""
        await self._endpoint(index).close()

    async def come_back(self, index: int) -> None:
        """Plugged in again, on the same port. Raises BadInput."""
        await self._endpoint(index).open()

    def _endpoint(self, index: int) -> PhoneEndpoint:
        if not 0 <= index < len(self.endpoints):
            raise BadInput(f"there is no phone {index}: this fleet's are numbered 0 to {len(self.endpoints) - 1}")
        return self.endpoints[index]

    # ------------------------------------------------------------------ an adb server
    async def connect(self, server: adbutils.AdbClient) -> None:
        """Connect all phones to a running adb server.

        Raises BadInput where none runs there, PhoneLost where a phone does not come online.
        """
        await asyncio.to_thread(check_server, server)
        turns = asyncio.Semaphore(CONNECTS_AT_ONCE)

        async def one(serial: str) -> None:
            async with turns:
                await asyncio.to_thread(connect_phone, server, serial)

        outcomes = await asyncio.gather(*map(one, self.serials), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome

    async def disconnect(self, server: adbutils.AdbClient) -> None:
        """One by one: an adb server may deadlock when hundreds are disconnected at once."""
        for serial in self.serials:
            await asyncio.to_thread(server.disconnect, serial)


def check_server(server: adbutils.AdbClient) -> None:
    """Raises BadInput. adbutils would start a server, at the default port whatever the client's is."""
    try:
        socket.create_connection((server.host, server.port), CONNECT_TIMEOUT_S).close()
    except OSError as error:
        raise BadInput(f"no adb server runs at {server.host}:{server.port}: {error.strerror or error}") from error


def connect_phone(server: adbutils.AdbClient, serial: str) -> None:
    """``adb connect``, judged by the state that follows: its words and exit code do not tell. Raises PhoneLost.

    A phone that came back stays offline at a server that still lists it, until it is disconnected.
    """
    answer = ""
    for _ in range(2):
        try:
            answer = server.connect(serial, timeout=CONNECT_TIMEOUT_S)
            if any(info.serial == serial and info.state == "device" for info in server.list()):
                return
            server.disconnect(serial)
        except (adbutils.AdbError, OSError) as error:
            answer = str(error)
    raise PhoneLost(f"the adb server at {server.host}:{server.port} cannot connect to {serial}: {answer.strip()}")


# ---------------------------------------------------------------------------- the process
class StdinLines:
    """Lines of this process's stdin, read by a thread: stdin may be a pipe, a file or a terminal.

    The thread reads the descriptor itself, so that it holds no lock of Python's stdin at exit.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lines: asyncio.Queue[str | None] = asyncio.Queue(MAX_WAITING_LINES)
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def next(self) -> str | None:
        """The next line; None when stdin has closed."""
        return await self._lines.get()

    def _read(self) -> None:
        rest = b""
        while True:
            try:
                data = os.read(0, MAX_CONTROL_LINE)
            except OSError:
                data = b""
            *lines, rest = (rest + data).split(b"\n")
            found: list[str | None] = [line.decode("utf-8", "replace") for line in lines]
            if not data or len(rest) > MAX_CONTROL_LINE:
                found.append(None)
            for line in found:
                if not self._put(line):
                    return

    def _put(self, line: str | None) -> bool:
        """Whether there is more to read."""
        waiting = self._lines.put(line)
        try:
            asyncio.run_coroutine_threadsafe(waiting, self._loop).result()
        except RuntimeError:  # the loop has ended, and with it the process
            waiting.close()
            return False
        return line is not None


async def control(fleet: VirtualFleet, line: str) -> dict[str, Any]:
    """Carry out one control line; what to answer."""
    word, _, number = line.strip().partition(" ")
    if word not in ("vanish", "return") or not number.isdecimal():
        return {"error": f"not a control line: {line.strip()!r}; there are 'vanish INDEX' and 'return INDEX'"}
    try:
        await (fleet.vanish if word == "vanish" else fleet.come_back)(int(number))
    except BadInput as error:
        return {"error": str(error)}
    return {"done": word, "phone": int(number)}


async def obey(fleet: VirtualFleet, lines: StdinLines, ending: Ending) -> None:
    """Carry out control lines until stdin closes; then tell it."""
    while (line := await lines.next()) is not None:
        if line.strip():
            say(json.dumps(await control(fleet, line), ensure_ascii=False))
    ending.told()


def say(text: str) -> None:
    """A line to whoever started us; nobody may be reading any more."""
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - for the rest of the process


async def serve(fleet: VirtualFleet, *, as_json: bool, until_stdin_closes: bool, cut: Cut | None = None) -> None:
    """Announce the fleet and serve it until a signal, or the end of stdin."""
    loop, ending = asyncio.get_running_loop(), Ending()
    async with fleet:
        ready = {"ports": fleet.ports, "serials": fleet.serials, "seeds": fleet.seeds}
        say(json.dumps(ready) if as_json else "\n".join(fleet.serials))
        async with asyncio.TaskGroup() as tasks:
            beside = [tasks.create_task(obey(fleet, StdinLines(loop), ending))] if until_stdin_closes else []
            if cut is not None:
                beside += [tasks.create_task(cut_once(endpoint, cut)) for endpoint in fleet.endpoints]
            await ending.wait()
            for task in beside:
                task.cancel()


def parse_size(text: str) -> tuple[int, int]:
    """``WIDTHxHEIGHT`` in pixels. Raises ValueError."""
    found = re.fullmatch(r"(\d{1,4})x(\d{1,4})", text)
    width, height = (int(found[1]), int(found[2])) if found else (0, 0)
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise ValueError(f"{text!r} is not WIDTHxHEIGHT with {SMALLEST} to {LARGEST} pixels each")
    return width, height


def virtual_phones(
    width: int, height: int, density: int | None = None, transitions: tuple[Family, int] | None = None
) -> MakePhone:
    """Phones of one size; the density follows from the width unless it is given.

    ``transitions``: their family, and the seed of what is typical on all these phones.
    """
    dpi = density or max(80, round(DEFAULT_DENSITY * width / DEFAULT_SIZE[0]))

    def make(seed: int) -> VirtualPhone:
        timing = Transitions(*transitions, seed) if transitions else None
        return VirtualPhone(seed=seed, width=width, height=height, density=dpi, transitions=timing)

    return make


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _Parser(prog="python -m manyhands.simulator.fleet", description="Serve virtual phones to adb.")
    parser.add_argument("--phones", type=int, default=1, metavar="N")
    parser.add_argument("--size", default="x".join(map(str, DEFAULT_SIZE)), metavar="WxH")
    parser.add_argument("--density", type=int, metavar="DPI")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--transitions", choices=FAMILIES, help="how what inputs change comes in; see simulator.ui.course"
    )
    parser.add_argument(
        "--cut",
        metavar="SECONDS[@INPUTS]",
        help="cut every phone off once, for so long, after so many inputs",
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--until-stdin-closes", action="store_true")
    options = parser.parse_args(arguments)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    cv2.setNumThreads(1)  # many phones share few cores: their threads would only get in each other's way
    try:
        timing = (options.transitions, options.seed) if options.transitions else None
        make = virtual_phones(*parse_size(options.size), options.density, timing)
        fleet = VirtualFleet(options.phones, make, seed=options.seed)
        cut = Cut.parse(options.cut) if options.cut else None
    except (BadInput, ValueError) as error:
        parser.error(str(error))
    try:
        asyncio.run(serve(fleet, as_json=options.json, until_stdin_closes=options.until_stdin_closes, cut=cut))
    except BadInput as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
