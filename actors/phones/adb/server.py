"""Access one adb server and the phones behind it without blocking the loop.

Connections block, so each call runs in a thread of a pool of its own. A cancelled call closes its connection. The
thread of a cancelled call is free again at once, or after it has read the data that had arrived.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import adbutils
from adbutils import errors as adb_errors

from manyhands.actors.phones.adb.server_start import ServerStarter
from manyhands.actors.phones.adb.shell import AnswerLost, PhoneUnreached, ServerDown, ShellResult
from manyhands.actors.phones.adb.wire import Exchange
from manyhands.protocol.errors import PhoneError, PhoneLost, PhoneUnknown
from manyhands.protocol.phones import USABLE, PhoneInfo

T = TypeVar("T")

SERVER_TIMEOUT_S = 5.0
CONNECT_TIMEOUT_S = 15.0
"""The time limit for ``adb connect``, which itself waits 10 s for an address that does not answer."""
ONLINE_TIMEOUT_S = 3.0
ALL_ONLINE_S = 30.0
"""The time limit for connecting many phones at once."""
_ONLINE_POLL_S = 0.05
MOST_CONNECTS = 2
"""How often a phone is connected again that stays offline although the server calls it connected. Others may connect it
at the same time."""
_ALREADY = "already connected"
NOT_UNIQUE = "not unique"
"""Our name of the state of phones that have one serial, as some makers deliver them."""
ADVICE = {
    "unauthorized": "accept this computer's key on its screen",
    "offline": "plug it in again, or 'adb reconnect offline'",
    NOT_UNIQUE: "several phones have this serial, and adb reaches none of them by it; unplug all but one, or reach them"
    " over Wi-Fi ('adb tcpip 5555', 'adb connect HOST:5555')",
}
"""What a person can do about a phone, by adb's name of its state."""
_ROW = re.compile(
    r"(.+?)\s+(device|offline|unauthorized|authorizing|connecting|bootloader|recovery|rescue|sideload|host|detached"
    r"|no device|no permissions.*?|unknown)(\s+(?:usb|product|model|device|features|transport_id):.*)?"
)
"""A row of the list: the serial, which may have blanks and brackets, a word for the state, and tags."""
_NETWORK_SERIAL = re.compile(r"[^\s:]+:\d{1,5}|\[[0-9a-fA-F:]+\]:\d{1,5}")


def is_network_serial(serial: str) -> bool:
    """Return whether the serial is an address that ``adb connect`` takes."""
    return _NETWORK_SERIAL.fullmatch(serial) is not None


