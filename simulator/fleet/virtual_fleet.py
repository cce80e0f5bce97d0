"""Run a fleet of virtual phones in this process."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import TracebackType
from typing import Self

from manyhands.protocol.errors import BadInput
from manyhands.simulator.adbd import PhoneEndpoint
from manyhands.simulator.fleet.revival import keep_alive
from manyhands.simulator.phone.apps.preferences import SCALES
from manyhands.simulator.phone.content.library import Library
from manyhands.simulator.phone.device import PhoneDevice, RemoteDevice
from manyhands.simulator.phone.keycodes import KEY_CODES
from manyhands.simulator.phone.ui.course import Family, Transitions
from manyhands.simulator.phone.vendors.catalogue import vendors_of_phones
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from manyhands.simulator.system.capture import CaptureFault
from manyhands.simulator.system.phone_system import PhoneSystem

MakePhone = Callable[[int], PhoneDevice]
"""Make a phone from a seed."""

DEFAULT_SIZE = (1080, 2400)
DEFAULT_DENSITY = 420
MAX_PHONES = 1000
SMALLEST, LARGEST = 240, 4000


def _set_battery(phone: PhoneSystem, percent: int) -> None:
    unplugged = phone.device.battery.commanded(["unplug"])
    phone.device.battery = replace(unplugged, level=percent, status=3)


def _set_celsius(phone: PhoneSystem, celsius: int) -> None:
    phone.device.battery = replace(phone.device.battery, temperature=10 * celsius, overridden=True)


def _set_thermal(phone: PhoneSystem, status: int) -> None:
    phone.thermal_override = status


def _set_free_mb(phone: PhoneSystem, megabytes: int) -> None:
    phone.free_kb = 1024 * megabytes


def _set_lock(phone: PhoneSystem, lock: int) -> None:
    phone.lock = lock


def _set_screenshots(phone: PhoneSystem, fault: int) -> None:
    phone.capture.fault = CaptureFault(fault)


def _set_awake(phone: PhoneSystem, awake: int) -> None:
    phone.device.key(KEY_CODES["WAKEUP" if awake else "SLEEP"])


def _set_animations(phone: PhoneSystem, scale: int) -> None:
    for name in SCALES:
        phone.device.put_setting("global", name, str(scale))


def _set_stays_on(phone: PhoneSystem, sources: int) -> None:
    phone.device.put_setting("global", "stay_on_while_plugged_in", str(sources))


def _set_heads_up(phone: PhoneSystem, shown: int) -> None:
    phone.device.put_setting("global", "heads_up_notifications_enabled", str(shown))


def _set_sdk(phone: PhoneSystem, sdk: int) -> None:
    phone.sdk = sdk


def _set_adb_keyboard(phone: PhoneSystem, installed: int) -> None:
    phone.has_adb_keyboard = bool(installed)
    phone.device.set_ime(phone.imes()[0])


def _set_typing(phone: PhoneSystem, fault: int) -> None:
    phone.loses_letters = bool(fault)


def _set_dump_s(phone: PhoneSystem, seconds: int) -> None:
    phone.dump_s = seconds


def _set_authorised(phone: PhoneSystem, authorised: int) -> None:
    phone.authorised = bool(authorised)


def _set_root(phone: PhoneSystem, root: int) -> None:
    phone.is_root = bool(root)


CONDITIONS: Mapping[str, Callable[[PhoneSystem, int], None]] = {
    "battery": _set_battery,
    "celsius": _set_celsius,
    "thermal": _set_thermal,
    "free_mb": _set_free_mb,
    "lock": _set_lock,
    "screenshots": _set_screenshots,
    "awake": _set_awake,
    "animations": _set_animations,
    "stays_on": _set_stays_on,
    "heads_up": _set_heads_up,
    "sdk": _set_sdk,
    "adb_keyboard": _set_adb_keyboard,
    "typing": _set_typing,
    "dump_s": _set_dump_s,
    "authorised": _set_authorised,
    "root": _set_root,
}
"""The conditions of a phone that can be set.

