"""Read replies to recorded requests: find the dialect that a role was asked in, and read a reply as the role does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from manyhands.actors.mllm import Dialect, dialect_named, parse
from manyhands.actors.profiles import agent_that_reads
from manyhands.evaluation.recorded_calls import RecordedCall, recorded_dialect
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Message, Reply
from manyhands.protocol.errors import BadInput, ReplyUnusable
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.replies import in_form
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.geometry import Size


def recorded_dialects(
    run: RunFolder, calls: Iterable[RecordedCall], name: str | None = None, max_pixels: int | None = None
) -> dict[Role, Dialect]:
    """Return the dialect of each role that was asked; ``name`` and ``max_pixels`` replace the recorded ones.

    Raises StoreError if run.yaml names no dialect, BadInput if it names an unknown one.
    """
    dialects: dict[Role, Dialect] = {}
    for role in dict.fromkeys(call.role for call in calls):
        dialect, cap = recorded_dialect(run, role)
        dialects[role] = dialect_named(name or dialect, max_pixels or cap)
    return dialects


def target_dialects(
    run: RunFolder, calls: Sequence[RecordedCall], name: str | None, max_pixels: int | None
) -> dict[Role, Dialect]:
    """Return the dialect of the model to ask, for each role; by default the recorded one.

    Raises BadInput unless both dialects have the same coordinates on every screenshot: a recorded prompt lists its
    elements in the coordinates of its own model.
    """
    recorded, dialects_now = recorded_dialects(run, calls), recorded_dialects(run, calls, name, max_pixels)
    for role, size in dict.fromkeys((call.role, call.known.size) for call in calls):
        before, now = recorded[role].extent(size), dialects_now[role].extent(size)
        if before != now:
            raise BadInput(
                f"--dialect {dialects_now[role].name}: the run's prompts have coordinates of {recorded[role].name}, "
                f"which on a screen of {_by(size)} run to {_by(before)} and not to {_by(now)}; replay to a model of "
                "the same convention, or record a run with the other dialect"
            )
    return dialects_now


def _by(size: Size) -> str:
    return f"{size.width}x{size.height}"


def read_reply(recorded: RecordedCall, text: str, dialect: Dialect) -> Message:
    """Return the plan, action, verdict or notes that ``text`` means as an answer to ``recorded``. Raises UNREADABLE.

    The journal does not hold the progress and the notes before the call, only the prompt does. So verdicts B and C,
    which leave the progress unchanged, get an empty progress here, and of replies that add to the progress or the
    notes only the addition is compared.
    """
    reply_type = _reply_type(recorded.call.reply_type)
    kind = agent_that_reads(reply_type)
    if kind is None:
        raise ReplyUnusable(f"a journal does not hold what the {recorded.role.spec.agent} was asked about")
    reading: Message = kind.read(parse(in_form(reply_type, dialect.form), text), recorded.known, dialect)
    return reading


def _reply_type(name: str) -> type[Reply]:
    """Return the type of a reply by its name. Raises ReplyUnusable if its profile is not installed here."""
    types = registered_profiles().reply_types
    if name not in types:
        raise ReplyUnusable(f"the reply {name} is of no profile that is installed here; install its package")
    return types[name]
