"""Read what an address names: parts of a phone's state, a file of shared storage, or the output of a shell line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from manyhands.actors.phones.adb.connection.shell import command_line
from manyhands.actors.phones.adb.state.answers import Ask, ReadPart, quote_answer
from manyhands.actors.phones.adb.state.notifications import read_notifications
from manyhands.actors.phones.adb.state.records import read_calendar, read_calls, read_contacts, read_sms
from manyhands.actors.phones.adb.state.shell_line import SHELL_PREFIX, run_shell_line
from manyhands.actors.phones.adb.state.system import (
    read_apps,
    read_battery,
    read_clipboard,
    read_front_app,
    read_packages,
    read_properties,
    read_settings,
    read_ui,
)
from manyhands.protocol.errors import StateUnavailable

FILE_PREFIX = "phone://file/"
"""The beginning of an address. A percent-encoded path relative to shared storage follows."""
MOST_CONTENT = 64 << 10
_SHARED_STORAGE = "/sdcard"
_FACTS = re.compile(rb"([0-9]+) ([a-z ]+)\n")
_ABSENT = re.compile(r"No such file or directory|Not a directory")


async def read_file(source: str, ask: Ask) -> dict[str, Any]:
    """Return the key ``file`` with ``exists``, ``size`` (bytes) and ``content`` (the first 64 KiB as text).

    Size and content are None if nothing exists at the path. The content is also None for a directory. Bytes that are
    not UTF-8 are replaced. Raises StateUnavailable, PhoneLost.
    """
    path = f"{_SHARED_STORAGE}/{_decode_path(source)}"
    answer = await ask(command_line([["stat", "-c", "%s %F", path], ["head", "-c", str(MOST_CONTENT), path]]))
    facts = _FACTS.match(answer.stdout)
    if facts is None and _ABSENT.search(answer.complaint):
        return {"file": {"exists": False, "size": None, "content": None}}
    is_directory = facts is not None and facts[2] == b"directory"
    if facts is None or (answer.status != 0 and not is_directory):
        raise StateUnavailable(f"{source}: the phone does not tell the file: it answered: {quote_answer(answer)}")
    content = answer.stdout[facts.end() :][:MOST_CONTENT].decode("utf-8", "replace")
    return {"file": {"exists": True, "size": int(facts[1]), "content": None if is_directory else content}}


def _decode_path(source: str) -> str:
    """Return the path of an address. Raises StateUnavailable for a path that may lead out of shared storage."""
    try:
        path = unquote(source.removeprefix(FILE_PREFIX), errors="strict")
    except UnicodeDecodeError as error:
        raise StateUnavailable(f"{source}: the path is not UTF-8 in percent-encoding") from error
    if not path or path.startswith("/") or ".." in path.split("/") or "\0" in path:
        raise StateUnavailable(f"{source}: a path is relative to shared storage, without a leading / and without ..")
    return path


PREFIX = "phone://"
STATE_PREFIX = f"{PREFIX}state/"
PARTS: Mapping[str, ReadPart] = {
    "settings": read_settings,
    "app": read_front_app,
    "apps": read_apps,
    "packages": read_packages,
    "properties": read_properties,
    "battery": read_battery,
    "ui": read_ui,
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
        parts = {}
        for name in names:
            try:
                parts[name] = await PARTS[name](self.ask)
            except StateUnavailable as error:
                raise StateUnavailable(f"{source}: the phone does not tell {name}: {error}") from error
        return parts
