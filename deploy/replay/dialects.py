"""The dialects of a recorded run, and whether another dialect has the same coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from manyhands.actors.mllm import Dialect, dialect_named
from manyhands.evaluation.recorded_calls import RecordedCall, recorded_dialect
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput
from manyhands.protocol.geometry import Size
from manyhands.protocol.roles import Role


def recorded_dialects(
    run: RunFolder, calls: Iterable[RecordedCall], name: str | None = None, max_pixels: int | None = None
) -> dict[Role, Dialect]:
    """Return the dialect of each role that was asked; ``name`` and ``max_pixels`` replace what was recorded.

    Raises StoreError where run.yaml names none, BadInput where it names an unknown one.
    """
    found: dict[Role, Dialect] = {}
    for role in dict.fromkeys(call.role for call in calls):
        dialect, cap = recorded_dialect(run, role)
        found[role] = dialect_named(name or dialect, max_pixels or cap)
    return found


def target_dialects(
    run: RunFolder, calls: Sequence[RecordedCall], name: str | None, max_pixels: int | None
) -> dict[Role, Dialect]:
    """Return each role's dialect of the model that is to be asked; the run's own where nothing else is given.

    Raises BadInput unless both have the same coordinates on every screenshot: a recorded prompt lists its
    elements in the coordinates of the model that it was made for.
    """
    recorded, found = recorded_dialects(run, calls), recorded_dialects(run, calls, name, max_pixels)
    for role, size in dict.fromkeys((call.role, call.known.size) for call in calls):
        before, now = recorded[role].extent(size), found[role].extent(size)
        if before != now:
            raise BadInput(
                f"--dialect {found[role].name}: the run's prompts have coordinates of {recorded[role].name}, which on "
                f"a screen of {_by(size)} run to {_by(before)} and not to {_by(now)}; replay to a model of the same "
                "convention, or record a run with the other dialect"
            )
    return found


def _by(size: Size) -> str:
    return f"{size.width}x{size.height}"
