"""Define the base classes of the three families of types, the verdicts and the endings."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict


class Message(BaseModel):
    """Be exchanged between actors, or stored. Frozen; fields that a newer version added are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Input(BaseModel):
    """Be written by people (tasks, settings). Frozen; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Reply(BaseModel):
    """Be written by a model, with coordinates in the model's space. Frozen; an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Outcome(StrEnum):
    """Name the reflector's verdict on an action (Mobile-Agent-E, section 3: Action Reflector)."""

    A = "A"
    """As expected, or partly as expected: a swipe may need repeating."""
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
    DIVERGED = "diverged"
    """The screen is not the one that the task's flow expects, and the run has no agent."""
    APP_CRASHED = "app_crashed"
    """The app under test crashed, or did not respond."""
    SETUP_REFUSED = "setup_refused"
    """The phone refuses the app under test, or a setting that the task needs."""
    STEP_LIMIT = "step_limit"
    ANSWER_INVALID = "answer_invalid"
    """The agent finished, but its answer is missing or does not fit what the task asks for."""
    FAILURE_LIMIT = "failure_limit"
    """Too many steps in a row with outcome B or C."""
    REPEAT_LIMIT = "repeat_limit"
    """The same action failed too often in a row (Swipe and Back excepted), or a round of two to four actions on the
    same screens came again too often.

    With ``paper_exact``: the same action was decided too often in a row, whatever its verdicts.
    """
    TIME_LIMIT = "time_limit"
    UNUSABLE_REPLY = "unusable_reply"
    """A profile in ``paper_exact`` mode met an invalid reply."""
    PHONE_LOST = "phone_lost"
    LEASE_LOST = "lease_lost"
    """Another holder took the phone, or the lease ran out."""
    MODEL_FAILED = "model_failed"
    """A model server refused the request, or an available server did not answer in time."""
    PERCEPTION_FAILED = "perception_failed"
    HOST_LOST = "host_lost"
    """The process that ran the episode died."""
    NO_PHONE = "no_phone"
    """No phone was left to run the task on."""
    NO_MODEL = "no_model"
    """For too long, no server of a role's model answered. The task counts as not begun."""
    NEEDS_PERSON = "needs_person"
    """Only a person can go on, and none did: whoever took the episode over went away."""
    CANCELLED = "cancelled"
    INTERNAL_ERROR = "internal_error"
    """A defect of ours; the reason names it."""


VerifiedBy = Literal["phone", "judge"]
"""Whose word decided a check: the phone's state, or a model as judge. ``judge`` if the phone's part alone did not
decide. Figures never mix the two."""
RETRIED_ENDINGS = frozenset({Ending.PHONE_LOST, Ending.LEASE_LOST, Ending.HOST_LOST})
"""Endings that are not the task's fault. The episode is continued, in place if that is possible."""
OUTSIDE_ENDINGS = RETRIED_ENDINGS | {Ending.NO_PHONE, Ending.NO_MODEL, Ending.NEEDS_PERSON, Ending.CANCELLED}
"""Endings that say nothing about the task. A resumed run takes such a task up again."""
