"""A virtual phone as its shell sees it: the device with files, properties, a screen and a ledger."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from typing import Any

from manyhands.simulator.phone.device import AppInfo, InputWitness, PhoneDevice, UnknownComponent
from manyhands.simulator.system.capture import ScreenCapture
from manyhands.simulator.system.device_log import DeviceLog
from manyhands.simulator.system.files import PhoneFiles
from manyhands.simulator.system.finger import Finger
from manyhands.simulator.system.ledger import Ledger
from manyhands.simulator.system.user_records import UserRecords

ANDROID_SDK = 34
NO_LOCK, SWIPE, CREDENTIAL = range(3)
STORAGE_KB = 10_080_000
ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"


@dataclass(frozen=True, slots=True)
class LeftState:
    """Hold the device's true state before a reset, and how many lines the ledger had before the reset's own."""

    lines: int
    state: dict[str, Any]


class PhoneSystem:
    """Lives as long as the phone; connections come and go."""

    def __init__(self, device: PhoneDevice, encoders: Executor) -> None:
        self.device = device
        self.ledger = Ledger()
        self.left: list[LeftState] = []
        """What each reset found: the result of whoever had the phone before, for judging it afterwards."""
        self._before_line: LeftState | None = None
        self._reached: list[list[str]] = []
        """What each line of the ledger reached; the last ones may still be with the device."""
        self.files = PhoneFiles()
        self.records = UserRecords()
        self.finger = Finger(device)
        self.log = DeviceLog()
        self.capture = ScreenCapture(device, encoders)
        self.lock = NO_LOCK
        """What its reports say of a lock screen; none is ever drawn."""
        self.free_kb = STORAGE_KB // 2
        """What ``df`` says is left for apps; nothing uses it up."""
        self.thermal_override: int | None = None
        """The thermal status that was set by hand."""
        self.authorised = True
        """Whether computers that connect are allowed to; those that are connected stay so."""
        self.sdk = ANDROID_SDK
        self.has_adb_keyboard = True
        self.loses_letters = False
        """Whether the last letter of a text of several is lost on its way into a field."""

    @property
    def properties(self) -> dict[str, str]:
        """Return what ``getprop`` prints, by name."""
        name = "manyhands_" + self.device.model.lower().replace(" ", "_").removeprefix("manyhands_")
        return {
            "dev.bootcomplete": "1",
            "init.svc.bootanim": "stopped",
            "persist.sys.timezone": "UTC",
            "ro.board.platform": "virtual",
            "ro.build.characteristics": "default",
            "ro.build.type": "user",
            "ro.build.version.codename": "REL",
            "ro.build.version.incremental": "1",
            "ro.build.version.release": str(release_of(self.sdk)),
            "ro.build.version.sdk": str(self.sdk),
            "ro.debuggable": "0",
            "ro.hardware": "virtual",
            "ro.product.brand": "manyhands",
            "ro.product.cpu.abi": "x86_64",
            "ro.product.device": name,
            "ro.product.locale": "en-US",
            "ro.product.manufacturer": "Manyhands",
            "ro.product.model": self.device.model,
            "ro.product.name": name,
            "ro.secure": "1",
            "ro.sf.lcd_density": str(self.device.density),
            "sys.boot_completed": "1",
        }

    def imes(self) -> list[str]:
        """Return the ids of the installed input methods."""
        return [ime for ime in self.device.imes() if self.has_adb_keyboard or ime != ADB_KEYBOARD]

    def arriving(self, text: str) -> str:
        """Return what of a typed text arrives in a field."""
        return text[:-1] if self.loses_letters and len(text) > 1 else text

    def app(self, package: str) -> AppInfo:
        """Return an installed app. Raises UnknownComponent."""
        for app in self.device.apps():
            if app.package == package:
                return app
        raise UnknownComponent(package)

    def line_begins(self) -> None:
        """A line of a client begins; what the one before found is of no interest any more."""
        self._before_line = None

    def line_acts(self, key: str | None, line: str) -> None:
        """Write a line to the ledger that is about to act for the first time, and keep what it finds."""
        self._before_line = self._found()
        self._note_reached()
        self.ledger.append(key, line)
        self._reached.append([])

    def left_rows(self) -> list[dict[str, Any]]:
        """Return what each reset found, as JSON values."""
        return [asdict(left) for left in self.left]

    def reached_rows(self) -> list[dict[str, Any]]:
        """Return what each line of the ledger reached on the screen, as JSON values; nothing where no input was."""
        self._note_reached()
        return [
            {"key": line.key, "reached": reached}
            for line, reached in zip(self.ledger.lines, self._reached, strict=True)
        ]

    def _note_reached(self) -> None:
        """Lay what the device has told since the last look to the line that acted last."""
        if isinstance(self.device, InputWitness):
            reached = self.device.take_reached()
            if self._reached:
                self._reached[-1] += reached

    def _found(self) -> LeftState:
        return LeftState(len(self.ledger.lines), self.device.state())

    def reset(self, seed: int) -> None:
        """The device and its files back to what the seed gives. The ledger stays."""
        self.left.append(self._before_line or self._found())
        self.device.reset(seed)
        self.files.wipe()
        self.records = UserRecords()
        self.finger = Finger(self.device)


def release_of(sdk: int) -> int:
    """Return the number by which people know an Android, from 9 on."""
    return sdk - 19 if sdk < 32 else sdk - 20


def full_component(component: str) -> str:
    """``package/.Activity`` with its activity fully qualified."""
    package, _, activity = component.partition("/")
    return f"{package}/{package}{activity}" if activity.startswith(".") else component


def short_component(component: str) -> str:
    """``package/package.Activity`` as ``package/.Activity``, the way Android prints components."""
    package, _, activity = component.partition("/")
    return f"{package}/{activity[len(package) :]}" if activity.startswith(package + ".") else component