``battery``: percent of charge, without charging; ``celsius``: the battery's temperature; ``thermal``: Android's thermal
status; ``free_mb``: free storage; ``lock``: 0 for no lock screen, 1 for one without and 2 for one with a credential;
``screenshots``: 0 for good ones, 1 for empty, 2 for one pixel; ``awake``: whether the screen is on; ``animations``: the
scale of their length, 0 for none; ``stays_on``: the power supplies that keep the screen on, as Android's bits;
``heads_up``: whether notifications come in over apps; ``sdk``: Android's API level (34 is Android 14);
``adb_keyboard``: whether ADBKeyboard is installed; ``typing``: 1 if typed texts lose a letter; ``dump_s``: seconds
that ``uiautomator dump`` takes beyond its work; ``authorised``: whether a computer that connects from now on is
authorised; ``root``: whether adbd runs as root, as on an emulator.
"""


class VirtualFleet:
    """Run ``count`` phones on free ports. The phone with index i has the seed ``seed + i``.

    ``vendors``: names of the catalogue in ``simulator.phone.vendors``, each for all phones or, as ``NAME@INDEX``, for
    one.
    """

    def __init__(
        self,
        count: int,
        make_phone: MakePhone,
        *,
        seed: int = 1,
        host: str = "127.0.0.1",
        vendors: Iterable[str] = (),
    ) -> None:
        if not 1 <= count <= MAX_PHONES:
            raise BadInput(f"a virtual fleet has 1 to {MAX_PHONES} phones, not {count}")
        self.seeds = tuple(range(seed, seed + count))
        self._encoders = ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="encoder")
        self.endpoints = tuple(
            PhoneEndpoint(make_phone(number), self._encoders, host, vendors=own)
            for number, own in zip(self.seeds, vendors_of_phones(vendors, count), strict=True)
        )
        self._remote = {
            endpoint: endpoint.phone.device
            for endpoint in self.endpoints
            if isinstance(endpoint.phone.device, RemoteDevice)
        }
        self._revivals: list[asyncio.Task[None]] = []

    @property
    def ports(self) -> tuple[int, ...]:
        return tuple(endpoint.port for endpoint in self.endpoints)

    @property
    def serials(self) -> tuple[str, ...]:
        return tuple(endpoint.serial for endpoint in self.endpoints)

    async def start(self) -> None:
        """Make all phones listen. If one phone cannot listen, stop all others and raise BadInput or DeviceLost."""
        try:
            for endpoint, device in self._remote.items():
                await device.start()
                self._revivals.append(asyncio.create_task(keep_alive(endpoint, device)))
            for endpoint in self.endpoints:
                await endpoint.open()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Stop for good. A stopped fleet cannot be started again."""
        for task in self._revivals:
            task.cancel()
        await asyncio.gather(*self._revivals, return_exceptions=True)
        for endpoint in self.endpoints:
            await endpoint.close()
        for device in self._remote.values():
            await device.stop()
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
        """Make a phone look unplugged: drop its connections and close its port. Raises BadInput."""
        await self._endpoint(index).close()

    async def come_back(self, index: int) -> None:
        """Make a phone listen again, on the same port. Raises BadInput."""
        await self._endpoint(index).open()

    async def set_condition(self, index: int, name: str, value: int) -> None:
        """Set a condition that a phone reports, by a name in ``CONDITIONS``. Raises BadInput."""
        phone = self._endpoint(index).phone
        if name not in CONDITIONS:
            raise BadInput(f"a phone's {name!r} cannot be set; there are {', '.join(CONDITIONS)}")
        try:
            CONDITIONS[name](phone, value)
        except ValueError as error:
            raise BadInput(f"a phone's {name} cannot be {value}: {error}") from error

    def _endpoint(self, index: int) -> PhoneEndpoint:
        if not 0 <= index < len(self.endpoints):
            raise BadInput(f"there is no phone {index}: this fleet's are numbered 0 to {len(self.endpoints) - 1}")
        return self.endpoints[index]


def parse_size(text: str) -> tuple[int, int]:
    """Parse ``WIDTHxHEIGHT`` in pixels. Raises ValueError."""
    found = re.fullmatch(r"(\d{1,4})x(\d{1,4})", text)
    width, height = (int(found[1]), int(found[2])) if found else (0, 0)
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise ValueError(f"{text!r} is not WIDTHxHEIGHT with {SMALLEST} to {LARGEST} pixels each")
    return width, height


def virtual_phones(
    width: int,
    height: int,
    density: int | None = None,
    transitions: tuple[Family, int] | None = None,
    content: Callable[[int], Library] = Library,
) -> MakePhone:
    """Return a maker of phones of one size. Unless ``density`` is given, it follows from the width.

    ``transitions``: the family of transitions, and a seed. The seed decides what is typical of all these phones.
    ``content``: makes the content that a seed gives.
    """
    dpi = density or max(80, round(DEFAULT_DENSITY * width / DEFAULT_SIZE[0]))

    def make(seed: int) -> VirtualPhone:
        timing = Transitions(*transitions, seed) if transitions else None
        return VirtualPhone(seed=seed, width=width, height=height, density=dpi, transitions=timing, content=content)

    return make
