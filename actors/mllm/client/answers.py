"""What a server answers: the parts of a chat completion that we read, and what an error of it means for us."""

from __future__ import annotations

import re

import openai
from pydantic import BaseModel, Field, ValidationError

from manyhands.protocol.errors import ModelRefused
from manyhands.protocol.messages import Usage

RETRIED_STATUS = frozenset({408, 429, 500, 502, 503, 504})
"""Answers after which the same request may succeed. A model call changes nothing, so sending it again is safe."""
TOO_BUSY = frozenset({429, 503})
"""... because the server has too much to do (vLLM: 503 when --max-num-queued-reqs wait)."""
_LONGEST_MESSAGE = 300
_PRIORITY = re.compile(r"\bpriority\b", re.IGNORECASE)
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
"""What to do about an answer that another try does not mend, by vLLM's words."""


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
    """A chat completion with at least one choice."""

    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None

    @property
    def text(self) -> str:
        """The answer; empty where the server sent none."""
        return self.choices[0].message.content or ""

    @property
    def cut_off(self) -> bool:
        """Whether the answer ended at max_tokens."""
        return self.choices[0].finish_reason == "length"

    def counted(self) -> Usage:
        """Tokens as the server says; zeros where it says nothing."""
        if self.usage is None:
            return Usage()
        details = self.usage.prompt_tokens_details
        return Usage(
            input_tokens=self.usage.prompt_tokens,
            output_tokens=self.usage.completion_tokens,
            cached_tokens=(details.cached_tokens if details else None) or 0,
        )


class ModelList(BaseModel):
    """The answer to GET models."""

    class _Model(BaseModel):
        id: str

    data: list[_Model] = Field(min_length=1)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(model.id for model in self.data)


def read_completion(url: str, body: str) -> ChatCompletion:
    """Raises ModelRefused for a body that is no chat completion."""
    try:
        return ChatCompletion.model_validate_json(body)
    except ValidationError:
        raise ModelRefused(
            f"{url} answered something that is no chat completion; is it an OpenAI-compatible server?"
        ) from None


def retried(error: openai.APIError) -> bool:
    """Whether another try, here or at another server, may help."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code in RETRIED_STATUS
    return isinstance(error, openai.APIConnectionError)


def retry_after_s(error: openai.APIError) -> float | None:
    """The seconds of a Retry-After header; None where there is none (dates are not read)."""
    if not isinstance(error, openai.APIStatusError):
        return None
    try:
        return max(0.0, float(error.response.headers.get("retry-after", "")))
    except ValueError:
        return None


def priority_refused(error: openai.APIError) -> bool:
    """Whether a server says that it takes no priority: its scheduling policy is another, or it knows no such field."""
    if not isinstance(error, openai.APIStatusError) or error.status_code not in (400, 422):
        return False
    return _PRIORITY.search(error.message) is not None


def advice(said: str) -> str:
    """What to do about a server's refusal, to follow its words; empty where they are not known."""
    return next((f": {todo}" for words, todo in _ADVICE if words.search(said)), "")


def described(url: str, error: openai.APIError) -> str:
    """One bounded line about a failed attempt, in characters that a journal can hold."""
    if isinstance(error, openai.APIStatusError):
        words = error.message.removeprefix(f"Error code: {error.status_code}").removeprefix(" - ")
        said = f"{url} answered {error.status_code}" + (f": {words}" if words else "")
    elif isinstance(error, openai.APITimeoutError):
        said = f"{url} did not answer in time"
    else:
        said = f"{url} cannot be reached: {error.__cause__ or error.message}"
    return " ".join(said.split())[:_LONGEST_MESSAGE].encode("utf-8", "replace").decode("utf-8")
