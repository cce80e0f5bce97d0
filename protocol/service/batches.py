"""Define batches and tasks, as clients submit them, as the service checks them before, and as it shows them."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import Field, JsonValue, ValidationInfo, field_validator, model_validator

from manyhands.protocol.base import Ending, VerifiedBy
from manyhands.protocol.errors import BadInput
from manyhands.protocol.service.access import ServiceAnswer, ServiceRequest
from manyhands.protocol.service.instants import Instant
from manyhands.protocol.tasks.build_files import refuse_installs
from manyhands.protocol.tasks.matrix import refuse_matrix
from manyhands.protocol.tasks.repeats import expand_groups
from manyhands.protocol.tasks.selectors import LONGEST_SELECTOR, Selector, join_selectors
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.tasks.unmet_tests import UnmetTest

LOWEST_PRIORITY, HIGHEST_PRIORITY = -100, 100
MOST_TASKS = 10_000
"""The most tasks of one batch."""
LONGEST_TASK_ID = 80
"""The most characters of a submitted task's id. The service puts the id of the batch before it."""


class BatchRequest(ServiceRequest):
    """Submit tasks."""

    group: int | None = Field(default=None, ge=1, le=100)
    """So many episodes of each task are made, in place of what the task says."""
    group_enough: int | None = Field(default=None, ge=1, le=100)
    """So many episodes of a group are enough, in place of what the task says."""
    tasks: tuple[TaskSpec, ...] = Field(min_length=1, max_length=MOST_TASKS)
    """The tasks. Their ids must differ within the batch, and have 80 characters at most."""
    name: str = Field(default="", max_length=200)
    """A name for people."""
    priority: int = Field(default=0, ge=-100, le=100)
    """This number is added to the priority of each task, up to 100 and down to -100. Higher priorities run first."""
    tags: tuple[str, ...] = Field(default=(), max_length=50)
    """Words by which the batch can be found."""
    deadline: Instant | None = Field(default=None, gt=0)
    """When the batch must have ended, in Unix seconds. Tasks that have not ended then are cancelled."""
    phones: Selector = ""
    """Which phones may carry out the tasks, for example ``model=Pixel 8, app:Maps>=11``; empty for all phones."""

    @field_validator("tasks")
    @classmethod
    def _expands_groups(cls, tasks: tuple[TaskSpec, ...], info: ValidationInfo) -> tuple[TaskSpec, ...]:
        try:
            refuse_matrix(tasks)
            refuse_installs(tasks)
            return expand_groups(tasks, info.data.get("group"), info.data.get("group_enough"), MOST_TASKS)
        except BadInput as error:
            raise ValueError(str(error)) from error

    @model_validator(mode="after")
    def _ids_differ(self) -> Self:
        ids = set[str]()
        for task in self.tasks:
            if task.id in ids:
                raise ValueError(f"two tasks have the id {task.id!r}: give each task an id of its own")
            if len(task.id) > LONGEST_TASK_ID:
                raise ValueError(f"the task id {task.id!r} has {len(task.id)} characters; at most 80 are allowed")
            ids.add(task.id)
        return self

    @model_validator(mode="after")
    def _selectors_fit_together(self) -> Self:
        for task in self.tasks:
            if len(join_selectors(self.phones, task.phones)) > LONGEST_SELECTOR:
                raise ValueError(
                    f"'phones' of the batch and of the task {task.id!r} have more than {LONGEST_SELECTOR} characters"
                    " together: shorten one of them"
                )
        return self


class PriorityRequest(ServiceRequest):
    """Give a batch or a task another priority."""

    priority: int = Field(ge=LOWEST_PRIORITY, le=HIGHEST_PRIORITY)
    """The new priority. Higher priorities run first."""


class TaskPhase(StrEnum):
    """List the phases of a task."""

    WAITING = "waiting"
    """It waits for a phone."""
    PAUSED = "paused"
    """It waits, and gets no phone before it is resumed."""
    RUNNING = "running"
    """A phone carries it out."""
    ENDED = "ended"
    """It has its one result."""


class BatchPhase(StrEnum):
    """List the phases of a batch."""

    OPEN = "open"
    """Some of its tasks have not ended."""
    PAUSED = "paused"
    """Its waiting tasks are paused."""
    CANCELLED = "cancelled"
    """It was cancelled. Tasks that were running then may take a moment to end."""
    ENDED = "ended"
    """All of its tasks have ended."""


