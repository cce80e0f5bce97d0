"""Read the tokens of an answer: ids of prompt and reply, log probabilities, versions of the weights.

Sources: vLLM 0.33, ``entrypoints/openai/chat_completion/``; SGLang 0.5.23, ``srt/entrypoints/openai/``.
"""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from manyhands.actors.mllm.client.answers import ChatCompletion
from manyhands.actors.mllm.client.errors import TokensMissing
from manyhands.protocol.messages import CallTokens, WeightSpan

_MOST_SPANS = 1000
_PLACES = 16
"""The fewest places of a picture of the usual size in a row. They have one id; a picture that was not expanded has one
place."""


class _Token(BaseModel):
    logprob: float = Field(ge=-1e30, le=1e30)


_IDS = TypeAdapter(list[Annotated[int, Field(ge=0, lt=2**32, strict=True)]])
_TOKENS = TypeAdapter(list[_Token])
_SPANS = TypeAdapter(Annotated[tuple[WeightSpan, ...], Field(max_length=_MOST_SPANS)])


def read_tokens(url: str, answer: ChatCompletion) -> CallTokens:
    """Return the tokens of a call. Raises TokensMissing."""
    choice = answer.choices[0]
    content = choice.logprobs.get("content") if isinstance(choice.logprobs, dict) else None
    try:
        prompt = _IDS.validate_python(answer.prompt_token_ids or choice.prompt_token_ids)
        reply = _IDS.validate_python(choice.response_token_ids if choice.token_ids is None else choice.token_ids)
        logprobs = [token.logprob for token in _TOKENS.validate_python(content)]
    except ValidationError:
        prompt, reply, logprobs = [], [], []
    if not prompt or len(reply) != len(logprobs):
        raise TokensMissing(
            f"{url} does not tell the ids of all tokens with their log probabilities, which record_tokens needs; vLLM "
            "and SGLang do"
        )
    return CallTokens.pack(prompt, reply, logprobs)


def check_places(url: str, tokens: CallTokens, pictures: int) -> None:
    """Raise TokensMissing if the ids of a prompt with ``pictures`` do not hold a picture's places, all of them."""
    longest = max(len(list(places)) for _, places in groupby(tokens.prompt_ids))
    if pictures and longest < _PLACES:
        raise TokensMissing(
            f"{url} tells the ids of a prompt without the places of its pictures, so record_tokens cannot be used there"
        )


def read_weights(answer: ChatCompletion) -> tuple[WeightSpan, ...]:
    """Return the versions of the weights that wrote the reply; none if the server does not tell valid ones."""
    spans: Any = answer.choices[0].weight_versions
    if spans is None and isinstance(answer.metadata, dict):
        spans = answer.metadata.get("weight_versions")
        if spans is None and "weight_version" in answer.metadata:
            end = answer.counted().output_tokens
            spans = [{"version": answer.metadata["weight_version"], "start": 0, "end": end}]
    try:
        return _SPANS.validate_python(spans or ())
    except ValidationError:
        return ()
