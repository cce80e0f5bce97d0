"""Read the installed apps: their versions, which one is in front, and which run."""

from __future__ import annotations

from typing import Any

from manyhands.actors.phones.adb import dumps
from manyhands.actors.phones.adb.state.answers import make_reader

_MARK = "--- manyhands"
_LINE = f"{dumps.VERSIONS_LINE}; echo '{_MARK}'; {dumps.FRONT_LINE}; echo '{_MARK}'; ps -A -o NAME"
"""The line asks ``ps`` for the processes. From Android 8 to 16, ``ps`` prints their whole names in the same form. The
report of ``dumpsys activity processes`` is a hundred times as long, and its form differs between versions."""


def _parse_apps(text: str) -> list[dict[str, Any]] | None:
    parts = text.split(f"{_MARK}\n")
    if len(parts) != 3:
        return None
    versions, front = dumps.app_versions(parts[0]), dumps.app_in_front(parts[1])
    processes = {name.strip().partition(":")[0] for name in parts[2].splitlines()}
    if not versions or len(processes) < 2:  # one name is the header of ps, and every phone has processes
        return None
    return [
        {
            "package": package,
            "version": int(version),
            "front": package == front,
            "running": package == front or package in processes,
        }
        for package, version in versions.items()
    ]


read_apps = make_reader(_LINE, _parse_apps)
"""Returns the apps, each with ``package``, ``version`` (a number), ``front`` and ``running`` (booleans).

An app counts as running if a process has its package's name (or that name, a colon and more), or if it is in front. So
an app in the background whose only process has another name counts as not running.
"""
