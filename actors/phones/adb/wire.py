"""Exchange one request with an adb server over a blocking connection that another thread can abort.

This module uses a socket of its own instead of adbutils' connection. The connection of adbutils sleeps on closing,
copies all data read so far with every 4096 bytes, and starts an adb server on the default port if the given server is
down.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time

import numpy as np

from manyhands.actors.phones.adb.shell import AnswerLost, PhoneUnreached, ServerDown, ShellResult
from manyhands.protocol.errors import PhoneLost

FIRST_BUFFER_BYTES = 1 << 16
_AT_ONCE_BYTES = 1 << 14
"""How much of an answer is read at a time, if it has arrived. The parts of an answer are short, and each read wakes the
thread."""
CONNECT_TIMEOUT_S = 3.0
"""The time limit for connecting: the server is on this machine or near it."""
_STDOUT, _STDERR, _EXIT = 1, 2, 3


class Exchange:
    """Send one request to the adb server, or through it to one phone. One thread uses it; any thread may ``abort``.

    ``deadline`` is in seconds of ``time.monotonic``.
    """

    def __init__(self, host: str, port: int, deadline: float) -> None:
        self._where = f"{host}:{port}"
        self._address = (host, port)
        self._deadline = deadline
        self._guard = threading.Lock()
        self._socket: socket.socket | None = None
        self._aborted = False
        self._sent = False
        self._come = bytearray()
        """Bytes that arrived before they were asked for."""
        self._buffer = memoryview(bytearray(_AT_ONCE_BYTES))

    def abort(self) -> None:
        """End the exchange from another thread; calls that wait in it end with an error."""
        with self._guard:
            self._aborted = True
            if self._socket is not None:
                with contextlib.suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with self._guard:
            if self._socket is not None:
                self._socket.close()
                self._socket = None

    # ------------------------------------------------------------------ requests
    def ask_server(self, request: str) -> str:
        """Return the block of text that answers a ``host:`` request."""
        self._connect()
        self._request(request)
        return self._block()

    def open(self, serial: str, service: str) -> None:
        """Open a service of a phone. From then on the phone may act. Raises Unreached, AnswerLost."""
        self._connect()
        try:
            self._request(f"host:tport:serial:{serial}")
            self._exactly(8)  # the transport's id
        except AnswerLost as error:
            raise PhoneUnreached(str(error)) from error
        self._sent = True
        self._request(service)

    def read_shell(self) -> ShellResult:
        """Read the packets of a ``shell,v2`` service up to its exit status. Raises AnswerLost if there is no status."""
        parts: dict[int, bytearray] = {_STDOUT: bytearray(), _STDERR: bytearray()}
        while True:
            header = self._exactly(5)
            data = self._exactly(int.from_bytes(header[1:], "little"))
            if header[0] == _EXIT:
                return ShellResult(bytes(parts[_STDOUT]), bytes(parts[_STDERR]), data[0])
            if header[0] in parts:
                parts[header[0]] += data

    def read_all(self, expected: int = FIRST_BUFFER_BYTES) -> memoryview:
        """Return all bytes until the other side closes; they may be incomplete. ``expected`` sizes the buffer."""
        buffer = np.empty(max(expected + 1, FIRST_BUFFER_BYTES), np.uint8)
        filled = len(self._come)  # this is less than the buffer holds
        buffer[:filled] = self._come
        while count := self._receive(buffer[filled:].data, socket.MSG_WAITALL):
            filled += count
            if filled == buffer.size:
                buffer = np.concatenate([buffer, np.empty_like(buffer)])
        return buffer[:filled].data

    # ------------------------------------------------------------------ bytes
    def _connect(self) -> None:
        try:
            connected = socket.create_connection(self._address, CONNECT_TIMEOUT_S)
        except OSError as error:
            raise ServerDown(f"no adb server answers at {self._where}; start one with 'adb start-server'") from error
        connected.setblocking(True)
        with self._guard:
            self._socket = connected
            if self._aborted:
                connected.shutdown(socket.SHUT_RDWR)

    def _request(self, request: str) -> None:
        data = request.encode("utf-8")
        if len(data) > 0xFFFF:
            raise PhoneUnreached(f"a request of {len(data)} bytes is more than an adb server takes (65535)")
        try:
            self._ready(socket.SO_SNDTIMEO).sendall(b"%04x" % len(data) + data)
        except OSError as error:
            raise self._lost(f"sending failed: {error}") from error
        answer = self._exactly(4)
        if answer == b"FAIL":
            raise self._lost(self._block())
        if answer != b"OKAY":
            raise self._lost(f"the adb server answered {bytes(answer)!r}")

    def _block(self) -> str:
        try:
            length = int(self._exactly(4), 16)
        except ValueError as error:
            raise self._lost(f"the adb server answered no length: {error}") from error
        return self._exactly(length).decode("utf-8", "replace")

    def _exactly(self, count: int) -> bytes:
        while len(self._come) < count:
            received = self._receive(self._buffer)
            if not received:
                raise self._lost("the answer ended before it was whole")
            self._come += self._buffer[:received]
        data = bytes(self._come[:count])
        del self._come[:count]
        return data

    def _receive(self, view: memoryview, flags: int = 0) -> int:
        """Fill ``view`` with arrived bytes; With MSG_WAITALL, fill it completely unless the answer ends.

        Raises PhoneLost.
        """
        try:
            return self._ready(socket.SO_RCVTIMEO).recv_into(view, 0, flags)
        except BlockingIOError as error:
            raise self._lost("no answer within the time limit") from error
        except OSError as error:
            raise self._lost(f"the connection broke: {error}") from error

    def _ready(self, limit: int) -> socket.socket:
        """Return the connection; the remaining time is its limit for sending or receiving."""
        connection, remaining = self._socket, self._deadline - time.monotonic()
        if connection is None or remaining <= 0:
            raise self._lost("no answer within the time limit")
        # Python's own time limits poll before each read, and so a socket with such a limit never waits until a buffer
        # is full.
        connection.setsockopt(
            socket.SOL_SOCKET, limit, struct.pack("ll", int(remaining), max(1, int(remaining % 1 * 1e6)))
        )
        return connection

    def _lost(self, reason: str) -> PhoneLost:
        if self._aborted:
            reason = "the call was cancelled"
        return AnswerLost(reason) if self._sent else PhoneUnreached(reason)
