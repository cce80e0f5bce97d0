"""Map the endings of our episodes to the ways in which the papers count them."""

from __future__ import annotations

from typing import Literal

from manyhands.protocol.base import Ending
from manyhands.protocol.runs.limits import Limits

Exit = Literal["own_stop", "error", "left_out"]
"""``own_stop``: the agent stopped by itself. ``error``: any other end. ``left_out``: the cause is outside the agent."""

EXITS: dict[Ending, Exit] = {
    Ending.FINISHED: "own_stop",
    Ending.ANSWER_INVALID: "own_stop",
    **{limit.ending: "error" for limit in Limits.declarations().values()},
    # Mobile-Agent-E, section 4.2, counts "any other errors".
    Ending.IMPOSSIBLE: "error",
    Ending.UNUSABLE_REPLY: "error",
    Ending.MODEL_FAILED: "error",
    Ending.PERCEPTION_FAILED: "error",
    Ending.NO_MODEL: "error",
    Ending.INTERNAL_ERROR: "error",
    # The papers had one phone, which was always available.
    Ending.PHONE_LOST: "left_out",
    Ending.NO_PHONE: "left_out",
    Ending.LEASE_LOST: "left_out",
    Ending.HOST_LOST: "left_out",
    Ending.CANCELLED: "left_out",
}
"""How an ending counts (Mobile-Agent-E, section 4.2: ways to exit)."""

if missing := set(Ending) - set(EXITS):
    raise TypeError(f"EXITS lacks {', '.join(sorted(missing))}")
