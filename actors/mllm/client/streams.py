"""Read a streamed chat completion: server-sent events, each with a few more characters of the reply."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from manyhands.actors.mllm.client.errors import InvalidAnswer, error_in_answer, error_message, read_json

STREAMED = {"stream": True, "stream_options": {"include_usage": True}}
"""The fields of a request for a streamed answer with its usage (OpenAI's API; vLLM has them too)."""
EVENT_STREAM = "text/event-stream"
_DONE = "[DONE]"


class CompletionStream:
    """Put the pieces of a streamed answer together. ``feed`` gets the bytes; ``body`` is what a plain answer holds."""

    def __init__(self, url: str, tell: Callable[[str], None]) -> None:
        """Call ``tell`` with each piece of the reply. ``url`` names the server in errors."""
        self._url = url
        self._tell = tell
        self._rest = b""
        self._texts: list[str] = []
        self._reasoning: list[str] = []
        self._finish_reason: Any = None
        self._usage: Any = None
        self._is_over = False

    def feed(self, piece: bytes) -> None:
        """Read some bytes. Raise InvalidAnswer for what is no event of a completion, RequestFailed for an error."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            name, _, value = line.decode("utf-8", "replace").rstrip("\r").partition(":")
            if name == "data":
                self._read(value.strip())

    def body(self) -> str:
        """Return the answer as a plain answer would hold it. Raises InvalidAnswer if its end is missing."""
        if not self._is_over and self._finish_reason is None:
            raise InvalidAnswer(f"{self._url} ended its answer in the middle")
        message = {"content": "".join(self._texts)}
        if self._reasoning:
            message["reasoning_content"] = "".join(self._reasoning)
        choice = {"message": message, "finish_reason": self._finish_reason}
        return json.dumps({"choices": [choice], "usage": self._usage})

    def _read(self, data: str) -> None:
        if data == _DONE:
            self._is_over = True
            return
        try:
            event = read_json(data)
        except ValueError:
            raise InvalidAnswer(f"{self._url} streamed something other than JSON") from None
        if not isinstance(event, dict):
            raise InvalidAnswer(f"{self._url} broke its answer off: {error_message(data)}")
        if event.get("error"):
            raise error_in_answer(f"{self._url} broke its answer off", event)
        self._usage = event.get("usage") or self._usage
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return
        self._finish_reason = choice.get("finish_reason") or self._finish_reason
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(reasoning, str):
            self._reasoning.append(reasoning)
        text = delta.get("content")
        if isinstance(text, str) and text:
            self._texts.append(text)
            self._tell(text)
