"""Combine a device with what the shell of a phone sees besides it: files, properties, pictures, a log and a ledger."""

from __future__ import annotations

import time
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from typing import Any

from manyhands.simulator.phone.device import AppInfo, InputWitness, PhoneDevice, UnknownComponent
from manyhands.simulator.system.capture import ScreenCapture
from manyhands.simulator.system.device_log import DeviceLog
from manyhands.simulator.system.files import PhoneFiles
from manyhands.simulator.system.finger import Finger
from manyhands.simulator.system.install_sessions import InstallSessions
from manyhands.simulator.system.ledger import Ledger
from manyhands.simulator.system.user_records import UserRecords

ANDROID_SDK = 34
NO_LOCK, SWIPE, CREDENTIAL = range(3)
STORAGE_KB = 10_080_000
ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"


@dataclass(frozen=True, slots=True)
class LeftState:
    """Hold the device's true state before a reset, and how many lines the ledger had before the line of the reset."""

    lines: int
    state: dict[str, Any]


class PhoneSystem:
    """Hold the state of a virtual phone that its shell can reach. This state outlives all connections."""

    def __init__(self, device: PhoneDevice, encoders: Executor) -> None:
        self.device = device
        self.ledger = Ledger()
        self.left: list[LeftState] = []
        """The state before each reset. It shows what the phone's previous user left, and can be judged later."""
        self._before_line: LeftState | None = None
        self._reached: list[list[str]] = []
        """What the inputs of each ledger line reached. The device may still hold what its latest inputs reached."""
        self.files = PhoneFiles()
        self.records = UserRecords()
        self.finger = Finger(device)
        self.install_sessions = InstallSessions()
        self.app_locales: dict[str, str] = {}
        """The languages that apps were given, by package. No app of a virtual phone follows them."""
        self.clock_shift_s = 0.0
        """How many seconds the phone's clock is ahead of the host's: ``date`` sets it."""
        self.log = DeviceLog(self.now)
        self.capture = ScreenCapture(device, encoders)
        self.lock = NO_LOCK
        """The lock screen that reports tell of. No lock screen is ever drawn."""
        self.free_kb = STORAGE_KB // 2
        """The free storage that ``df`` prints, in KiB. Nothing uses it up."""
        self.thermal_override: int | None = None
        """The thermal status that a command has set; None if none has."""
        self.authorised = True
        """Whether new adb connections are accepted. Connections that are open stay open."""
        self.is_root = False
        """Whether adbd runs as root, as on an emulator after ``adb root``; else as on a phone that is sold."""
        self.zone = "UTC"
        """The name of the time zone that apps show. ``date`` prints UTC."""
        self.sdk = ANDROID_SDK
        self.has_adb_keyboard = True
        self.loses_letters = False
        """Whether a typed text of more than one letter loses its last letter."""
        self.dump_s = 0
        """How many seconds ``uiautomator dump`` takes beyond its work, as if the window kept moving."""

    def now(self) -> float:
        """Return the phone's time in Unix seconds."""
        return time.time() + self.clock_shift_s

    @property
    def properties(self) -> dict[str, str]:
        """Return what ``getprop`` prints, by name."""
        name = "manyhands_" + self.device.model.lower().replace(" ", "_").removeprefix("manyhands_")
        return {
            "dev.bootcomplete": "1",
            "init.svc.bootanim": "stopped",
            "persist.sys.timezone": self.zone,
            "ro.board.platform": "virtual",
            "ro.build.characteristics": "default",
            "ro.build.type": "userdebug" if self.is_root else "user",
            "ro.build.version.codename": "REL",
            "ro.build.version.incremental": "1",
            "ro.build.version.release": str(release_of(self.sdk)),
            "ro.build.version.sdk": str(self.sdk),
            "ro.debuggable": str(int(self.is_root)),
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
        """Return the part of a typed text that arrives in the field."""
        return text[:-1] if self.loses_letters and len(text) > 1 else text

    def app(self, package: str) -> AppInfo:
        """Return an installed app. Raises UnknownComponent."""
        for app in self.device.apps():
            if app.package == package:
                return app
        raise UnknownComponent(package)

    def line_begins(self) -> None:
        """Begin a client's line: forget the state from before the previous line."""
        self._before_line = None

    def line_acts(self, key: str | None, line: str) -> None:
        """Write a line to the ledger just before the line's first action, and keep the phone's present state."""
        self._before_line = self._found()
        self._note_reached()
        self.ledger.append(key, line)
        self._reached.append([])

    def left_rows(self) -> list[dict[str, Any]]:
        """Return the state before each reset, as JSON values."""
        return [asdict(left) for left in self.left]

    def reached_rows(self) -> list[dict[str, Any]]:
        """Return, for each ledger line, what its inputs reached on the screen, as JSON values."""
        self._note_reached()
        return [
            {"key": line.key, "reached": reached}
            for line, reached in zip(self.ledger.lines, self._reached, strict=True)
        ]

    def _note_reached(self) -> None:
        """Take what inputs have reached since the last call, and add it to the latest line of the ledger."""
        if isinstance(self.device, InputWitness):
            reached = self.device.take_reached()
            if self._reached:
                self._reached[-1] += reached

    def _found(self) -> LeftState:
        return LeftState(len(self.ledger.lines), self.device.state())

    def reset(self, seed: int) -> None:
        """Set the device to the state that the seed gives, and empty files and records. The ledger stays."""
        self.left.append(self._before_line or self._found())
        self.device.reset(seed)
        self.files.wipe()
        self.records = UserRecords()
        self.finger = Finger(self.device)


def release_of(sdk: int) -> int:
    """Return the Android version of an API level, for Android 9 and later."""
    return sdk - 19 if sdk < 32 else sdk - 20


def full_component(component: str) -> str:
    """Return ``package/.Activity`` as ``package/package.Activity``."""
    package, _, activity = component.partition("/")
    return f"{package}/{package}{activity}" if activity.startswith(".") else component


def short_component(component: str) -> str:
    """Return ``package/package.Activity`` as ``package/.Activity``, as Android prints components."""
    package, _, activity = component.partition("/")
    return f"{package}/{activity[len(package) :]}" if activity.startswith(package + ".") else component
