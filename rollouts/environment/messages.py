"""Define the messages of OpenEnv's protocol, and what an episode on a phone puts into them."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from manyhands.protocol.base import Ending, Input, Message
from manyhands.protocol.errors import ManyhandsError, explain
from manyhands.protocol.screens.actions import ATOM, AtomicAction
from manyhands.protocol.screens.screen import Element, Keyboard

MessageBody = dict[str, Any]
Split = Literal["train"]
"""The one split, which has all tasks."""
SPLIT: Split = "train"
FARTHEST = 2**31
"""The pixel from which a place is no number of an action. A place outside the screen before that is a step."""


class ErrorCode(StrEnum):
    """List the codes of errors that OpenEnv's clients know."""

    INVALID_JSON = "INVALID_JSON"
    UNKNOWN_TYPE = "UNKNOWN_TYPE"
    VALIDATION_ERROR = "VALIDATION_ERROR"
    EXECUTION_ERROR = "EXECUTION_ERROR"
    CAPACITY_REACHED = "CAPACITY_REACHED"
    SESSION_ERROR = "SESSION_ERROR"


class MessageRefused(ManyhandsError):
    """Signal a message that is not carried out, with OpenEnv's code for the reason."""

    code = "message_refused"

    def __init__(self, message: str, error_code: ErrorCode = ErrorCode.VALIDATION_ERROR) -> None:
        super().__init__(message)
        self.error_code = error_code

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.error_code))


class EpisodeRequest(Input):
    """Ask for another episode."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    seed: int | None = Field(default=None, ge=0, lt=2**63)
    """The content to which the phone is set, if it can be; None for the task's own."""
    episode_id: str | None = Field(default=None, max_length=255)
    """The client's own name for the episode."""
    task: str | None = Field(default=None, max_length=100)
    """The id of a task. It may be left out where there is only one."""
    split: Split = SPLIT
    index: int | None = Field(default=None, ge=0)
    """The place of a task in its split, instead of its id."""
    elements: bool = False
    """Whether observations have the elements of which the phone tells."""


class StepMetadata(Input):
    """Hold what goes with an action."""

    request_id: str | None = Field(default=None, min_length=1, max_length=200)
    """The client's key for the step. The same key again gets the same answer, and the phone gets nothing."""


class PhoneObservation(Message):
    """Show the phone to a client."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    goal: str
    """What is to be done, in plain language."""
    screen_image: str | None = None
    """The screen as a JPEG, in base64; None once the episode has ended."""
    screen_width: int | None = None
    """The width in pixels. Actions have pixels of this picture."""
    screen_height: int | None = None
    """The height in pixels."""
    keyboard: Keyboard = "unknown"
    """Whether a keyboard is shown."""
    app: str = ""
    """The name of the app in front; empty if it is not known."""
    elements: tuple[Element, ...] | None = None
    """What the phone tells of its views; None if that was not asked for, or if it tells nothing of this screen."""
    problem: str = ""
    """Why the last action was not carried out; empty if nothing shows that."""
    ending: Ending | None = None
    """How the episode ended; None before."""
    fault: bool = False
    """Whether the ending says nothing about the client, such as that of a lost phone. Then there is no reward."""
    reason: str = ""
    """Why the episode ended so."""


class SessionState(Message):
    """Say where a session stands."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    episode_id: str | None = None
    """The client's name for the episode, or ours; None before the first one."""
    step_count: int = 0
    """How many actions came from the client."""
    episode: str = ""
    """The episode's name in the run folder."""
    task: str = ""
    seed: int | None = None
    done: bool = False
    reward: float | None = None


def read_action(data: MessageBody) -> tuple[AtomicAction, StepMetadata]:
    """Return the action of a step and what goes with it. Raises MessageRefused."""
    fields = dict(data)
    try:
        metadata = StepMetadata.model_validate(fields.pop("metadata", None) or {})
        action = ATOM.validate_python(fields)
    except ValidationError as error:
        raise MessageRefused(explain(error, StepMetadata)) from error
    if unknown := fields.keys() - type(action).model_fields.keys():
        raise MessageRefused(f"{action.name}: unknown field {', '.join(sorted(unknown))}")
    if far := [name for name, value in action if isinstance(value, int) and abs(value) >= FARTHEST]:
        raise MessageRefused(f"{action.name}: {', '.join(far)}: no screen is so large")
    return action, metadata


def read_reset(data: MessageBody) -> EpisodeRequest:
    """Return a request for an episode. Raises MessageRefused."""
    try:
        return EpisodeRequest.model_validate(data)
    except ValidationError as error:
        raise MessageRefused(explain(error, EpisodeRequest)) from error


def observation_message(
    observation: PhoneObservation, state: SessionState, details: dict[str, JsonValue]
) -> MessageBody:
    """Return the answer to a reset or a step. ``details``: what is known of the end of an episode."""
    metadata = {"episode": state.episode, "task": state.task, "seed": state.seed, "step": state.step_count, **details}
    shown = observation.model_dump(mode="json")
    data = {"observation": shown, "reward": state.reward, "done": state.done, "metadata": metadata}
    return {"type": "observation", "data": data}


def state_message(state: SessionState) -> MessageBody:
    """Return the answer to a question for the state."""
    return {"type": "state", "data": state.model_dump(mode="json")}


def error_message(message: str, code: ErrorCode, **details: int) -> MessageBody:
    """Return an error, as OpenEnv's client reads it."""
    return {"type": "error", "data": {"message": message, "code": code.value, **details}}


def schemas() -> dict[str, JsonValue]:
    """Return the JSON schemas of actions, observations and states."""
    kinds: dict[str, type[BaseModel]] = {"observation": PhoneObservation, "state": SessionState}
    action = {**ATOM.json_schema(), "properties": {"metadata": StepMetadata.model_json_schema()}}
    return {"action": action, **{name: kind.model_json_schema() for name, kind in kinds.items()}}
