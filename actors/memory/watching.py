"""When a shortcut is put aside, by how its uses went. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.protocol.lessons import UseOutcome

IN_A_ROW = 2


def put_aside(outcomes: Sequence[UseOutcome]) -> str:
    """Return why a version of a shortcut is to be put aside; empty where it is not.

    ``outcomes``: of its uses, the oldest first. A use that was refused sent nothing, and tells nothing of it.
    """
    tried = [outcome for outcome in outcomes if outcome != "refused"]
    if tried and "worked" not in tried:
        return f"its first use {_FAILED[tried[0]]}"
    if len(tried) >= IN_A_ROW and "worked" not in tried[-IN_A_ROW:]:
        return f"its last {IN_A_ROW} uses failed, the last one {_FAILED[tried[-1]]}"
    return ""


_FAILED = {
    "surprised": "was stopped, for the phone did something else than was meant",
    "failed": "did not bring about what was expected",
}
