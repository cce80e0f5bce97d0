"""Read a server's answers: the parts of a chat completion that we use, and its tokens. Give advice on refusals.

Sources on tokens: vLLM 0.33, ``entrypoints/openai/chat_completion/``; SGLang 0.5.23, ``srt/entrypoints/openai/``.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, TypeAdapter, ValidationError

from manyhands.actors.mllm.client.errors import InvalidAnswer, TokensMissing, error_in_answer, read_json
from manyhands.protocol.messages import CallTokens, Usage, WeightSpan

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


_ADVICE = (
    (
        re.compile(r"redirects to"),
        "redirects are not followed, name the address that answers by itself",
    ),
    (
        re.compile(
            r"at most 0 image|not (a )?multimodal|image input is not supported|not support (image|vision)", re.I
        ),
        "this model sees no pictures, serve one that does, such as Qwen3-VL",
    ),
    (
        re.compile(r"at most \d+ image", re.IGNORECASE),
        "start the server with a higher --limit-mm-per-prompt; a prompt shows up to 2 pictures, a chat chat_pictures",
    ),
    (
        re.compile(r"maximum (context|model) length", re.IGNORECASE),
        "start the server with a longer --max-model-len, or with a lower pixel cap, which makes pictures shorter",
    ),
)
"""Advice on refusals that another attempt would not change, by the server's message (mostly vLLM's)."""


_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_MOST_TOKENS = 10**9
"""A limit above the tokens of any request. A larger figure does not count as a number of tokens."""
_MOST_MODELS = 100
_LONGEST_ROOT = 1000


def _whole(text: Any) -> Any:
    """Replace unpaired surrogates. JSON may escape them, but UTF-8 cannot encode them."""
    return _HALF_CHARACTER.sub("\ufffd", text) if isinstance(text, str) else text


def _first(count: int) -> BeforeValidator:
    """Return a validator that keeps the first ``count`` items of a list."""
    return BeforeValidator(lambda items: items[:count] if isinstance(items, list) else items)


class _Message(BaseModel):
    content: Annotated[str | None, BeforeValidator(_whole)] = None
    reasoning_content: Any = None
    reasoning: Any = None
    """Where servers put what they take for reasoning: the older name, and vLLM's newer one."""


class _Choice(BaseModel):
    message: _Message
    finish_reason: Any = None
    logprobs: Any = None
    token_ids: Any = None
    weight_versions: Any = None
    response_token_ids: Any = None
    prompt_token_ids: Any = None
    """SGLang's names for the ids of the reply and of the prompt; vLLM has those of the prompt beside the choices."""


class ChatCompletion(BaseModel):
    """Hold a chat completion with at least one choice."""

    choices: Annotated[list[_Choice], Field(min_length=1), _first(1)]
    usage: Any = None
    """As the server reports it. Only figures depend on it, so an invalid value does not make the answer invalid."""
    prompt_token_ids: Any = None
    metadata: Any = None
    """Where SGLang puts the versions of the weights."""

    @property
    def text(self) -> str:
        """Return the answer; empty if the server sent none."""
        return self.choices[0].message.content or ""

    @property
    def text_with_thoughts(self) -> str:
        """Return the answer behind the thoughts that the server has split off, as the model wrote both."""
        _, thoughts = self._thoughts
        return f"<think>{thoughts}</think>\n{self.text}" if thoughts and "<think>" not in self.text else self.text

    @property
    def misplacement(self) -> str:
        """Return where the answer is if it is not in the content, and what to do about that; else an empty text."""
        name, thoughts = self._thoughts
        if not thoughts or self.text.strip():
            return ""
        return (
            f"the answer is empty: the server put all that the model wrote into {name!r}; start vLLM without "
            "--reasoning-parser, or with the parser of this model"
        )

    @property
    def _thoughts(self) -> tuple[str, str]:
        """Return what the server takes for reasoning, and the name of its field; empty texts without any."""
        message = self.choices[0].message
        fields = {"reasoning_content": message.reasoning_content, "reasoning": message.reasoning}
        texts = ((name, _whole(text)) for name, text in fields.items() if isinstance(text, str) and text.strip())
        return next(texts, ("", ""))

    @property
    def cut_off(self) -> bool:
        """Return whether the answer was cut off at max_tokens."""
        return bool(self.choices[0].finish_reason == "length")

    @property
    def broken_off(self) -> bool:
        """Return whether the server broke the answer off: vLLM and SGLang do that to requests in flight in a pause."""
        return bool(self.choices[0].finish_reason == "abort")

    @property
    def cached_tokens(self) -> int | None:
        """Return how many tokens of the prompt were cached; None if the server does not tell."""
        figure = _field(_field(self.usage, "prompt_tokens_details"), "cached_tokens")
        return None if figure is None else _tokens(figure)

    def counted(self) -> Usage:
        """Return the tokens that the server reports. A missing or invalid figure counts as 0."""
        return Usage(
            input_tokens=_tokens(_field(self.usage, "prompt_tokens")),
            output_tokens=_tokens(_field(self.usage, "completion_tokens")),
            cached_tokens=self.cached_tokens or 0,
        )


class ModelList(BaseModel):
    """Hold the answer to GET models."""

    class _Model(BaseModel):
        id: str = Field(max_length=1000)
        root: Any = None
        """The name or folder of the weights (vLLM). It differs from ``id`` if the server gives the model an alias."""

    data: Annotated[list[_Model], Field(min_length=1), _first(_MOST_MODELS)]

    @property
    def model_names(self) -> tuple[str, ...]:
        return tuple(model.id for model in self.data)

    def weights_of(self, name: str) -> str:
        """Return what the server loaded under this name, as far as it says so; else the name itself."""
        root = next((model.root for model in self.data if model.id == name), None)
        return root[:_LONGEST_ROOT] if isinstance(root, str) and root else name


def read_completion(url: str, body: str) -> ChatCompletion:
    """Parse a body. Raises InvalidAnswer if it is not a chat completion, ErrorStatus if it holds an error's status."""
    value: Any = None
    try:
        value = read_json(body)
        return ChatCompletion.model_validate(value)
    except ValueError:  # includes ValidationError
        if _field(value, "error"):
            raise error_in_answer(f"{url} answered with an error", value) from None
        raise InvalidAnswer(
            f"{url} answered with something other than a chat completion; is it an OpenAI-compatible server?"
        ) from None


def read_models(body: str) -> ModelList:
    """Parse the answer to GET models. Raises ValueError."""
    return ModelList.model_validate(read_json(body))


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _tokens(figure: Any) -> int:
    """Return a count of tokens; 0 if the figure is no valid count."""
    is_count = isinstance(figure, int | float) and not isinstance(figure, bool) and 0 <= figure <= _MOST_TOKENS
    return int(figure) if is_count else 0


def advice(message: str) -> str:
    """Return what to do about a server's refusal, as text to append to the server's message; empty for an
    unknown message.
    """
    return next((f": {what_to_do}" for pattern, what_to_do in _ADVICE if pattern.search(message)), "")
