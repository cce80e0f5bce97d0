"""Make tokens for the answers of stand-ins. The tokenizer is made up: no model has these ids.

A text is cut into as many pieces as the stand-in counts tokens, and an id is a hash of its piece. All places of
pictures have the id ``PICTURE``, as in the Qwen family.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PICTURE = 151_655
"""The id of a picture's place (Qwen3-VL's ``<|image_pad|>``)."""
WEIGHTS = "made"
"""The version of the weights of a stand-in, which has none."""


def asks_tokens(body: Mapping[str, Any]) -> bool:
    """Return whether a request asks for tokens, as vLLM is asked."""
    return bool(body.get("return_token_ids") and body.get("logprobs"))


def made_ids(text: str, count: int) -> list[int]:
    """Return ``count`` ids for a text. Equal texts have equal ids."""
    data = text.encode("utf-8", "surrogatepass")
    pieces = (data[len(data) * place // count : len(data) * (place + 1) // count] for place in range(count))
    return [zlib.crc32(piece) % PICTURE for piece in pieces]


@dataclass(frozen=True, slots=True)
class MadeTokens:
    """Hold the tokens of an answer in vLLM's form."""

    prompt: list[int]
    reply: list[int]

    def fields(self, start: int = 0, end: int | None = None) -> dict[str, Any]:
        """Return the fields of a choice, for a part of the reply."""
        ids = self.reply[start:end]
        content: list[dict[str, Any]] = [
            {"token": f"token_id:{id}", "logprob": -(id % 1000) / 1000, "bytes": None, "top_logprobs": []} for id in ids
        ]
        return {"token_ids": ids, "logprobs": {"content": content}}

    @property
    def weights(self) -> dict[str, Any]:
        """Return the version of the weights, which ends a choice."""
        return {"weight_versions": [{"version": WEIGHTS, "start": 0, "end": len(self.reply)}]}
