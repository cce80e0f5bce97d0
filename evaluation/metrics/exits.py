"""Termination errors: how the papers count each way in which an episode of ours can end."""

from __future__ import annotations

from typing import Literal

from manyhands.protocol.base import Ending
from manyhands.protocol.limits import Limits

Exit = Literal["own_stop", "error", "left_out"]
"""The agent stopped by itself; anything else that an agent can do; nothing that an agent does."""

EXITS: dict[Ending, Exit] = {
    Ending.FINISHED: "own_stop",
    **{limit.ending: "error" for limit in Limits.declarations().values()},
    # Mobile-Agent-E, section 4.2: any other errors.
    Ending.IMPOSSIBLE: "error",
    Ending.UNUSABLE_REPLY: "error",
    Ending.MODEL_FAILED: "error",
    Ending.PERCEPTION_FAILED: "error",
    Ending.NO_MODEL: "error",
    Ending.INTERNAL_ERROR: "error",
    # The papers had one phone, which was always there.
    Ending.PHONE_LOST: "left_out",
    Ending.NO_PHONE: "left_out",
    Ending.LEASE_LOST: "left_out",
    Ending.HOST_LOST: "left_out",
    Ending.CANCELLED: "left_out",
}
"""How an ending counts (Mobile-Agent-E, section 4.2: ways to exit)."""

if missing := set(Ending) - set(EXITS):
    raise TypeError(f"EXITS lacks {', '.join(sorted(missing))}")
