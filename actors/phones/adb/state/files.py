"""Read one file of shared storage: ``phone://file/PATH``."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

from manyhands.actors.phones.adb.connection.shell import command_line
from manyhands.actors.phones.adb.state.answers import Ask, quote_answer
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
