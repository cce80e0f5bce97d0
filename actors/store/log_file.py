"""Write the log of a phone into an episode's folder. The oldest lines give way once the file is too long."""

from __future__ import annotations

import os
from pathlib import Path

from manyhands.protocol.phones.phone_log import LogHeader, PhoneLog
from manyhands.protocol.utilities import secure_files

MOST_BYTES = 8 * 1024 * 1024


def append_log(path: Path, log: PhoneLog, now: float, most: int = MOST_BYTES) -> None:
    """Append lines to a log file. Blocks; raises OSError.

    The first line of the file is its header. If the file becomes longer than ``most`` bytes, the newest half stays, and
    the header counts what was left out. ``now``: Unix seconds, for the header of a new file.
    """
    header = _header(path) or LogHeader(first_at=now)
    changed = header.model_copy(
        update={
            "clock_offset_s": header.clock_offset_s if log.clock_offset_s is None else log.clock_offset_s,
            "left_out": header.left_out + log.left_out,
        }
    )
    text = log.text.encode("utf-8", "replace")
    size = path.stat().st_size if path.exists() else 0
    if size + len(text) > most or len(changed.text()) != len(header.text()) or not size:
        _rewrite(path, changed, text, most // 2 if size + len(text) > most else most)
        return
    with secure_files.open_to_append(path) as file:
        file.write(text)
    if changed != header:
        with open(path, "r+b") as file:
            file.write(changed.text().encode())


def _header(path: Path) -> LogHeader | None:
    try:
        with path.open("rb") as file:
            return LogHeader.read(file.readline(1000).decode("utf-8", "replace"))
    except FileNotFoundError:
        return None


def _rewrite(path: Path, header: LogHeader, text: bytes, room: int) -> None:
    """Replace the file by its newest whole lines that fit into ``room`` bytes."""
    old = b""
    if path.exists():
        with path.open("rb") as file:
            first = file.readline()
            file.seek(max(len(first), os.fstat(file.fileno()).st_size - room))
            body_at = file.tell()
            old = file.read()
        if body_at > len(first):
            cut = old.find(b"\n") + 1
            header = header.model_copy(update={"left_out": header.left_out + body_at - len(first) + cut})
            old = old[cut:]
    body = old + text
    if len(body) > room:
        cut = body.find(b"\n", len(body) - room) + 1
        header = header.model_copy(update={"left_out": header.left_out + cut})
        body = body[cut:]
    secure_files.replace_bytes(path, header.text().encode() + b"\n" + body)
