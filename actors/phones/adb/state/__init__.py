"""Read what an address names: parts of a phone's state, a file of shared storage, or the output of a shell line.

The addresses are ``phone://state/PART[/PART...]``, ``phone://file/PATH`` and ``phone://shell/LINE``. A task's author
writes a shell line, never a model. Nevertheless, a phone runs it only if its owner allows it (``allow_shell_checks``).

The report of notifications quotes nothing, and a text may look like a record. So two reports are read: one without
texts, one with texts. Both must have the same lines of records in the same order. Otherwise records cannot be told from
texts, and StateUnavailable is raised.
"""

from __future__ import annotations

import asyncio
import base64
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from manyhands.actors.phones.adb.shell import Ask, ReadPart, command_line, keyed_line, quote_answer
from manyhands.actors.phones.adb.state.crashes import read_crashes
from manyhands.actors.phones.adb.state.records import read_calendar, read_calls, read_contacts, read_sms
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
from manyhands.protocol.phones import CHECK_KEY, CRASHES

FILE_PREFIX = "phone://file/"
"""The beginning of an address. A percent-encoded path relative to shared storage follows."""
MOST_CONTENT = 64 << 10
_SHARED_STORAGE = "/sdcard"
_FACTS = re.compile(rb"([0-9]+) ([a-z ]+)\n")
_ABSENT = re.compile(r"No such file or directory|Not a directory")

SHELL_PREFIX = "phone://shell/"
"""The beginning of an address. The line follows in base64url, without padding."""
MOST_OUTPUT = 64 << 10
LONGEST_S = 15.0
"""How long a line may take. The transport's own limit is longer, so that an endless line is not taken for a lost
phone."""
_BASE64URL = re.compile(r"[A-Za-z0-9_-]+")

_MOST_BYTES = 4 << 20
_LINE = f"dumpsys notification | head -c {_MOST_BYTES}"
_LINE_WITH_TEXTS = f"dumpsys notification --noredact | head -c {_MOST_BYTES}"
_REPORT = "Notification Manager state"
_LINE_OF_RECORD = re.compile(
    r"^ +(?:NotificationRecord\(0x[0-9a-f]+: (?P<head>pkg=(?P<package>\S+) .*? key=.*?): Notification\("
    r"|(?P<name>android\.title|android\.text|publicNotification|stats)=)",
    re.MULTILINE,
)
"""Matches the lines that are read. The hexadecimal number of a record changes with each change of the notification; its
key does not. After ``publicNotification`` come the texts that a lock screen shows instead; they are skipped."""
_VALUE = re.compile(r"\w+ \((.*?)\)\n(?= +(?:[\w.]+=|\}))", re.DOTALL)
_FIELDS = {"android.title": "title", "android.text": "text"}


async def _read_notifications(ask: Ask) -> list[dict[str, str]]:
    """Return the notifications, each with ``package``, ``title`` and ``text``. A missing title or text is empty.

    Raises StateUnavailable, PhoneLost.
    """
    plain, full = await ask(_LINE), await ask(_LINE_WITH_TEXTS)
    for answer in (plain, full):
        if _REPORT not in answer.text:
            raise StateUnavailable(f"it answered: {quote_answer(answer)}")
        if len(answer.stdout) >= _MOST_BYTES:
            raise StateUnavailable(f"the report has more than {_MOST_BYTES >> 20} MiB")
    lines = list(_LINE_OF_RECORD.finditer(full.text))
    if [_name(line) for line in lines] != [_name(line) for line in _LINE_OF_RECORD.finditer(plain.text)]:
        raise StateUnavailable("notifications cannot be told from the texts in them, or changed meanwhile")
    return _read_lines(full.text, lines)


def _name(line: re.Match[str]) -> str:
    return line["head"] or line["name"]


def _read_lines(text: str, lines: Sequence[re.Match[str]]) -> list[dict[str, str]]:
    notifications: list[dict[str, str]] = []
    within = False
    for line in lines:
        if line["head"]:
            within = True
            notifications.append({"package": line["package"], "title": "", "text": ""})
        elif line["name"] not in _FIELDS:
            within = False
        elif within and (value := _VALUE.match(text, line.end())) is not None:
            notifications[-1][_FIELDS[line["name"]]] = value[1]
    return notifications


async def _run_shell_line(source: str, ask: Ask, *, allowed: bool) -> dict[str, Any]:
    """Return the key ``shell`` with ``output`` and the exit status ``code``. Raises StateUnavailable, PhoneLost.

    The output is the first 64 KiB of what the line prints on stdout and stderr. Bytes that are not UTF-8 are replaced.
    If the line prints more, its output is cut off while it runs. Then the exit status may be that of a line whose
    output nobody reads.
    """
    if not allowed:
        raise StateUnavailable(f"{source}: this phone runs no lines of checks; --allow-shell-checks permits them")
    mark = f"MH_CODE_{secrets.token_hex(8)}:"
    run = keyed_line(CHECK_KEY, [["sh", "-c", _decode_line(source)]])
    try:
        async with asyncio.timeout(LONGEST_S):
            answer = await ask(f"{{ {run} < /dev/null 2>&1; echo {mark}$? >&2; }} | head -c {MOST_OUTPUT}")
    except TimeoutError as error:
        raise StateUnavailable(f"{source}: the line did not end within {LONGEST_S:g} s") from error
    code = re.search(rf"{mark}([0-9]+)\s*$", answer.stderr.decode("utf-8", "replace"))
    if code is None:
        raise StateUnavailable(f"{source}: the phone does not tell the line's status: {quote_answer(answer)}")
    return {"shell": {"output": answer.stdout[:MOST_OUTPUT].decode("utf-8", "replace"), "code": int(code[1])}}


def _decode_line(source: str) -> str:
    """Return the line that an address holds. Raises StateUnavailable."""
    encoded = source.removeprefix(SHELL_PREFIX)
    try:
        if not _BASE64URL.fullmatch(encoded):
            raise ValueError("other characters than those of base64url")
        line = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    except ValueError as error:
        raise StateUnavailable(f"{source}: the line is not UTF-8 in base64url: {error}") from error
    if "\0" in line:
        raise StateUnavailable(f"{source}: a line of the shell holds no NUL")
    return line


async def _read_file(source: str, ask: Ask) -> dict[str, Any]:
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
    "notifications": _read_notifications,
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
            return await _read_file(source, self.ask)
        if source.startswith(SHELL_PREFIX):
            return await _run_shell_line(source, self.ask, allowed=self.allow_shell_lines)
        if source.startswith(CRASHES):
            return await read_crashes(source, self.ask)
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
