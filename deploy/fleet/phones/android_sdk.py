"""Find the user's Android SDK and its virtual devices (AVDs), and say what emulators lack on this machine.

The places are those of Google's tools: the variables ``ANDROID_HOME``, ``ANDROID_SDK_ROOT``, ``ANDROID_AVD_HOME`` and
``ANDROID_USER_HOME``, then folders in the home folder.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.phones import EmulatorCount

KVM = Path("/dev/kvm")
DEFAULT_SNAPSHOT = "default_boot"
"""The snapshot that an emulator with a window saves when it is closed (quick boot)."""
_UNACCELERATED = {"-accel", "-no-accel"}


@dataclass(frozen=True, slots=True)
class EmulatorRequirement:
    """Say of one thing that emulators need what was found, and how to get it if it is missing."""

    name: str
    found: str
    mend: str = ""
    """Empty if nothing is missing."""
    is_needed: bool = True
    """Whether no emulator starts without it."""


def find_emulator() -> Path | None:
    """Return the program ``emulator`` of the user's SDK, None if there is none."""
    named = _named_root()
    defaults = (Path.home() / "Android" / "Sdk", Path.home() / "Library" / "Android" / "sdk")
    for folder in defaults if named is None else (named, *defaults):
        program = folder / "emulator" / "emulator"
        if os.access(program, os.X_OK):
            return program
    on_path = shutil.which("emulator")
    return None if on_path is None else Path(on_path)


def _named_root() -> Path | None:
    """Return the folder of the SDK that the environment names; None if it names none."""
    root = os.environ.get("ANDROID_HOME") or os.environ.get("ANDROID_SDK_ROOT")
    return Path(root) if root else None


def avd_home() -> Path:
    """Return the folder with the user's AVDs."""
    if home := os.environ.get("ANDROID_AVD_HOME"):
        return Path(home)
    if user_home := os.environ.get("ANDROID_USER_HOME"):
        return Path(user_home) / "avd"
    return Path.home() / ".android" / "avd"


def boot_snapshot(settings: FleetSettings) -> str:
    """Return the snapshot from which emulators boot, and which they restore."""
    return settings.reset_snapshot or DEFAULT_SNAPSHOT


def requirements_of(settings: FleetSettings, wanted: EmulatorCount) -> Sequence[EmulatorRequirement]:
    """Return what the emulators of a run need. Nothing is started."""
    program = find_emulator()
    return [_sdk(program), *_kvm(settings), *_device(program, wanted.avd, boot_snapshot(settings))]


def _sdk(program: Path | None) -> EmulatorRequirement:
    if program is None:
        mend = "install Android Studio or the command-line tools, 'sdkmanager emulator'; export ANDROID_HOME=FOLDER"
        return EmulatorRequirement("SDK", "no program emulator", mend)
    return EmulatorRequirement("SDK", str(program))


def _kvm(settings: FleetSettings) -> Iterator[EmulatorRequirement]:
    if sys.platform != "linux" or _UNACCELERATED & set(settings.emulator_flags):
        return
    if not KVM.exists():
        mend = "turn on virtualisation in the firmware, or of this virtual machine; modprobe kvm_intel or kvm_amd"
        yield EmulatorRequirement("KVM", f"no {KVM}", mend)
    elif not os.access(KVM, os.R_OK | os.W_OK):
        yield EmulatorRequirement("KVM", f"{KVM} is not ours to use", "sudo gpasswd -a $USER kvm; log in again")
    else:
        yield EmulatorRequirement("KVM", str(KVM))


def _device(program: Path | None, avd: str, snapshot: str) -> Iterator[EmulatorRequirement]:
    home = avd_home()
    pointer = home / f"{avd}.ini"
    if not pointer.is_file():
        others = ", ".join(sorted(path.stem for path in home.glob("*.ini"))) or "none"
        mend = f"avdmanager create avd -n {avd} -k 'system-images;android-33;google_apis;x86_64'; or name one of these"
        yield EmulatorRequirement("AVD", f"no {avd} in {home}; there are: {others}", mend)
        return
    folder = Path(_read_ini(pointer).get("path", str(home / f"{avd}.avd")))
    yield EmulatorRequirement("AVD", str(folder))
    image = _read_ini(folder / "config.ini").get("image.sysdir.1", "")
    root = _named_root() or _root_of(program)
    if not image or not (root / image).is_dir():
        package = image.strip("/").replace("/", ";")
        mend = f"sdkmanager '{package}'" if package else f"make {avd} again: its config.ini names no image"
        yield EmulatorRequirement("image", f"no {root / image}", mend)
    else:
        yield EmulatorRequirement("image", str(root / image))
    if (folder / "snapshots" / snapshot).is_dir():
        yield EmulatorRequirement("snapshot", snapshot)
    else:
        mend = (
            f"boot it once with a window, set it up and close it; or: adb emu avd snapshot save {snapshot}. "
            "Without one it boots slowly and cannot be reset"
        )
        yield EmulatorRequirement("snapshot", f"no {snapshot} of {avd}", mend, is_needed=False)


def _root_of(program: Path | None) -> Path:
    return Path.home() / "Android" / "Sdk" if program is None else program.resolve().parent.parent


def _read_ini(path: Path) -> dict[str, str]:
    """Return the keys of a file of an AVD, which has no sections; empty if there is no file."""
    if not path.is_file():
        return {}
    pairs = (line.partition("=") for line in path.read_text(errors="replace").splitlines())
    return {key.strip(): value.strip() for key, equals, value in pairs if equals}
