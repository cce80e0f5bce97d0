"""Files and folders that only their owner can read: screens, goals and replies are nobody else's business.

Permissions are given when a file is made, whatever the process's umask is. A file that is already there keeps its own.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, TextIO

FILE_MODE = 0o600
FOLDER_MODE = 0o700


def make_folder(folder: Path, *, exist_ok: bool = True) -> None:
    """Make a folder that only its owner can enter; those above it are made by the umask. Raises OSError."""
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=exist_ok)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, in place of one that is there. Raises OSError."""
    with open_to_write(path) as file:
        file.write(content)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 as ``write_bytes`` does. Raises OSError."""
    write_bytes(path, text.encode("utf-8"))


def replace_text(path: Path, text: str) -> None:
    """Write a text whole or not at all: who reads meanwhile, or after a crash, has the old one. Raises OSError."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open_to_write(part) as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def open_to_write(path: Path) -> BinaryIO:
    """Open a file that is empty at first. Raises OSError."""
    return open(path, "wb", opener=_opened)


def open_to_append(path: Path) -> BinaryIO:
    """Open a file that goes on where it ended, e.g. a log. Raises OSError."""
    return open(path, "ab", opener=_opened)


def open_new_text(path: Path) -> TextIO:
    """Open a UTF-8 file that must not be there yet. Raises OSError."""
    return open(path, "x", opener=_opened, encoding="utf-8")


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags, FILE_MODE)
