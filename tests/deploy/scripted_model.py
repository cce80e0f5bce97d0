"""A model server for tests: real HTTP and the real reply formats, replies made by a function of the request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from manyhands.protocol.roles.sections import Section, split_sections

Script = Callable[[str, Mapping[Section, str]], dict[str, Any]]
"""The reply type's name and the prompt's sections to a reply."""


NAME = "Qwen3-VL-scripted"
"""A model of a family that is known by its name."""
CROSS = "CrossReply"
"""The reply of a run's question about drawn crosses, which no script answers."""


@contextmanager
def scripted_model(script: Script, requests: list[bytes] | None = None) -> Iterator[str]:
    """Its URL, while the context is open. ``requests``: gets the body of each request."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send({"object": "list", "data": [{"id": NAME, "object": "model"}]})

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["content-length"]))
            if requests is not None:
                requests.append(data)
            body = json.loads(data)
            name = body["response_format"]["json_schema"]["name"]
            reply = {"x": 0, "y": 0} if name == CROSS else script(name, split_sections(_text(body)))
            message = {"role": "assistant", "content": json.dumps(reply, ensure_ascii=False)}
            self._send(
                {
                    "id": "1",
                    "object": "chat.completion",
                    "created": 1,
                    "model": NAME,
                    "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                }
            )

        def _send(self, value: dict[str, Any]) -> None:
            data = json.dumps(value).encode()
            with suppress(BrokenPipeError, ConnectionResetError):  # a run that was killed waits no more
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()


def _text(body: dict[str, Any]) -> str:
    """All text of a chat request, one part after another."""
    parts: list[str] = []
    for message in body["messages"]:
        content = message["content"]
        parts += [content] if isinstance(content, str) else [part["text"] for part in content if part["type"] == "text"]
    return "\n".join(parts)
