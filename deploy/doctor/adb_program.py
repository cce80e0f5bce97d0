"""The ``adb`` that commands of this machine call: the one on the path, else that of the environment or of adbutils."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from adbutils import adb_path

from manyhands.deploy.settings.phones import AdbOptions

_USUAL = AdbOptions()


def find_adb() -> str | None:
    """Return how ``adb`` is called here; None if there is none."""
    if shutil.which("adb"):
        return "adb"
    beside = Path(sys.executable).parent / "adb"
    if os.access(beside, os.X_OK):
        return os.path.relpath(beside)
    try:
        return str(adb_path())
    except (RuntimeError, OSError):
        return None


def adb_command(options: AdbOptions, serial: str = "") -> str:
    """Return the beginning of a command for the settings' adb server, and for one of its phones."""
    words = [find_adb() or "adb"]
    if options.adb_host != _USUAL.adb_host:
        words += ["-H", options.adb_host]
    if options.adb_port != _USUAL.adb_port:
        words += ["-P", str(options.adb_port)]
    if serial:
        words += ["-s", serial]
    return " ".join(words)
