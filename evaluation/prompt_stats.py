"""Compute the figures of ``manyhands prompt-stats``: input tokens by role, section, picture and step. Pure.

A server reports only the sum of tokens of a call. There are two ways to divide the sum among the call's sections.
Exact: a tokenizer counts each section; only tokens that would span two sections are counted wrongly. Estimated: the
tokens of the text, which are the reported sum without those of the pictures, are divided by numbers of characters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from manyhands.evaluation.recorded_calls import RecordedCall
from manyhands.evaluation.timing import percentiles
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.profiles.native import NativeFirstReply, NativeReply
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section, heading
from manyhands.protocol.runs.run_summary import Percentiles
from manyhands.protocol.screens.geometry import Size

TARGET_UNCACHED = 7_000
"""The target for uncached input tokens per step, at the default limit of pixels."""
PAPER_INPUT = 17_000
"""Input tokens per successful step of Mobile-Agent-E. An estimate: the characters of its reference prompts (about 9,500
tokens at 4.2 characters each), and 5 images of about 1,445 tokens (GPT-4o, high detail)."""
PAPER_IMAGES = 5
"""Images per successful step of Mobile-Agent-E: planner 1, operator 1, reflector 2, notetaker 1."""

PICTURES = "(pictures)"
RULES = "(system rules)"
OTHER = "(other text)"
REPAIR = "(repair)"
"""The last answer and what was wrong with it, in a call that is a repair."""
EARLIER = "(earlier turns)"
"""Earlier turns of a chat: the model's own answers, and texts between them that are in no section."""
_BESIDE_STEPS = frozenset({Role.RECALL, Role.LEARN_TIPS, Role.LEARN_SHORTCUTS})
"""Roles that are asked before or after an episode, not in its steps."""
_HEADINGS = {heading(section): section.value for section in Section}

ImageTokens = Callable[[Role, Size], int]
"""Return how many tokens a picture of this size has for the role's model."""

_OF_NATIVE = frozenset({NativeReply.__name__, NativeFirstReply.__name__})


@dataclass(frozen=True, slots=True)
class Piece:
    """Be a part of a prompt's text."""

    name: str
    """A section's heading, or one of the names in brackets above."""
    text: str


class SectionTokens(Message):
    tokens: float
    """The mean over calls."""
    share: float
    """The share of all input tokens of the role's calls."""


class RoleStats(Message):
    calls: int
    """Calls for which the server reported tokens."""
    unreported: int
    """Calls for which the server reported no tokens. No figure of tokens includes them."""
    images: float
    """The mean over calls."""
    input_tokens: float
    """The mean over calls, as the server reported it."""
    cached_share: float | None
    """The share of cached tokens in the reported input tokens."""
    sections: dict[str, SectionTokens]
    """Pictures, and parts of texts, the largest first."""


class StepStats(Message):
    """Hold figures of steps. The values of a step are sums over its calls."""

    steps: int
    images: Percentiles | None
    input_tokens: Percentiles | None
    uncached_tokens: Percentiles | None


class PromptStats(Message):
    method: Literal["exact", "estimated"]
    """How a call's text tokens were divided among its sections."""
    roles: dict[str, RoleStats]
    cached_share: float | None
    """The share of cached tokens in all reported input tokens."""
    steps: StepStats
    """Steps in which the operator was asked."""
    successful_steps: StepStats
    """Steps in which all roles of the run were asked; the planner of ``native`` need not be.

    A step whose action had the expected result is one of them.
    """
    uncached_per_step: float | None
    """All uncached input tokens, including those of retrievers and learners, divided by the number of steps in which
    the operator was asked."""
    target_uncached: int = TARGET_UNCACHED
    paper_input: int = PAPER_INPUT
    paper_images: int = PAPER_IMAGES


def prompt_stats(
    calls: Sequence[RecordedCall], image_tokens: ImageTokens, counts: Mapping[str, int] | None = None
) -> PromptStats:
    """Return the figures of a run's calls.

    ``counts`` holds the number of tokens of each text of ``texts_of``. None means that the numbers are estimated.

    Raises BadInput if the server reported fewer tokens than a call's pictures have by ``image_tokens``.
    """
    by_role = {role: [one for one in calls if one.role is role] for role in Role}
    by_step: dict[tuple[str, int], list[RecordedCall]] = defaultdict(list)
    for one in calls:
        if one.role not in _BESIDE_STEPS:
            by_step[one.episode, one.step].append(one)
    roles_by_step = [{one.role for one in step if one.role.spec.in_steps} for step in by_step.values()]
    steps = [step for step, roles in zip(by_step.values(), roles_by_step, strict=True) if Role.DECIDE in roles]
    needed = set[Role]().union(*roles_by_step) - _now_and_then(calls)
    whole = [step for step, roles in zip(by_step.values(), roles_by_step, strict=True) if roles >= needed]
    return PromptStats(
        method="estimated" if counts is None else "exact",
        roles={
            role.value: _role(role_calls, image_tokens, counts) for role, role_calls in by_role.items() if role_calls
        },
        cached_share=_cached_share(calls),
        steps=_steps(steps),
        successful_steps=_steps(whole),
        uncached_per_step=sum(map(_uncached, calls)) / len(steps) if steps else None,
    )


