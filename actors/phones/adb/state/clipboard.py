"""Read the clipboard through the app Clipper (github.com/majido/clipper), because a shell cannot read it itself."""

from __future__ import annotations

import re

from manyhands.actors.phones.adb import dumps
from manyhands.actors.phones.adb.state.answers import Ask, quote_answer
from manyhands.protocol.errors import StateUnavailable

_CLIPPER = "ca.zgrs.clipper"
_MOST_BYTES = 1 << 20
_BROADCAST = f"am broadcast -p {_CLIPPER} -a clipper.get"
"""A broadcast to Clipper alone. Some systems deliver none that names no package."""
_LINE = f"getprop ro.build.version.sdk; {dumps.FRONT_LINE}; {_BROADCAST} | head -c {_MOST_BYTES}"
_ANSWER = re.compile(r'^Broadcast completed: result=(-?\d+)(?:, data="(.*)")?', re.MULTILINE | re.DOTALL)
_ANDROID_10 = 29
_TOLD = "-1"


async def read_clipboard(ask: Ask) -> dict[str, str]:
    """Return the clipboard as ``text``. Raises StateUnavailable, PhoneLost.

    From Android 10 on, Clipper can read the text only while it is in front or if it has a system permission.
    """
    answer = await ask(_LINE)
    found = _ANSWER.search(answer.text)
    if found is None:
        raise StateUnavailable(f"it answered: {quote_answer(answer)}")
    if found[2] is None:
        raise StateUnavailable("a shell cannot read the clipboard, and the app Clipper, which tells it, did not answer")
    before = answer.text[: found.start()]
    version = re.match(r"\d+", before)
    may_read = dumps.app_in_front(before) == _CLIPPER or (version is not None and int(version[0]) < _ANDROID_10)
    if found[1] != _TOLD and not may_read:
        raise StateUnavailable("Clipper got no text: from Android 10 on it reads the clipboard only while in front")
    return {"text": found[2]}
