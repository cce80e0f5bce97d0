"""The dialects of a recorded run, and whether another dialect has the same coordinates."""

from __future__ import annotations

from collections.abc import Iterable

from manyhands.actors.mllm import Dialect, dialect_named
from manyhands.evaluation.recorded_calls import RecordedCall, RecordedDialect, recorded_dialect
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput
from manyhands.protocol.geometry import Size
from manyhands.protocol.roles import Role


def recorded_dialects(
    run: RunFolder, calls: Iterable[RecordedCall], max_pixels: int | None = None
) -> dict[Role, Dialect]:
    """Return the dialect of each role that was asked; ``max_pixels`` replaces the recorded cap.

    Raises StoreError where run.yaml names none, BadInput where it names an unknown one.
    """
    found: dict[Role, Dialect] = {}
    for role in dict.fromkeys(call.role for call in calls):
        own = recorded_dialect(run, role)
        found[role] = _dialect(RecordedDialect(dialect=own.dialect, max_pixels=max_pixels or own.max_pixels))
    return found


def target_dialects(
    run: RunFolder, calls: Iterable[RecordedCall], name: str | None, max_pixels: int | None
) -> dict[Role, Dialect]:
    """Return each role's dialect of the model that is to be asked; the run's own where nothing else is given.

    Raises BadInput unless both have the same coordinates on every screenshot: a recorded prompt lists its
    elements in the coordinates of the model that it was made for.
    """
    calls = list(calls)
    recorded = recorded_dialects(run, calls)
    found: dict[Role, Dialect] = {}
    for role in recorded:
        own = recorded_dialect(run, role)
        found[role] = _dialect(RecordedDialect(dialect=name or own.dialect, max_pixels=max_pixels or own.max_pixels))
    for role, size in dict.fromkeys((call.role, call.known.size) for call in calls):
        _check(recorded[role], found[role], size)
    return found


def _check(recorded: Dialect, target: Dialect, size: Size) -> None:
    before, now = recorded.extent(size), target.extent(size)
    if before != now:
        raise BadInput(
            f"--dialect {target.name}: the run's prompts have coordinates of {recorded.name}, which on a screen of "
            f"{_by(size)} run to {_by(before)} and not to {_by(now)}; replay to a model of the same convention, or "
            "record a run with the other dialect"
        )


def _dialect(spoken: RecordedDialect) -> Dialect:
    return dialect_named(spoken.dialect, spoken.max_pixels)


def _by(size: Size) -> str:
    return f"{size.width}x{size.height}"
