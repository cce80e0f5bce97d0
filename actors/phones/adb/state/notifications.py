"""Read the notifications that a phone shows, from the report of its notification manager.

The report quotes nothing, and a text may look like a record. So this module reads two reports: one without texts, one
with texts. Both must have the same lines of records in the same order. Otherwise it cannot tell records from texts, and
raises StateUnavailable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from manyhands.actors.phones.adb.state.answers import Ask, quote_answer
from manyhands.protocol.errors import StateUnavailable

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


async def read_notifications(ask: Ask) -> list[dict[str, str]]:
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
