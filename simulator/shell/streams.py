"""Define the streams from which commands read and to which they write."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from typing import Protocol

from manyhands.simulator.system.files import PhoneFiles

Buffer = bytes | bytearray | memoryview
MAX_INPUT = 64 << 20


class TooMuch(Exception):
    """Report that a line needs more work or memory than a virtual phone allows. The line ends; the message says why."""


class Reader(Protocol):
    async def read(self) -> bytes:
        """Return some bytes; b"" at the end."""


class Writer(Protocol):
    async def write(self, data: Buffer) -> None:
        """Write all of the bytes. Raises ConnectionError if nobody reads them any more."""


@dataclass(frozen=True, slots=True)
class Stdio:
    stdin: Reader
    stdout: Writer
    stderr: Writer


class BytesInput:
    """Provide given bytes as input."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def read(self) -> bytes:
        data, self._data = self._data, b""
        return data


class Collector:
    """Collect at most ``limit`` bytes of output, for pipes and for ``$(...)``."""

    def __init__(self, limit: int = MAX_INPUT) -> None:
        self.data = bytearray()
        self._limit = limit

    async def write(self, data: Buffer) -> None:
        """Keep the bytes. Raises TooMuch."""
        if len(self.data) + len(data) > self._limit:
            raise TooMuch(f"a virtual phone keeps at most {self._limit} bytes of output for a pipe or $(...)")
        self.data += data


class FileOutput:
    """Collect output for a file, and write it when ``close`` is called.

    The constructor empties or creates the file, unless ``append`` is given. It raises OSError if it cannot.
    """

    def __init__(self, files: PhoneFiles, path: str, *, append: bool) -> None:
        self._files = files
        self._path = path
        self._limit = files.capacity
        self._data = bytearray(files.read(path) if append and files.exists(path) else b"")
        files.write(path, bytes(self._data))

    async def write(self, data: Buffer) -> None:
        """Keep the bytes for the file. If they are too many, keep one more than fits, so that ``close`` fails."""
        self._data += memoryview(data)[: max(0, self._limit + 1 - len(self._data))]

    def close(self) -> None:
        """Write the file. Raises OSError if the phone's storage is full."""
        self._files.write(self._path, bytes(self._data))


async def read_all(reader: Reader, limit: int = MAX_INPUT) -> bytes:
    """Read everything until the end. Raises OSError if it is more than ``limit`` bytes."""
    data = bytearray()
    while piece := await reader.read():
        data += piece
        if len(data) > limit:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return bytes(data)
