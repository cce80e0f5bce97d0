"""The model calls of a run, each with what reading its reply again takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from manyhands.evaluation.episodes import start_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.crops import parse_content_id
from manyhands.protocol.errors import StoreError
from manyhands.protocol.geometry import Size
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.records import (
    EpisodeStarted,
    Learned,
    Perceived,
    Planned,
    Recalled,
    Record,
    Restored,
    ScreenCaptured,
    StageRecord,
)
from manyhands.protocol.requests import Plan, ReplyContext
from manyhands.protocol.roles import Role

_MARK = "manyhands:"
"""Prefix of a content id in ``ModelCall.request``, in place of a picture's data."""


NO_SCREEN = Size(width=1000, height=1000)
"""In place of a screen's size where an episode had none: a retriever was asked, and the phone was lost then."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """Hold a call, its place in the run, and what its role knew beside the prompt."""

    episode: str
    step: int
    """Of what was asked beside the steps, the first for retrievers, the last for learners."""
    turn: int
    """Counts the calls of one role in one step: 1 is a repair of 0, or the same stage again."""
    call: ModelCall
    shown: tuple[Size, ...]
    """The sizes of the pictures in the request, in its order."""
    known: ReplyContext
    """What the role knew beside the prompt, as far as it is recorded; its size and elements are those of the step."""

    @property
    def role(self) -> Role:
        """Return the role that made the call."""
        return self.call.role


def recorded_calls(run: RunFolder) -> tuple[RecordedCall, ...]:
    """Return all calls whose request was recorded, by episode in the order of their start, then in journal order.

    Raises StoreError for a request whose screenshots the journal does not have.
    """
    return tuple(call for scan in run.journals.values() for call in _of_episode(scan.records))


def shown_ids(request: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the content ids of the pictures that a recorded request shows, in its order."""
    return tuple(
        part["image_url"]["url"].removeprefix(_MARK)
        for message in request.get("messages", ())
        if not isinstance(message.get("content"), str)
        for part in message.get("content") or ()
        if part.get("type") == "image_url"
    )


def _of_episode(records: Sequence[Record]) -> Iterator[RecordedCall]:
    started = start_of(records)
    if started is None:
        return
    shots = [record for record in records if isinstance(record, ScreenCaptured)]
    sizes = {shot.screenshot.content_id: shot.screenshot.size for shot in shots}
    of_step = {shot.step: shot.screenshot.content_id for shot in shots}
    for again in (record for record in records if isinstance(record, Restored)):
        sizes[again.screenshot.content_id] = again.screenshot.size
        of_step[again.step + 1] = again.screenshot.content_id
    screens = {
        record.screen.content_id: record.screen for record in records if isinstance(record, Perceived | Restored)
    }
    previous: Plan | None = None
    turns: Counter[tuple[int, Role]] = Counter()
    last = max(of_step, default=0)
    for record in records:
        if isinstance(record, Recalled | Learned):
            known = _known_beside(started, record, tuple(sizes.values()))
            step = 0 if isinstance(record, Recalled) else last
            for call in record.calls:
                if call.request:
                    turn = turns[step, call.role]
                    yield RecordedCall(started.episode, step, turn, call, shown=(), known=known)
                turns[step, call.role] += 1
        if not isinstance(record, StageRecord):
            continue
        for call in record.calls:
            place = (record.step, call.role)
            if call.request:
                where = f"episode {started.episode}, step {record.step}"
                ids = shown_ids(call.request)
                sources = [parse_content_id(content).source for content in ids]
                own = _own_screenshot(where, sources, of_step.get(record.step), sizes)
                yield RecordedCall(
                    episode=started.episode,
                    step=record.step,
                    turn=turns[place],
                    call=call,
                    shown=tuple(one.size(sizes[one.source]) for one in map(parse_content_id, ids)),
                    known=ReplyContext(
                        size=sizes[own],
                        elements=screens[own].elements if own in screens else (),
                        shortcuts=started.memory.shortcuts,
                        previous=previous,
                    ),
                )
            turns[place] += 1
        if isinstance(record, Planned):
            previous = record.plan


def _known_beside(started: EpisodeStarted, record: Recalled | Learned, sizes: Sequence[Size]) -> ReplyContext:
    """Return what a retriever or a learner knew: the screen as it was first, and what the episode was told.

    What a retriever left out stands in its prompt only; there were as many tips as that at most.
    """
    told = started.memory
    left_out = record.left_out if isinstance(record, Recalled) else 0
    return ReplyContext(size=sizes[0] if sizes else NO_SCREEN, shortcuts=told.shortcuts, tips=len(told.tips) + left_out)


def _own_screenshot(where: str, shown: Sequence[str], of_step: str | None, sizes: Mapping[str, Size]) -> str:
    """Return the content id of the screenshot to which a call's coordinates refer: the step's, if it was shown."""
    for content in shown:
        if content not in sizes:
            raise StoreError(f"{where}: a request shows {content}, which the journal never captured")
    own = shown[-1] if shown and of_step not in shown else of_step
    if own is None:
        raise StoreError(f"{where}: its journal has no screenshot")
    return own


def recorded_dialect(run: RunFolder, role: Role) -> tuple[str, int | None]:
    """Return the dialect of the role's model and its server's cap on a picture's pixels; None is the family's own.

    Raises StoreError where run.yaml names no dialect.
    """
    asked = run.asked
    for part in ((asked.get("models") or {}).get(role.value), asked.get("settings")):
        if isinstance(part, dict) and part.get("dialect"):
            return part["dialect"], part.get("max_pixels")
    raise StoreError(f"{run.path / 'run.yaml'}: does not say which dialect the prompts of {role.value!r} have")
