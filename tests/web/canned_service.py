"""Play a service with a large fleet for the console: ``python -m tests.web.canned_service PHONES``.

It prints its URL. Time alone moves the fleet on: each phone shows another screen and stage at one update a second.
"""

from __future__ import annotations

import json
import mimetypes
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.web.canned_answers import CannedAnswers

CONSOLE = Path(__file__).parents[2] / "service" / "console"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
UPDATE_S = 1.0


class CannedHandler(BaseHTTPRequestHandler):
    """Answer the console's requests."""

    protocol_version = "HTTP/1.1"
    answers: CannedAnswers
    delay_s = 0.0

    def do_GET(self) -> None:
        """Answer with a file of the console, a stream, or a canned answer."""
        url = urlsplit(self.path)
        path = unquote(url.path)
        if path == "/api/v1/wall":
            self._stream(self.answers.wall(UPDATE_S))
        elif path == "/api/v1/events":
            self._stream(self.answers.events(UPDATE_S))
        elif path == "/api/v1/session":
            self._answer(200, self.answers.session(self._owner))
        elif path.startswith("/api/v1/"):
            query = {name: values[-1] for name, values in parse_qs(url.query).items()}
            self._answer(*self.answers.get(path.removeprefix("/api/v1"), query))
        else:
            self._file(path)

    def do_POST(self) -> None:
        """Answer a change."""
        size = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(size).decode()
        path = unquote(urlsplit(self.path).path).removeprefix("/api/v1")
        if path == "/session" and self.command == "POST":
            self.answers.owner = self._owner or self.answers.owner
        self._answer(*self.answers.post(path, body))

    do_PUT = do_POST
    do_DELETE = do_POST

    @property
    def _owner(self) -> str:
        """Return whose token the request has: a canned token is its owner's name."""
        return self.headers.get("Authorization", "").removeprefix("Bearer ")

    def _file(self, path: str) -> None:
        found = CONSOLE / path.lstrip("/")
        if not found.is_file():
            found = CONSOLE / "index.html"
        self._send(200, found.read_bytes(), mimetypes.guess_type(found.name)[0] or "text/plain")

    def _answer(self, status: int, value: Any) -> None:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        kind = "image/jpeg" if isinstance(value, bytes) else "application/json"
        self._send(status, b"" if status == 204 else body, kind)

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, parts: Iterator[str]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            for part in parts:
                self.wfile.write(part.encode())
                self.wfile.flush()
        except OSError:
            self.close_connection = True

    def log_message(self, *words: object) -> None:
        """Print nothing."""


def serve(phones: int, port: int = 0, hostile: bool = False) -> ThreadingHTTPServer:
    """Return a server that runs in the background."""
    handler = type("Handler", (CannedHandler,), {"answers": CannedAnswers(phones, hostile)})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


if __name__ == "__main__":
    running = serve(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0, "hostile" in sys.argv)
    sys.stdout.write(f"http://127.0.0.1:{running.server_address[1]}\n")
    sys.stdout.flush()
    threading.Event().wait()
