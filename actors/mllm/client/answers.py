"""A server's answers: the parts of a chat completion that we read, and advice on refusals."""

from __future__ import annotations

import re

from pydantic import BaseModel, Field, ValidationError

from manyhands.protocol.errors import ModelRefused
from manyhands.protocol.messages import Usage

_ADVICE = (
    (
        re.compile(
            r"at most 0 image|not (a )?multimodal|image input is not supported|not support (image|vision)", re.I
        ),
        "this model sees no pictures, serve one that does, such as Qwen3-VL",
    ),
    (
        re.compile(r"at most \d+ image", re.IGNORECASE),
        "start the server with a higher --limit-mm-per-prompt; a prompt shows up to 2 pictures",
    ),
    (
        re.compile(r"maximum (context|model) length", re.IGNORECASE),
        "start the server with a longer --max-model-len, or with a lower pixel cap, which makes pictures shorter",
    ),
)
"""What to do about a refusal that another attempt does not change, by vLLM's message."""


class _Message(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Cached(BaseModel):
    cached_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)
    prompt_tokens_details: _Cached | None = None


class ChatCompletion(BaseModel):
    """Hold a chat completion with at least one choice."""

    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None

    @property
    def text(self) -> str:
        """Return the answer; empty if the server sent none."""
        return self.choices[0].message.content or ""

    @property
    def cut_off(self) -> bool:
        """Return whether the answer ended at max_tokens."""
        return self.choices[0].finish_reason == "length"

    def counted(self) -> Usage:
        """Return the tokens that the server reports; zeros if it reports none."""
        if self.usage is None:
            return Usage()
        details = self.usage.prompt_tokens_details
        return Usage(
            input_tokens=self.usage.prompt_tokens,
            output_tokens=self.usage.completion_tokens,
            cached_tokens=(details.cached_tokens if details else None) or 0,
        )


class ModelList(BaseModel):
    """Hold the answer to GET models."""

    class _Model(BaseModel):
        id: str

    data: list[_Model] = Field(min_length=1)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(model.id for model in self.data)


def read_completion(url: str, body: str) -> ChatCompletion:
    """Parse a body. Raises ModelRefused if it is not a chat completion."""
    try:
        return ChatCompletion.model_validate_json(body)
    except ValidationError:
        raise ModelRefused(
            f"{url} answered with something other than a chat completion; is it an OpenAI-compatible server?"
        ) from None


def advice(message: str) -> str:
    """Return what to do about a server's refusal, to be appended to its message; empty for an unknown message."""
    return next((f": {what_to_do}" for pattern, what_to_do in _ADVICE if pattern.search(message)), "")
