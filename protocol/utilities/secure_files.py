"""Make files and folders that only their owner can read, because screens, goals and replies are private.

A new file gets these permissions, whatever the process's umask is. An existing file keeps its own permissions unless it
is restricted. Databases are restricted when they are opened, because a copy has the permissions of the umask.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import BinaryIO, TextIO

FILE_MODE = 0o600
FOLDER_MODE = 0o700
COMPANIONS = ("", "-wal", "-shm")
"""What SQLite appends to a database's name for its files. SQLite gives further files the permissions of the
first one."""


def make_folder(folder: Path, *, exist_ok: bool = True, parents: bool = True) -> None:
    """Make a folder that only its owner can enter. Folders above it follow the umask. Raises OSError."""
    folder.mkdir(mode=FOLDER_MODE, parents=parents, exist_ok=exist_ok)


def make_untracked_folder(folder: Path) -> None:
    """Make a folder with ``make_folder``, and let git ignore what it will hold. Raises OSError."""
    make_folder(folder)
    ignore_in_git(folder)


def ignore_in_git(folder: Path) -> None:
    """Write a file into a folder by which git ignores all of it: ``git add .`` above it then commits nothing private.

    A folder that already holds something stays as it is. Raises OSError.
    """
    if not any(folder.iterdir()):
        (folder / ".gitignore").write_text("# Manyhands made this folder. It is private.\n*\n", encoding="utf-8")


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, and replace an existing one. Raises OSError."""
    with open_to_write(path) as file:
        file.write(content)


def write_text(path: Path, text: str) -> None:
    """Write a file of UTF-8 text with ``write_bytes``. Raises OSError."""
    write_bytes(path, text.encode("utf-8"))


def replace_text(path: Path, text: str) -> None:
    """Write a file of UTF-8 text with ``replace_bytes``. Raises OSError."""
    replace_bytes(path, text.encode("utf-8"))


def replace_bytes(path: Path, content: bytes) -> None:
    """Write a file completely or not at all. Until it is complete, also after a crash, readers see the old file.

    Raises OSError.
    """
    part = part_path(path)
    try:
        with open_to_write(part) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def part_path(path: Path) -> Path:
    """Return where this process writes a file or a folder, before it takes the place of ``path``."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def make_file(path: Path) -> None:
    """Make an empty file if there is none. Raises OSError."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE))


def restrict(path: Path) -> None:
    """Take all permissions of others from a file, if it exists and is ours. Leave the files of other users alone.

    The permissions are changed by path, because opening and closing a database that this process uses would drop
    SQLite's locks. Raises OSError.
    """
    with contextlib.suppress(FileNotFoundError):
        status = path.stat()
        mode = stat.S_IMODE(status.st_mode)
        if mode & ~FILE_MODE and status.st_uid == os.geteuid():
            path.chmod(mode & FILE_MODE)


def restrict_database(path: Path) -> None:
    """Take all permissions of others from an SQLite database and the files beside it. Raises OSError."""
    for ending in COMPANIONS:
        restrict(Path(f"{path.resolve()}{ending}"))


def open_to_write(path: Path) -> BinaryIO:
    """Open a file for writing, and empty it. Raises OSError."""
    return open(path, "wb", opener=_opened)


def open_to_append(path: Path) -> BinaryIO:
    """Open a file for writing at its end, such as a log. Raises OSError."""
    return open(path, "ab", opener=_opened)


def open_new_text(path: Path) -> TextIO:
    """Open a UTF-8 file that must not exist yet. Raises OSError."""
    return open(path, "x", opener=_opened, encoding="utf-8")


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags, FILE_MODE)
