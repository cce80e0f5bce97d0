"""Collect the model calls of a run, each with what is needed to read its reply again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from manyhands.evaluation.episodes import start_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import StoreError
from manyhands.protocol.journals.records import (
    EpisodeStarted,
    Learned,
    Perceived,
    Planned,
    Recalled,
    Record,
    Restored,
    ScreenCaptured,
    StageRecord,
    StatementJudged,
)
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.requests import Plan, ReplyContext
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.crops import parse_content_id
from manyhands.protocol.screens.geometry import Size

_MARK = "manyhands:"
"""Begins the text that replaces a picture's data in ``ModelCall.request``. The picture's content id follows."""


NO_SCREEN = Size(width=1000, height=1000)
"""Replaces the screen's size for an episode without a screen: its phone was lost after the retriever was asked."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """Hold a call, its place in the run, and what its role knew beside the prompt."""

    episode: str
    step: int
    """The call's step. For retrievers it is the first step, for learners and judges the last."""
    turn: int
    """The call's number among the calls of its role in its step, from 0. Above 0 it is a repair, or the stage again."""
    call: ModelCall
    shown: tuple[Size, ...]
    """The sizes of the pictures in the request, in order."""
    known: ReplyContext
    """What the role knew beside the prompt, as far as it was recorded. Size and elements are those of the step."""

    @property
    def role(self) -> Role:
        """Return the role that made the call."""
        return self.call.role


def recorded_calls(run: RunFolder) -> tuple[RecordedCall, ...]:
    """Return all calls whose requests were recorded: episodes in the order of their starts, calls in journal order.

    Raises StoreError for a request with screenshots that the journal does not have.
    """
    return tuple(call for scan in run.journals.values() for call in calls_of_episode(scan.records))


def shown_ids(request: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the content ids of the pictures in a recorded request, in order."""
    return tuple(
        part["image_url"]["url"].removeprefix(_MARK)
        for message in request.get("messages", ())
        if not isinstance(message.get("content"), str)
        for part in message.get("content") or ()
        if part.get("type") == "image_url"
    )


def calls_of_episode(records: Sequence[Record]) -> Iterator[RecordedCall]:
    """Yield the calls of one episode whose requests were recorded, in journal order. Raises StoreError."""
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
        if isinstance(record, Recalled | Learned | StatementJudged):
            context = _known_beside(started, record, tuple(sizes.values()))
            step = 0 if isinstance(record, Recalled) else last
            sizes_shown = tuple(shot.size for shot in record.screens) if isinstance(record, StatementJudged) else ()
            for call in record.calls:
                if call.request:
                    turn = turns[step, call.role]
                    yield RecordedCall(started.episode, step, turn, call, shown=sizes_shown, known=context)
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


def _known_beside(
    started: EpisodeStarted, record: Recalled | Learned | StatementJudged, sizes: Sequence[Size]
) -> ReplyContext:
    """Return what a retriever, a learner or a judge knew: the size of the first screen, and the episode's memory.

    Only the retriever's prompt holds the tips that the retriever left out. So the number of tips here is an upper
    limit: it also counts the shortcuts that were left out.
    """
    memory = started.memory
    left_out = record.left_out if isinstance(record, Recalled) else 0
    return ReplyContext(
        size=sizes[0] if sizes else NO_SCREEN, shortcuts=memory.shortcuts, tips=len(memory.tips) + left_out
    )


def _own_screenshot(where: str, contents: Sequence[str], of_step: str | None, sizes: Mapping[str, Size]) -> str:
    """Return the content id of the screenshot that a call's coordinates refer to: the step's, if it was shown."""
    for content in contents:
        if content not in sizes:
            raise StoreError(f"{where}: a request shows {content}, which the journal never captured")
    own = contents[-1] if contents and of_step not in contents else of_step
    if own is None:
        raise StoreError(f"{where}: its journal has no screenshot")
    return own


def recorded_dialect(run: RunFolder, role: Role) -> tuple[str, int | None]:
    """Return the dialect of the role's model and the server's limit on a picture's pixels.

    The limit is None for the default of the model family. Raises StoreError if run.yaml names no dialect.
    """
    run_yaml = run.asked
    for part in ((run_yaml.get("models") or {}).get(role.value), run_yaml.get("settings")):
        if isinstance(part, dict) and part.get("dialect"):
            return part["dialect"], part.get("max_pixels")
    raise StoreError(f"{run.path / 'run.yaml'}: does not say which dialect the prompts of {role.value!r} have")
