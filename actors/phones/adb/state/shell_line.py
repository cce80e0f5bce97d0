"""Run one shell line that a task's author wrote, and return what it prints: ``phone://shell/LINE``.

No model ever writes such a line. Nevertheless, a phone runs it only if its owner allows it (``allow_shell_checks``).
"""

from __future__ import annotations

import asyncio
import base64
import re
import secrets
from typing import Any

from manyhands.actors.phones.adb.connection.shell import keyed_line
from manyhands.actors.phones.adb.state.answers import Ask, quote_answer
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.phones.messages import CHECK_KEY

SHELL_PREFIX = "phone://shell/"
"""The beginning of an address. The line follows in base64url, without padding."""
MOST_OUTPUT = 64 << 10
LONGEST_S = 15.0
"""How long a line may take. The transport's own limit is longer, so that an endless line is not taken for a lost
phone."""
_BASE64URL = re.compile(r"[A-Za-z0-9_-]+")


async def run_shell_line(source: str, ask: Ask, *, allowed: bool) -> dict[str, Any]:
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
