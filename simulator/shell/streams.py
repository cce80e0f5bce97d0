"""Where a command reads and writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from simulator.shell.files import PhoneFiles

Buffer = bytes | bytearray | memoryview
MAX_INPUT = 64 << 20


class Reader(Protocol):
    async def read(self) -> bytes:
        """Some bytes; b"" at the end."""


class Writer(Protocol):
    async def write(self, data: Buffer) -> None:
        """All of the bytes. Raises ConnectionError where nobody reads them any more."""


@dataclass(frozen=True, slots=True)
class Stdio:
    stdin: Reader
    stdout: Writer
    stderr: Writer


class NoInput:
    """/dev/null as input."""

    async def read(self) -> bytes:
        return b""


class NoOutput:
    """/dev/null as output."""

    async def write(self, data: Buffer) -> None:
        pass


class BytesInput:
    """Given bytes as input."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def read(self) -> bytes:
        data, self._data = self._data, b""
        return data


class Collector:
    """Output that is kept: for pipes and for ``$(...)``."""

    def __init__(self) -> None:
        self.data = bytearray()

    async def write(self, data: Buffer) -> None:
        self.data += data


class FileOutput:
    """Output into a file; the file has it when ``close`` is called. Raises OSError if it cannot be made."""

    def __init__(self, files: PhoneFiles, path: str, *, append: bool) -> None:
        self._files = files
        self._path = path
        self._data = bytearray(files.read(path) if append and files.exists(path) else b"")
        files.write(path, bytes(self._data))

    async def write(self, data: Buffer) -> None:
        self._data += data

    def close(self) -> None:
        """Raises OSError where the phone's storage is full."""
        self._files.write(self._path, bytes(self._data))


async def read_all(reader: Reader, limit: int = MAX_INPUT) -> bytes:
    """Everything until the end. Raises OSError where it is more than ``limit`` bytes."""
    data = bytearray()
    while piece := await reader.read():
        data += piece
        if len(data) > limit:
            raise OSError(f"more than {limit} bytes of input")
    return bytes(data)
