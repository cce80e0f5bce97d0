"""Read an episode's journal as rows: one for each model call whose reply was used, with all that is known beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from manyhands.actors.mllm.request.bodies import TOKEN_FIELDS
from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.recorded_calls import RecordedCall, calls_of_episode, shown_ids
from manyhands.evaluation.rewards import Rewards
from manyhands.protocol.base import Ending, Message, VerifiedBy
from manyhands.protocol.journals.records import (
    Learned,
    Recalled,
    Record,
    StageDropped,
    StageFailed,
    StageRecord,
    StatementJudged,
)
from manyhands.protocol.messages import CallTokens, ModelCall, Usage, WeightSpan
from manyhands.protocol.screens.geometry import Box, Size

Reason = Literal[
    "no reply",
    "reply not used",
    "step discarded",
    "role",
    "verdict",
    "duplicate",
    "earlier turns",
    "mark",
    "redacted reply",
]
"""Why a call is no row of an export. ``earlier turns``: the format cannot leave them out of the loss. ``mark``: a text
of the call holds what the format puts in the place of a picture. ``redacted reply``: what is left is no reply."""


_ELSEWHERE = frozenset({"model", "messages", "tools", "response_format", "priority", *TOKEN_FIELDS})
"""Fields of a request that are elsewhere in a row, or do not affect the reply."""


class EpisodeFacts(Message):
    """Hold what is known of a row's episode."""

    run: str
    """The id of the run."""
    episode: str
    task: str
    group: str
    """The id that attempts and repeats of a task share."""
    goal: str
    seed: int | None
    """The task's ``reset_seed``. Phones without a reset provider keep their content all the same."""
    attempt: int
    ending: Ending
    fault: str | None
    """Why the ending says nothing about the agent; None if it does."""
    reward: float | None
    """By ``reward`` of the run. None if nothing says what the episode earned, or if a fault ended it."""
    verified: bool | None
    verified_by: VerifiedBy | None
    steps: int
    by: Literal["agent", "person", "both"]
    """Who acted on the phone."""
    phone: str
    """The phone by its number in the run. A serial is in no export."""
    profile: str
    model_source: str
    phones_source: str


