"""act(t): carries out O(t)."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.episode.atoms import with_enter
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.act import act as carry_out
from manyhands.actors.episode.stages.act import decided_atoms
from manyhands.protocol.actions import Atom, Type
from manyhands.protocol.records import Record


async def act(context: StageContext) -> Sequence[Record]:
    """Carry out the operation; a line break at the end of a typed text is Enter, for there is no other."""
    return await carry_out(context, _atoms)


def _atoms(context: StageContext) -> tuple[Atom, ...]:
    *before, last = decided_atoms(context)
    return (*before, *(with_enter(last) if isinstance(last, Type) else (last,)))
