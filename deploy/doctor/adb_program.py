"""Find the ``adb`` program of this machine: on the path, else in the Python environment, else in adbutils."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from adbutils import adb_path

from manyhands.deploy.settings.phones import AdbOptions

_USUAL = AdbOptions()


def find_adb() -> str | None:
    """Return the name or path by which a shell here calls ``adb``; None if there is no adb."""
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
    """Return the beginning of an adb command for the server that the settings name and, if given, for one phone."""
    words = [find_adb() or "adb"]
    if options.adb_host != _USUAL.adb_host:
        words += ["-H", options.adb_host]
    if options.adb_port != _USUAL.adb_port:
        words += ["-P", str(options.adb_port)]
    if serial:
        words += ["-s", serial]
    return " ".join(words)