class RowFacts(Message):
    """Hold what is known of a row beside its episode."""

    step: int
    turn: int
    """The call's number among the calls of its role in its step, from 0."""
    role: str
    reply_type: str
    verdict: str | None
    """The agent's verdict on the step's action: A, B or C. None if there is none, or for a call outside steps."""
    model: str
    weights: tuple[WeightSpan, ...]
    """Which versions of the weights wrote the reply; empty if the server did not say."""
    sampling: dict[str, Any]
    """The other fields of the request as sent: temperature, seed, ``chat_template_kwargs`` and so on."""
    usage: Usage


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """Stand in a message in the place of a picture."""

    content: str
    """The content id."""
    boxes: tuple[Box, ...] = ()
    """What is painted over on its screenshot."""

    @property
    def name(self) -> str:
        """Return the name of its file: the content id, or another name if a part is painted over."""
        if not self.boxes:
            return self.content
        corners = [(box.x1, box.y1, box.x2, box.y2) for box in self.boxes]
        return hashlib.sha256(f"{self.content} {corners}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """Hold one message of a conversation, as it was sent."""

    role: str
    parts: tuple[str | ShownPicture, ...]

    def text(self, mark: str) -> str:
        """Return the message as one text, with ``mark`` in the place of each picture.

        Chat templates of the Qwen family join parts in the same way, with nothing between them.
        """
        return "".join(part if isinstance(part, str) else mark for part in self.parts)


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """Hold one call: the messages as sent, the reply, and what is known beside them."""

    facts: RowFacts
    messages: tuple[ChatMessage, ...]
    """The messages before the reply."""
    reply: str
    shown: tuple[Size, ...]
    """The sizes of the pictures, in order."""
    tools: Any
    """The tools that the request offered; None if it offered none."""
    tokens: CallTokens | None = None
    """The tokens as the server reported them; None if the run did not record them."""

    @property
    def pictures(self) -> tuple[str, ...]:
        """Return the names of the pictures, in the order of the messages."""
        return tuple(picture.name for picture in self.shown_pictures)

    @property
    def shown_pictures(self) -> tuple[ShownPicture, ...]:
        """Return the pictures, in the order of the messages."""
        return tuple(part for turn in self.messages for part in turn.parts if isinstance(part, ShownPicture))

    @property
    def has_earlier_replies(self) -> bool:
        """Return whether the conversation holds earlier words of the model."""
        return any(turn.role == "assistant" for turn in self.messages)

    def holds(self, marks: Sequence[str]) -> bool:
        """Return whether a text of the row holds one of ``marks``."""
        texts = [part for turn in self.messages for part in turn.parts if isinstance(part, str)]
        return any(mark in text for text in (*texts, self.reply) for mark in marks)


def episode_facts(
    episode: RecordedEpisode, run_yaml: Mapping[str, Any], phone_of: Callable[[str], str], rewards: Rewards
) -> EpisodeFacts:
    """Return the facts of an episode. ``phone_of`` names a phone by its serial."""
    started, ended = episode.started, episode.ended
    reward, fault = rewards.of(episode)
    agent, person = bool(episode.actions_sent), bool(episode.person_actions)
    return EpisodeFacts(
        run=started.run,
        episode=started.episode,
        task=started.task.id,
        group=started.task.base_id,
        goal=started.task.goal,
        seed=started.task.reset_seed,
        attempt=started.attempt,
        ending=episode.ending,
        fault=fault,
        reward=reward,
        verified=ended.verified if ended else None,
        verified_by=ended.verified_by if ended else None,
        steps=episode.steps,
        by="both" if agent and person else "person" if person else "agent",
        phone=phone_of(started.serial),
        profile=started.profile,
        model_source=str(run_yaml.get("model_source") or ""),
        phones_source=str(run_yaml.get("phones_source") or ""),
    )


def rows_of(episode: RecordedEpisode, records: Sequence[Record]) -> Iterator[TrainingRow | Reason]:
    """Yield the row of each recorded call, in journal order, or why it gives none.

    ``records``: all records of the journal. Raises StoreError for a request with pictures that the journal lacks.
    """
    reasons = _reasons_of_calls(episode.records)
    for recorded in calls_of_episode(records):
        reason = reasons.get(id(recorded.call), "step discarded")
        yield _row(recorded, episode) if reason is None else reason


def _reasons_of_calls(records: Sequence[Record]) -> dict[int, Reason | None]:
    """Return, for each call by its identity, why its reply was not used; None if it was used."""
    reasons: dict[int, Reason | None] = {}
    for record in records:
        if isinstance(record, StageRecord | Recalled | Learned | StatementJudged):
            dropped: Reason | None = "step discarded" if isinstance(record, StageDropped) else None
            if isinstance(record, StageFailed) or (isinstance(record, Learned) and record.taken is None):
                dropped = "reply not used"
            calls = record.calls
            for call, after in zip(calls, [*calls[1:], None], strict=False):
                is_repaired = after is not None and after.repair and after.role is call.role
                reasons[id(call)] = _without_use(call, is_repaired) or dropped
    return reasons


def _without_use(call: ModelCall, is_repaired: bool) -> Reason | None:
    if not call.reply or call.error is not None:
        return "no reply"
    return "reply not used" if call.unused or is_repaired else None


def _row(recorded: RecordedCall, episode: RecordedEpisode) -> TrainingRow:
    call = recorded.call
    verdict = episode.verdicts.get(recorded.step) if call.role.spec.in_steps else None
    facts = RowFacts(
        step=recorded.step,
        turn=recorded.turn,
        role=call.role.value,
        reply_type=call.reply_type,
        verdict=None if verdict is None else verdict.outcome.value,
        model=str(call.request.get("model") or ""),
        weights=call.weights,
        sampling={name: value for name, value in call.request.items() if name not in _ELSEWHERE},
        usage=call.usage,
    )
    messages = tuple(_message(message) for message in call.request.get("messages", ()))
    assert call.reply is not None
    return TrainingRow(
        facts=facts,
        messages=messages,
        reply=call.reply,
        shown=recorded.shown,
        tools=call.request.get("tools"),
        tokens=call.tokens,
    )


def _message(message: Mapping[str, Any]) -> ChatMessage:
    content = message["content"]
    if isinstance(content, str):
        return ChatMessage(message["role"], (content,))
    pictures = iter(shown_ids({"messages": [message]}))
    parts = (part["text"] if part["type"] == "text" else ShownPicture(next(pictures)) for part in content)
    return ChatMessage(message["role"], tuple(parts))


def phone_names(serials: Sequence[str]) -> Callable[[str], str]:
    """Return a function that names a phone by its number among the serials of a run, counted from 1."""
    numbers: dict[str, int] = {}
    for serial in serials:
        numbers.setdefault(serial, len(numbers) + 1)
    return lambda serial: f"phone {numbers.setdefault(serial, len(numbers) + 1)}" if serial else ""
