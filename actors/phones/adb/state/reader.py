"""Read what an address names: parts of a phone's state, a file, or the output of a shell line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from manyhands.actors.phones.adb.state import system
from manyhands.actors.phones.adb.state.answers import Ask, ReadPart
from manyhands.actors.phones.adb.state.apps import read_apps
from manyhands.actors.phones.adb.state.calendar import read_calendar
from manyhands.actors.phones.adb.state.calls import read_calls
from manyhands.actors.phones.adb.state.clipboard import read_clipboard
from manyhands.actors.phones.adb.state.contacts import read_contacts
from manyhands.actors.phones.adb.state.files import FILE_PREFIX, read_file
from manyhands.actors.phones.adb.state.messages import read_sms
from manyhands.actors.phones.adb.state.notifications import read_notifications
from manyhands.actors.phones.adb.state.shell_line import SHELL_PREFIX, run_shell_line
from manyhands.protocol.errors import StateUnavailable

PREFIX = "phone://"
STATE_PREFIX = f"{PREFIX}state/"
PARTS: Mapping[str, ReadPart] = {
    "settings": system.read_settings,
    "app": system.read_front_app,
    "apps": read_apps,
    "packages": system.read_packages,
    "properties": system.read_properties,
    "battery": system.read_battery,
    "ui": system.read_ui,
    "notifications": read_notifications,
    "sms": read_sms,
    "contacts": read_contacts,
    "calls": read_calls,
    "calendar": read_calendar,
    "clipboard": read_clipboard,
}


@dataclass(frozen=True, slots=True)
class DeviceState:
    """Read the state of one phone through its shell. ``allow_shell_lines``: whether ``phone://shell/`` is allowed."""

    ask: Ask
    allow_shell_lines: bool = False

    async def read(self, source: str) -> Mapping[str, Any]:
        """Return what the address ``source`` names, as a JSON object. Raises StateUnavailable, PhoneLost."""
        if source.startswith(FILE_PREFIX):
            return await read_file(source, self.ask)
        if source.startswith(SHELL_PREFIX):
            return await run_shell_line(source, self.ask, allowed=self.allow_shell_lines)
        if source.startswith(STATE_PREFIX):
            return await self._read_parts(source)
        raise StateUnavailable(f"{source}: there are {STATE_PREFIX}PART, {FILE_PREFIX}PATH and {SHELL_PREFIX}LINE")

    async def _read_parts(self, source: str) -> Mapping[str, Any]:
        names = list(dict.fromkeys(source.removeprefix(STATE_PREFIX).split("/")))
        unknown = [name for name in names if name not in PARTS]
        if unknown:
            raise StateUnavailable(f"{source}: a phone has no state {unknown[0]!r}; there are {', '.join(PARTS)}")
        found = {}
        for name in names:
            try:
                found[name] = await PARTS[name](self.ask)
            except StateUnavailable as error:
                raise StateUnavailable(f"{source}: the phone does not tell {name}: {error}") from error
        return found
