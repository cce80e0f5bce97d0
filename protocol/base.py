"""Base classes of the three families of types."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Message(BaseModel):
    """Pass between our own parts, or into storage. Frozen; fields that a newer version added are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Input(BaseModel):
    """Written by people (tasks, settings). Frozen; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Reply(BaseModel):
    """Written by a model, in its own coordinate space. Frozen; extra fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Outcome(StrEnum):
    """Name the reflector's verdict on an action (Mobile-Agent-E, section 3: Action Reflector)."""

    A = "A"
    """As expected, or partly: a swipe may need repeating."""
    B = "B"
    """A wrong page."""
    C = "C"
    """Nothing changed."""


class Ending(StrEnum):
    """List every way in which an episode can end."""

    FINISHED = "finished"
    """The planner found the goal reached, or the operator chose Stop."""
    IMPOSSIBLE = "impossible"
    """The planner found that the goal cannot be reached."""
    STEP_LIMIT = "step_limit"
    FAILURE_LIMIT = "failure_limit"
    """Too many steps in a row with outcome B or C."""
    REPEAT_LIMIT = "repeat_limit"
    """The same action in a row failed too often (Swipe and Back excepted).

    With ``paper_exact`` it was decided too often, whatever came of it.
    """
    TIME_LIMIT = "time_limit"
    UNUSABLE_REPLY = "unusable_reply"
    """A profile in ``paper_exact`` mode met an invalid reply."""
    PHONE_LOST = "phone_lost"
    LEASE_LOST = "lease_lost"
    """Another holder took the phone, or the lease ran out."""
    MODEL_FAILED = "model_failed"
    """A model server refused, or did not answer in time, while there was one."""
    PERCEPTION_FAILED = "perception_failed"
    HOST_LOST = "host_lost"
    """The process that ran the episode died."""
    NO_PHONE = "no_phone"
    """No phone was left to run the task on."""
    NO_MODEL = "no_model"
    """No server of a role's model answered for too long. Nobody judged the task: it is as good as not begun."""
    CANCELLED = "cancelled"
    INTERNAL_ERROR = "internal_error"
    """A defect of ours; the reason names it."""


RETRIED_ENDINGS = frozenset({Ending.PHONE_LOST, Ending.LEASE_LOST, Ending.HOST_LOST})
"""Endings for which the task is not to blame: the episode is gone on with, in place where that can be."""
OUTSIDE_ENDINGS = RETRIED_ENDINGS | {Ending.NO_PHONE, Ending.NO_MODEL, Ending.CANCELLED}
"""Endings that say nothing of the task: a run that is resumed takes it up again."""
