"""Serve ``sync:``: stat, list, pull and push of the phone's own files.

A request is an id of four letters, a length (u32, little-endian), and that many bytes. adbutils reads each STAT answer
and each DENT header with one recv(), so each is sent in its own packet.
"""

from __future__ import annotations

import errno
import os
import posixpath
import stat
import struct

from manyhands.simulator.adbd.stream import Stream
from manyhands.simulator.system.files import FILE_MODE, Entry, PhoneFiles

WORD = struct.Struct("<I")
STAT = struct.Struct("<4s3I")
DENT = struct.Struct("<4s4I")
MAX_CHUNK = 1 << 16
MAX_PATH = 1 << 12


class SyncReader:
    """Read exact numbers of bytes from a stream, whose packets may cut requests anywhere."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._rest = bytearray()

    async def exactly(self, count: int) -> bytes:
        """Return ``count`` bytes. Raises EOFError if the host closes the stream before."""
        while len(self._rest) < count:
            piece = await self._stream.read()
            if not piece:
                raise EOFError
            self._rest += piece
        data = bytes(self._rest[:count])
        del self._rest[:count]
        return data

    async def request(self) -> tuple[bytes, int]:
        """Return the id and the number of the next request."""
        header = await self.exactly(8)
        return header[:4], WORD.unpack_from(header, 4)[0]


async def sync_service(files: PhoneFiles, stream: Stream) -> None:
    """Answer requests until QUIT, the end of the stream, or something that is not sync."""
    reader = SyncReader(stream)
    try:
        while True:
            name, length = await reader.request()
            if name == b"QUIT":
                return
            if length > MAX_PATH:
                await fail(stream, "path too long")
                return
            path = (await reader.exactly(length)).decode("utf-8", "surrogateescape")
            if name == b"STAT":
                await stream.write_packet(describe(files, path))
            elif name == b"LIST":
                await list_directory(files, stream, path)
            elif name == b"RECV":
                await send_file(files, stream, path)
            elif name == b"SEND":
                await receive_file(files, stream, reader, path)
            else:
                await fail(stream, f"unknown sync request {name!r}")
                return
    except EOFError:
        return


async def fail(stream: Stream, text: str) -> None:
    data = text.encode()
    await stream.write_packet(b"FAIL" + WORD.pack(len(data)) + data)


# ---------------------------------------------------------------------------- stat and list
def mode_of(entry: Entry) -> int:
    """Return the mode with a file type. By the type, adb decides whether to pull a directory."""
    return entry.mode if stat.S_IFMT(entry.mode) else entry.mode | stat.S_IFREG


def describe(files: PhoneFiles, path: str) -> bytes:
    """Return the STAT answer: mode, size, mtime; all 0 for a missing file."""
    try:
        entry = files.entry(path)
    except OSError:
        return STAT.pack(b"STAT", 0, 0, 0)
    return STAT.pack(b"STAT", mode_of(entry), entry.size & 0xFFFFFFFF, entry.mtime & 0xFFFFFFFF)


async def list_directory(files: PhoneFiles, stream: Stream, path: str) -> None:
    """Send DENT for each entry, then DONE. A missing directory has no entries."""
    try:
        children = files.children(path)
    except OSError:
        children = []
    for name, entry in children:
        data = name.encode("utf-8", "surrogateescape")
        header = DENT.pack(b"DENT", mode_of(entry), entry.size & 0xFFFFFFFF, entry.mtime & 0xFFFFFFFF, len(data))
        await stream.write_packet(header + data)
    await stream.write_packet(b"DONE" + bytes(16))


# ---------------------------------------------------------------------------- pull and push
async def send_file(files: PhoneFiles, stream: Stream, path: str) -> None:
    """Send a file as DATA chunks of at most 64 KiB, several in a packet, then DONE."""
    try:
        data = files.read(path)
    except OSError as error:
        await fail(stream, f"open failed: {error.strerror}")
        return
    batch = bytearray()
    for start in range(0, len(data), MAX_CHUNK):
        chunk = data[start : start + MAX_CHUNK]
        batch += b"DATA" + WORD.pack(len(chunk)) + chunk
        if len(batch) + MAX_CHUNK + 8 > stream.max_payload:
            await stream.write(bytes(batch))
            batch.clear()
    await stream.write(bytes(batch) + b"DONE" + WORD.pack(0))


async def receive_file(files: PhoneFiles, stream: Stream, reader: SyncReader, target: str) -> None:
    """Receive a file: ``path,mode``, DATA chunks, DONE with the mtime. Make missing directories.

    If the push must be refused, read it to its end first.
    """
    path, _, mode = target.rpartition(",")
    refusal: str | None = None
    if not path or not mode.isdecimal():
        refusal = f"not a path and a mode: {target}"
    elif stat.S_ISLNK(int(mode)):
        refusal = "couldn't create symlink: " + os.strerror(errno.EPERM)
    elif not files.is_writable(path):
        refusal = "couldn't create file: " + os.strerror(errno.EACCES)
    data = bytearray()
    while True:
        name, number = await reader.request()
        if name == b"DONE":
            break
        if name != b"DATA" or number > MAX_CHUNK:
            await fail(stream, f"unexpected {name!r} with {number} bytes in a push")
            raise EOFError
        chunk = await reader.exactly(number)
        if refusal is None:
            data += chunk
        if len(data) > files.capacity:
            refusal = "write failed: " + os.strerror(errno.ENOSPC)
            data.clear()
    if refusal is None:
        try:
            files.make_directory(posixpath.dirname(files.resolve(path)), parents=True)
            files.write(path, bytes(data), FILE_MODE | (int(mode) & 0o777), number)
        except OSError as error:
            refusal = f"couldn't create file: {error.strerror}"
    if refusal is not None:
        await fail(stream, refusal)
    else:
        await stream.write_packet(b"OKAY" + WORD.pack(0))
