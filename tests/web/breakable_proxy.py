"""A way between a browser and a server that a test breaks and mends, as networks do."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class BreakableProxy:
    """Passes connections on to a server. ``freeze`` and ``cut`` break the way, ``mend`` opens it again."""

    def __init__(self, server: int) -> None:
        self._server = server
        self._open = threading.Event()
        self._open.set()
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = self._listen(0)
        self.port: int = self._listener.getsockname()[1]

    def freeze(self) -> None:
        """Take whatever is sent, and pass nothing on: connections stand, and nobody answers."""
        self._open.clear()

    def cut(self) -> None:
        """Close all connections and the port: new ones are refused."""
        _end(self._listener)
        self._drop()

    def mend(self) -> None:
        """Open the port again. What went into a frozen way is lost, with its connections."""
        self._drop()
        self._open.set()
        if self._listener.fileno() < 0:
            self._listener = self._listen(self.port)

    def close(self) -> None:
        """End all of it."""
        self.cut()
        self._open.set()

    def _listen(self, port: int) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        return listener

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                browser, _ = listener.accept()
                threading.Thread(target=self._connect, args=(browser,), daemon=True).start()

    def _connect(self, browser: socket.socket) -> None:
        try:
            server = socket.create_connection(("127.0.0.1", self._server))
        except OSError:
            browser.close()
            return
        with self._lock:
            self._sockets |= {browser, server}
        for source, target in ((browser, server), (server, browser)):
            threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while part := source.recv(65536):
                self._open.wait()
                target.sendall(part)
        for one in (source, target):
            _end(one)
        with self._lock:
            self._sockets -= {source, target}

    def _drop(self) -> None:
        with self._lock:
            for one in self._sockets:
                _end(one)


def _end(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
