"""The model calls of a run, each with what reading its reply again takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Message
from manyhands.protocol.errors import StoreError
from manyhands.protocol.geometry import Size
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.records import Captured, EpisodeStarted, Perceived, Planned, Record, StageRecord
from manyhands.protocol.roles import Known, Plan, Role
from manyhands.protocol.screens import Screen

_MARK = "manyhands:"
"""Prefix of a content id in ``ModelCall.request``, in place of a picture's data."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """Hold a call, its place in the run, and what its role knew beside the prompt."""

    episode: str
    step: int
    turn: int
    """Counts the calls of one role in one step: 1 is a repair of 0, or the same stage again."""
    call: ModelCall
    shown: tuple[Size, ...]
    """The sizes of the pictures in the request, in its order."""
    known: Known
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


@dataclass(slots=True)
class _Episode:
    """Hold what the calls of a journal need from it."""

    started: EpisodeStarted
    sizes: dict[str, Size]
    screens: dict[str, Screen]
    of_step: dict[int, str]
    """The content id of each step's screenshot."""

    def recorded(self, record: StageRecord, turn: int, call: ModelCall, previous: Plan | None) -> RecordedCall:
        ids = shown_ids(call.request)
        unknown = [content for content in ids if content not in self.sizes]
        if unknown:
            raise StoreError(
                f"episode {self.started.episode}, step {record.step}: a request shows {unknown[0]}, "
                "which the journal never captured"
            )
        own = self.of_step.get(record.step)
        if ids and own not in ids:
            own = ids[-1]
        if own is None:
            raise StoreError(f"episode {self.started.episode}, step {record.step}: its journal has no screenshot")
        screen = self.screens.get(own)
        return RecordedCall(
            episode=self.started.episode,
            step=record.step,
            turn=turn,
            call=call,
            shown=tuple(self.sizes[content] for content in ids),
            known=Known(
                size=self.sizes[own],
                elements=screen.elements if screen else (),
                shortcuts=self.started.memory.shortcuts,
                previous=previous,
            ),
        )


def _of_episode(records: Sequence[Record]) -> Iterator[RecordedCall]:
    started = next((record for record in records if isinstance(record, EpisodeStarted)), None)
    if started is None:
        return
    shots = [record for record in records if isinstance(record, Captured)]
    episode = _Episode(
        started,
        sizes={shot.screenshot.content_id: shot.screenshot.size for shot in shots},
        screens={record.screen.content_id: record.screen for record in records if isinstance(record, Perceived)},
        of_step={shot.step: shot.screenshot.content_id for shot in shots},
    )
    previous: Plan | None = None
    turns: Counter[tuple[int, Role]] = Counter()
    for record in records:
        if not isinstance(record, StageRecord):
            continue
        for call in record.calls:
            place = (record.step, call.role)
            if call.request:
                yield episode.recorded(record, turns[place], call, previous)
            turns[place] += 1
        if isinstance(record, Planned):
            previous = record.plan


class RecordedDialect(Message):
    """Hold the coordinate convention of a run's prompts and replies."""

    dialect: str
    max_pixels: int | None = None
    """The server's cap on a picture's pixels; None is the family's own."""


def recorded_dialect(run: RunFolder, role: Role) -> RecordedDialect:
    """Read the dialect of the role's model from run.yaml. Raises StoreError where it names none."""
    asked = run.asked
    for part in ((asked.get("models") or {}).get(role.value), asked.get("settings")):
        if isinstance(part, dict) and part.get("dialect"):
            return RecordedDialect(dialect=part["dialect"], max_pixels=part.get("max_pixels"))
    raise StoreError(f"{run.path / 'run.yaml'}: does not say which dialect the prompts of {role.value!r} have")