def _now_and_then(calls: Sequence[RecordedCall]) -> set[Role]:
    """Return the roles that no step needs: the agent of ``native`` has plans, and asks for a new one when it must."""
    is_native = any(one.call.reply_type in _OF_NATIVE for one in calls)
    return {Role.PLAN} if is_native else set()


def texts_of(calls: Iterable[RecordedCall]) -> tuple[str, ...]:
    """Return the distinct texts whose tokens are needed for exact figures."""
    return tuple(dict.fromkeys(piece.text for one in calls for piece in pieces(one.call)))


def pieces(call: ModelCall) -> tuple[Piece, ...]:
    """Divide the text of a recorded request into sections and other parts, in order. Each character is in one part."""
    messages: Sequence[Mapping[str, Any]] = call.request.get("messages", ())
    first_messages = len(messages) - 2 if call.repair else len(messages)
    parts: list[Piece] = []
    for number, message in enumerate(messages):
        for text in _texts(message.get("content")):
            if number >= first_messages:
                parts.append(Piece(REPAIR, text))
            elif message["role"] == "assistant":
                parts.append(Piece(EARLIER, text))
            else:
                parts += _divided(text, _otherwise(messages[:first_messages], number))
    return tuple(piece for piece in parts if piece.text)


def _otherwise(messages: Sequence[Mapping[str, Any]], number: int) -> str:
    """Return the name for the text of a message that is in no section.

    The name is ``EARLIER`` for a message after the first answer and before the last message. ``messages`` must not
    include the messages of a repair.
    """
    if messages[number]["role"] == "system":
        return RULES
    answered = any(message["role"] == "assistant" for message in messages[:number])
    return EARLIER if answered and number < len(messages) - 1 else OTHER


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    else:
        yield from (part["text"] for part in content or () if part.get("type") == "text")


def _divided(text: str, otherwise: str) -> Iterator[Piece]:
    """Yield each section with its heading, also a repeated section. ``otherwise`` names text before all sections."""
    name, lines = otherwise, list[str]()
    for line in text.split("\n"):
        if line in _HEADINGS:
            yield Piece(name, "\n".join(lines).strip())
            name, lines = _HEADINGS[line], []
        lines.append(line)
    yield Piece(name, "\n".join(lines).strip())


def _role(calls: Sequence[RecordedCall], image_tokens: ImageTokens, counts: Mapping[str, int] | None) -> RoleStats:
    counted = [one for one in calls if one.call.usage.input_tokens]
    reported = sum(one.call.usage.input_tokens for one in counted)
    sums: Counter[str] = Counter()
    for one in counted:
        sums.update(_shares(one, image_tokens, counts))
    total = sum(sums.values())
    return RoleStats(
        calls=len(counted),
        unreported=len(calls) - len(counted),
        images=sum(len(one.shown) for one in calls) / len(calls),
        input_tokens=reported / len(counted) if counted else 0.0,
        cached_share=_cached_share(counted),
        sections={
            name: SectionTokens(tokens=tokens / len(counted), share=tokens / total)
            for name, tokens in sums.most_common()
        },
    )


def _shares(one: RecordedCall, image_tokens: ImageTokens, counts: Mapping[str, int] | None) -> dict[str, float]:
    """Return the tokens of one call by part of the prompt."""
    picture_tokens = sum(image_tokens(one.role, size) for size in one.shown)
    tokens: dict[str, float] = defaultdict(float)
    texts = pieces(one.call)
    if counts is not None:
        for piece in texts:
            tokens[piece.name] += counts[piece.text]
    else:
        text_tokens = one.call.usage.input_tokens - picture_tokens
        if text_tokens < 0:
            raise BadInput(
                f"step {one.step} of {one.episode}, {one.role.value}: the server reported "
                f"{one.call.usage.input_tokens} tokens, and the pictures alone would have {picture_tokens}; its "
                "pixel cap is lower than supposed: give it by --max-pixels"
            )
        characters = sum(len(piece.text) for piece in texts)
        for piece in texts:
            tokens[piece.name] += text_tokens * len(piece.text) / characters
    if picture_tokens:
        tokens[PICTURES] = picture_tokens
    return tokens


def _steps(steps: Sequence[Sequence[RecordedCall]]) -> StepStats:
    return StepStats(
        steps=len(steps),
        images=percentiles([sum(len(one.shown) for one in step) for step in steps]),
        input_tokens=percentiles([sum(one.call.usage.input_tokens for one in step) for step in steps]),
        uncached_tokens=percentiles([sum(map(_uncached, step)) for step in steps]),
    )


def _cached_share(calls: Sequence[RecordedCall]) -> float | None:
    reported = sum(one.call.usage.input_tokens for one in calls)
    return sum(one.call.usage.cached_tokens for one in calls) / reported if reported else None


def _uncached(one: RecordedCall) -> int:
    return one.call.usage.input_tokens - one.call.usage.cached_tokens