class BatchStatus(ServiceAnswer):
    """Show a batch."""

    id: str
    """The id of the batch, for example ``b17``."""
    name: str
    """Its name for people; may be empty."""
    owner: str
    """Who submitted it."""
    priority: int
    """Its priority."""
    tags: tuple[str, ...]
    """Its tags."""
    phase: BatchPhase
    """Its phase."""
    submitted_at: Instant
    """When it was accepted, in Unix seconds."""
    ended_at: Instant | None = None
    """When its last task ended, in Unix seconds; None before."""
    deadline: Instant | None = None
    """When it must have ended, in Unix seconds; None if it has no deadline."""
    deadline_warning: str | None = None
    """Why the deadline probably cannot be met; None if it can, or if there is none."""
    phones: str = ""
    """Which phones may carry out its tasks; empty for all phones."""
    schedule: str | None = None
    """The id of the schedule that submitted it; None if a client did."""
    tasks: int
    """How many tasks it has."""
    waiting: int
    """How many tasks wait, paused ones included."""
    running: int
    """How many tasks run."""
    done: int
    """How many tasks have ended and are done."""
    failed: int
    """How many tasks have ended and are not done, without those that were cancelled or retried."""
    cancelled: int = 0
    """How many tasks were cancelled before they were done."""
    retried: int = 0
    """How many tasks have ended without being done, and have a later try, which counts in their places."""
    run: str | None = None
    """The run folder that holds its journals, as a path on the service's machine; None before it is dispatched."""


class TaskStatus(ServiceAnswer):
    """Show a task."""

    id: str
    """The id of the task in this service: that of its batch, a dot, and the submitted id, for example ``b17.buy``."""
    batch: str
    """The id of its batch."""
    owner: str
    """Who submitted it."""
    goal: str
    """What is to be done, in plain language."""
    phase: TaskPhase
    """Its phase."""
    priority: int
    """Its own priority plus that of its batch, at most 100 and at least -100."""
    tags: tuple[str, ...] = ()
    """Its tags."""
    retry_of: str | None = None
    """The task that this one repeats at a client's request; None for a submitted task."""
    phone: str | None = None
    """The serial of the phone that carries it out, or that carried it out last; None if no phone has had it."""
    episode: str | None = None
    """The id of its latest episode; None if no phone has had it."""
    step: int | None = None
    """The step of its episode, counted from 0; None if it does not run."""
    doing: str | None = None
    """What its episode does now, in one short line; None if it does not run."""
    started_at: Instant | None = None
    """When its latest episode started, in Unix seconds."""
    ended_at: Instant | None = None
    """When it ended, in Unix seconds."""
    ending: Ending | None = None
    """How it ended; None before."""
    reason: str | None = None
    """Why it ended so, in one sentence; None before."""
    is_done: bool | None = None
    """Whether it is done: it finished, and its check, if it has one, holds. None before its end."""
    verified: bool | None = None
    """Whether its check holds; None before its end, without a check, or if nobody could tell."""
    verified_by: VerifiedBy | None = None
    """Whose word decided whether the check holds: the phone's, or that of a model as judge."""
    unmet: tuple[UnmetTest, ...] = ()
    """The tests of its check that did not hold."""
    answer: str | None = None
    """The agent's answer, if the task asks for one."""
    answer_data: JsonValue = None
    """The answer as data, if the task has a schema."""
    steps: int | None = None
    """How many steps its last episode had; None before its end."""
    attempts: int = 0
    """How many attempts it took; 0 before its end."""


class BatchMistake(ServiceAnswer):
    """Name a mistake in a batch."""

    line: int | None
    """The line of the YAML, from 1; None for JSON, and for a mistake that has no line."""
    text: str
    """What is wrong."""


class UnmatchedSelector(ServiceAnswer):
    """Name a selector that no phone of the fleet fits now. Tasks with it wait until such a phone comes."""

    task: str | None
    """The first task with this selector; None for the selector of the whole batch."""
    phones: str
    """The selector."""


class BatchCheck(ServiceAnswer):
    """Say what a submission would be answered. Nothing was stored."""

    tasks: int
    """How many tasks the batch has; 0 if it has mistakes."""
    deadline_warning: str | None = None
    """Why the deadline probably cannot be met; None if it can, or if there is none."""
    mistakes: tuple[BatchMistake, ...] = ()
    """What is wrong with the batch. Without mistakes it would be accepted."""
    unmatched: tuple[UnmatchedSelector, ...] = ()
    """Selectors that no phone fits now; at most 20."""