class AdbServer:
    """Ask one adb server, which is shared with others and never stopped.

    ``threads`` bounds how many calls run at a time. ``starter`` starts a lost server. After that, a request is sent
    once more if it was certainly not sent, or if it only asks.
    """

    def __init__(self, host: str, port: int, threads: int = 8, starter: ServerStarter | None = None) -> None:
        self.host = host
        self._port = port
        self._starter = starter
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="adb")
        self._features: dict[str, frozenset[str]] = {}
        self._connecting: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def close(self) -> None:
        """Free the threads. Calls that still run end by their own time limits."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    # ------------------------------------------------------------------ the server's own answers
    async def devices(self) -> tuple[PhoneInfo, ...]:
        """Return all phones that the server lists. Raises ServerDown (a PhoneLost) if no server answers."""
        listed = await self._ask("host:devices-l")
        phones = [_listed_phone(line.strip()) for line in listed.splitlines() if line.strip()]
        rows = Counter(phone.serial for phone in phones)
        return tuple(_not_unique(phone) if rows[phone.serial] > 1 else phone for phone in phones)

    async def state(self, serial: str) -> str | None:
        """Return adb's name of a phone's state; None for a phone that is not listed."""
        return next((line.state for line in await self.devices() if line.serial == serial), None)

    async def ensure_online(self, serial: str) -> None:
        """Return once the phone is usable. A phone whose serial is an address is connected again if necessary.

        Raises PhoneUnknown for a serial that is neither listed nor an address, otherwise PhoneLost.
        """
        started = self._started
        state = await self.state(serial)
        if state == USABLE:
            return
        if is_network_serial(serial) and state != "unauthorized":
            await self._reconnect(serial, "not connected")
            return
        if started != self._started and await self._comes_online(serial):
            return
        if state is None:
            raise PhoneUnknown(f"no phone with the serial {serial!r}; 'adb devices' lists those there are")
        hint = f"; {ADVICE[state]}" if state in ("unauthorized", NOT_UNIQUE) else ""
        raise PhoneLost(f"phone {serial} is {state}{hint}")

    async def wait_online(self, serial: str, seconds: float) -> None:
        """Return once a phone is usable and answers. Raises PhoneLost after ``seconds``."""
        deadline = time.monotonic() + seconds
        while True:
            self._features.pop(serial, None)
            try:
                await self.ensure_online(serial)
                await self.shell(serial, "true", SERVER_TIMEOUT_S, asks=True)
            except PhoneError as error:
                if time.monotonic() > deadline:
                    raise PhoneLost(f"phone {serial} did not come back within {seconds:.0f} s: {error}") from error
                await asyncio.sleep(_ONLINE_POLL_S)
            else:
                return

    async def connect_all(self, serials: Sequence[str]) -> None:
        """Connect phones at addresses, and return once each is usable. Raises PhoneLost."""
        answers = await asyncio.gather(*(self._ask(f"host:connect:{serial}", ALL_ONLINE_S) for serial in serials))
        for serial, answer in zip(serials, answers, strict=True):
            if "connected to" not in answer:
                raise PhoneLost(f"{serial}: {answer}")
        waiting = set(serials)
        try:
            async with asyncio.timeout(ALL_ONLINE_S):
                while waiting:
                    waiting -= {phone.serial for phone in await self.devices() if phone.usable}
                    await asyncio.sleep(_ONLINE_POLL_S if waiting else 0)
        except TimeoutError as error:
            raise PhoneLost(f"{', '.join(sorted(waiting))}: not online after {ALL_ONLINE_S:.0f} s") from error

    async def disconnect_all(self, serials: Sequence[str]) -> None:
        """Take phones out of the list, one by one, because disconnecting many at once has hung adb servers."""
        for serial in serials:
            await self._disconnect(serial)

    # ------------------------------------------------------------------ the phones
    async def shell(self, serial: str, line: str, timeout_s: float, *, asks: bool = False) -> ShellResult:
        """Run one line in the phone's shell; return its whole output and exit status.

        ``asks``: the line may run twice. Raises Unreached if certainly nothing was sent, otherwise AnswerLost; both are
        PhoneLost.
        """
        what = f"shell of {serial}"
        if "shell_v2" in await self._features_of(serial):
            return await self._on_phone(
                serial, lambda exchange: _shell_v2(exchange, serial, line), timeout_s, what, asks=asks
            )
        mark = f"MH_END_{secrets.token_hex(8)}:"
        return await self._on_phone(
            serial, lambda exchange: _shell_v1(exchange, serial, line, mark), timeout_s, what, asks=asks
        )

    async def push(self, serial: str, files: Mapping[str, Path], timeout_s: float) -> None:
        """Send files to a phone by adbutils' sync, in a thread. ``files``: local paths, by those on the phone.

        Raises PhoneLost, and OSError if the phone refuses a file. After the time limit the thread goes on until its
        connection ends.
        """

        def push() -> None:
            sync = adbutils.AdbClient(self.host, self._port, timeout_s).device(serial).sync
            for place, file in files.items():
                sync.push(file, place, check=True)

        try:
            async with asyncio.timeout(timeout_s):
                await asyncio.get_running_loop().run_in_executor(self._executor, push)
        except (adb_errors.AdbTimeout, adb_errors.AdbConnectionError, ConnectionError, TimeoutError) as error:
            raise PhoneLost(f"phone {serial}: {', '.join(files)} could not be sent: {error}") from error
        except adb_errors.AdbError as error:
            raise OSError(str(error)) from error

    async def exec_out(
        self, serial: str, line: str, timeout_s: float, read: Callable[[memoryview], T], expected_bytes: int = 0
    ) -> T:
        """Return what ``read`` makes of the raw output of a line that only asks, in the thread that received it.

        Nothing marks the end of the output. ``read`` must find it in the bytes, and may raise.
        """

        def work(exchange: Exchange) -> T:
            exchange.open(serial, f"exec:{line}")
            return read(exchange.read_all(expected_bytes))

        return await self._on_phone(serial, work, timeout_s, f"output of {serial}", asks=True)

    async def _features_of(self, serial: str) -> frozenset[str]:
        features = self._features.get(serial)
        if features is None:
            answer = await self._on_phone(
                serial,
                lambda exchange: exchange.ask_server(f"host-serial:{serial}:features"),
                SERVER_TIMEOUT_S,
                f"features of {serial}",
                asks=True,
            )
            features = self._features[serial] = frozenset(answer.split(","))
        return features

    async def _on_phone(
        self, serial: str, work: Callable[[Exchange], T], timeout_s: float, what: str, *, asks: bool
    ) -> T:
        """Run ``work``.

        Run it a second time if its request was certainly not sent, or only asks, and if a second try may help. A second
        try may help in two cases: a phone at an address was connected again, or the adb server was started again.
        """
        started = self._started
        try:
            return await self._run(work, timeout_s, what)
        except ServerDown:
            raise
        except PhoneError as error:  # also for an incomplete picture
            unsent = isinstance(error, PhoneUnreached)
            if unsent:
                self._features.pop(serial, None)
            if not (unsent and is_network_serial(serial)) and not ((unsent or asks) and await self._was_gone(started)):
                raise
            await self._reconnect(serial, str(error))
            return await self._run(work, timeout_s, what)

    async def _reconnect(self, serial: str, why: str) -> None:
        """Connect a phone again.

        For a phone that came back, the server reports ``offline`` until it is disconnected.
        """
        async with self._starter.connecting(serial) if self._starter is not None else self._connecting[serial]:
            if await self.state(serial) == USABLE:
                return
            answer = "not at an address"
            for _ in range(MOST_CONNECTS):
                if is_network_serial(serial):
                    await self._disconnect(serial)
                    answer = await self._ask(f"host:connect:{serial}", CONNECT_TIMEOUT_S)
                    if not answer.startswith(("connected to", _ALREADY)):
                        break
                # The phone's state decides whether this succeeded, because a connection that existed before may stay
                # offline.
                if await self._comes_online(serial):
                    return
                if not answer.startswith(_ALREADY):
                    break
            raise PhoneUnreached(f"phone {serial}: {why}; connecting again: {answer}")

    async def _comes_online(self, serial: str) -> bool:
        """Return whether the phone is usable now or soon."""
        deadline = time.monotonic() + ONLINE_TIMEOUT_S
        while time.monotonic() < deadline:
            if await self.state(serial) == USABLE:
                return True
            await asyncio.sleep(_ONLINE_POLL_S)
        return False

    async def _disconnect(self, serial: str) -> None:
        try:
            await self._ask(f"host:disconnect:{serial}")
        except ServerDown:
            raise
        except PhoneUnreached:
            pass  # it was not listed

    # ------------------------------------------------------------------ the server's own health
    @property
    def _started(self) -> int:
        return self._starter.started if self._starter is not None else 0

    async def _was_gone(self, started: int) -> bool:
        """Return whether the server was started again since its count of starts was ``started``. Raises ServerDown."""
        if self._starter is not None:
            await self._starter.ensure_running()
        return self._started != started

    # ------------------------------------------------------------------ threads
    async def _ask(self, request: str, timeout_s: float = SERVER_TIMEOUT_S) -> str:
        """Return the server's own answer. Ask again if the server died meanwhile and was started again."""

        def work(exchange: Exchange) -> str:
            return exchange.ask_server(request)

        started = self._started
        try:
            return await self._run(work, timeout_s, request)
        except ServerDown:
            raise
        except PhoneUnreached:
            if not await self._was_gone(started):
                raise
            return await self._run(work, timeout_s, request)

    async def _run(self, work: Callable[[Exchange], T], timeout_s: float, what: str) -> T:
        """Run ``work``; run it once more if no server listened and one could be started."""
        try:
            return await self._exchange(work, timeout_s, what)
        except ServerDown:
            if self._starter is None:
                raise
            await self._starter.ensure_running()
            return await self._exchange(work, timeout_s, what)

    async def _exchange(self, work: Callable[[Exchange], T], timeout_s: float, what: str) -> T:
        """Run ``work`` with a new exchange in a thread; cancelling ends the exchange."""
        exchange = Exchange(self.host, self._port, time.monotonic() + timeout_s)

        def run() -> T:
            try:
                return work(exchange)
            finally:
                exchange.close()

        future = self._executor.submit(run)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            exchange.abort()
            raise
        except (PhoneUnreached, AnswerLost) as error:
            raise type(error)(f"{what}: {error}") from error


def _shell_v2(exchange: Exchange, serial: str, line: str) -> ShellResult:
    exchange.open(serial, f"shell,v2:{line}")
    return exchange.read_shell()


def _shell_v1(exchange: Exchange, serial: str, line: str, mark: str) -> ShellResult:
    """Run a line on a phone before Android 7, where stderr is mixed with stdout and a mark ends the output."""
    exchange.open(serial, f"shell:{line}; echo {mark}$?")
    output, separator, status = bytes(exchange.read_all()).rpartition(mark.encode())
    if not separator or not status.strip().isdigit():
        raise AnswerLost("the answer ended before it was whole")
    return ShellResult(output, b"", int(status))


def _listed_phone(row: str) -> PhoneInfo:
    match = _ROW.fullmatch(row)
    serial, state, tags = match.groups("") if match else (*row.partition(" ")[::2], "")
    named = dict(re.findall(r"\b(product|model):(\S+)", tags))
    state = state.strip() or "unknown"
    return PhoneInfo(serial=serial, state=state, advice=ADVICE.get(state, ""), **named)


def _not_unique(phone: PhoneInfo) -> PhoneInfo:
    return phone.model_copy(update={"state": NOT_UNIQUE, "advice": ADVICE[NOT_UNIQUE]})
