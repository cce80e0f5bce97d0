"""Define tasks as people write them: goals with an id, limits and a check. Read them from files."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticSerializationError

from manyhands.protocol.errors import BadInput
from manyhands.protocol.policy import GrantText
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.runs.limits import Limits
from manyhands.protocol.secrets import secret_names
from manyhands.protocol.tasks.answers import AnswerSpec
from manyhands.protocol.tasks.build import Build, DeviceSettings
from manyhands.protocol.tasks.flow import Flow
from manyhands.protocol.tasks.predicates import FORMS, Predicate, asks_provider, statements
from manyhands.protocol.tasks.selectors import LONGEST_SELECTOR, Selector, is_label_name
from manyhands.protocol.tasks.side_effects import ADDRESS, AllowedChange, check_watched
from manyhands.protocol.tasks.task_size import PatternTotal, find_misfit
from manyhands.protocol.tasks.variables import ExpansionTooLarge, VariableExpansion
from manyhands.protocol.utilities.validation_words import near_names
from manyhands.protocol.utilities.yaml_document import (
    Loc,
    YamlDocument,
    YamlProblem,
    find_problems,
    parse_yaml,
    read_yaml,
    unknown_keys,
)

MOST_MISTAKES = 100
"""After so many mistakes, further tasks of a file are not looked at."""


class Check(PublicInput):
    """Define when the task is done. The phone's true state decides this, not the agent's words."""

    source: str | None = Field(default=None, pattern=rf"^{ADDRESS}$")
    """The address of the state that paths look into; None if ``holds`` has no path. The phone's transport reads it
    (``PhoneTransport`` in ``actors.interfaces``). With adb, it names a content provider: that of virtual phones, or one
    of an app."""
    open: str | None = Field(default=None, min_length=1, max_length=400)
    """An app, by its label, or a link (``scheme:...``). It is opened before the check is asked."""
    holds: Predicate
    """The predicate that must hold at the end."""

    @model_validator(mode="before")
    @classmethod
    def _has_its_predicate_under_holds(cls, value: Any) -> Any:
        if isinstance(value, dict) and "holds" not in value:
            for key in map(str, value):
                form = next(iter(near_names(key, [*FORMS, *cls.model_fields])), "")
                if form in FORMS:
                    raise ValueError(f"write {form!r} under 'holds', as in check: {{holds: {{{form}: ...}}}}")
        return value

    @model_validator(mode="after")
    def _paths_have_a_source(self) -> Self:
        if self.source is None and asks_provider(self.holds):
            raise ValueError("'path' and 'some' look into the state of a 'source', and the check names none")
        return self


RubricOrigin = Literal["goal", "paper", "ours", "authors"]
"""Where a milestone comes from: ``goal`` the words of the instruction, ``paper`` the paper's text, ``ours`` our own
judgement, ``authors`` a file of the paper's authors."""


class Rubric(PublicInput):
    """Define a milestone, which is evaluated after every step (Mobile-Agent-E, section 4.2: Satisfaction Score)."""

    name: str = Field(min_length=1, max_length=500)
    """The name of the milestone."""
    holds: Predicate | None = None
    """None if the phone cannot tell whether it is reached. Then a judge decides."""
    by: int | None = Field(default=None, ge=1)
    """The number of the human operation that achieves it, counted from 1. The completion rate needs it."""
    origin: RubricOrigin | None = None
    """Where it comes from, if it belongs to a paper's instruction; None in a file of tasks."""

    @field_validator("holds")
    @classmethod
    def _asks_no_judge(cls, holds: Predicate | None) -> Predicate | None:
        if holds is not None and statements(holds):
            raise ValueError("a judge is asked only when the episode has ended: move the statement to the task's check")
        return holds


LONGEST_HINTS = 4000
"""In characters."""
LARGEST_GROUP = 100
"""The most episodes of a group."""


class TaskSpec(PublicInput):
    """Describe a goal and all that belongs to one attempt at it. Variables are already filled in."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$")
    """The id of the task. It must differ from those of other tasks."""
    goal: str = Field(min_length=1, max_length=4000)
    """What is to be done, in plain language."""
    apps: tuple[str, ...] = ()
    """The apps that the task names. It reads what memory holds for these apps."""
    hints: str = Field(default="", max_length=LONGEST_HINTS)
    """Knowledge that is put into the prompts."""
    allow: tuple[GrantText, ...] = ()
    """Effects that the actions of this task may have without a question, such as ``send:Messages:Anna``."""
    tags: tuple[str, ...] = ()
    """Words by which the task can be found and chosen."""
    priority: int = Field(default=0, ge=-100, le=100)
    """Tasks with a higher number run first."""
    phones: Selector = ""
    """Which phones may carry it out, by their labels, for example ``model=Pixel 8``; empty for all phones."""
    memory_scope: str | None = None
    """Where lessons of the task are kept, such as ``app:Notes``; None for the profile's own choice."""
    recall_scopes: tuple[str, ...] = ()
    """Other memory scopes from which a retriever chooses tips and shortcuts (Mobile-Agent-E, section 5.4)."""
    limits: Limits = Limits()
    """The limits of each episode."""
    attempts: int = Field(default=3, ge=1, le=20)
    """The most attempts, without ``retries``. An interrupted attempt that can be resumed goes on as the same one."""
    retries: int = Field(default=0, ge=0, le=20)
    """How many more attempts may follow attempts that did not pass. ``attempts`` does not count them."""
    repeat_of: str | None = None
    """The id of the task that this one repeats (``protocol.tasks.repeats``)."""
    group: int | None = Field(default=None, ge=1, le=LARGEST_GROUP)
    """How many episodes are made of it, all from the same ``reset_seed`` (0 without one), for trainers."""
    group_enough: int | None = Field(default=None, ge=1, le=LARGEST_GROUP)
    """So many of the group's episodes are enough: the others are then cancelled. A fault's end does not count."""
    matrix: str = Field(default="", max_length=100)
    """A label of phones, such as `serial` or `model`: the task is carried out once for each of its values."""
    matrix_value: str = Field(default="", max_length=LONGEST_SELECTOR)
    """Written for ``matrix``: the value of the label on the phones that carry it out."""
    sample: int = Field(default=0, ge=0, le=LARGEST_GROUP)
    """Written for ``group``: the number of the episode in its group, from 1; 0 for a task outside groups."""
    reset_seed: int | None = None
    """The content to which phones with a ``reset_provider`` (virtual ones have one) are set before each attempt."""
    build: Build | None = None
    """The app that the task tests; None if it tests none."""
    device: DeviceSettings | None = None
    """The settings that the phone has during the task; None leaves them as they are."""
    check: Check | None = None
    """What must hold at the end; None if nothing is checked."""
    flow: Flow | None = None
    """The steps of an episode that did it before, for the profile ``flow``; None if there are none."""
    answer: AnswerSpec | None = None
    """The form that the agent's answer must have; None if the task asks for no information."""
    rubrics: tuple[Rubric, ...] = ()
    """Milestones, which are evaluated after every step."""
    unchanged: tuple[Annotated[str, AfterValidator(check_watched)], ...] = ()
    """What must stay as it is. An entry names a part of any phone's state, such as ``settings.global``, or the address
    of a provider."""
    changes: tuple[AllowedChange, ...] = ()
    """The changes in ``unchanged`` that are allowed."""
    by_hand: str | None = Field(default=None, min_length=1, max_length=64)
    """Who carries it out by hand, without the agent; None for a task of the agent. Each episode begins as taken over by
    this person, and ends when the person hands it back."""
    human_operations: tuple[str, ...] = ()
    """The operations of a human, such as ``tap Save``. They are counted, and played on virtual phones."""
    human_steps: int | None = Field(default=None, ge=1)
    """The number of a human's operations, if these are not listed (Mobile-Agent, table 2)."""

    @field_validator("rubrics")
    @classmethod
    def _names_differ(cls, rubrics: tuple[Rubric, ...]) -> tuple[Rubric, ...]:
        names = [rubric.name for rubric in rubrics]
        if len(set(names)) != len(names):
            raise ValueError("two rubrics have the same name")
        return rubrics

    @model_validator(mode="after")
    def _changes_are_of_something(self) -> Self:
        if self.changes and not self.unchanged:
            raise ValueError("'changes' says what of 'unchanged' may change, and the task names nothing there")
        return self

    @property
    def secrets(self) -> frozenset[str]:
        """Return the names of the secrets that may be typed for it."""
        return secret_names(self.goal, self.hints)

    @property
    def base_id(self) -> str:
        """Return the id of the task that this one repeats; its own id if it repeats none."""
        return self.repeat_of or self.id

    def seed_of(self, attempt: int) -> int:
        """Return what an attempt adds to the seed of the model's sampling. Each attempt of a group has its own seed."""
        return self.sample + (self.group or 0) * (attempt - 1) if self.sample else 0

    @model_validator(mode="after")
    def _has_a_matrix_of_a_label(self) -> Self:
        if self.matrix and not is_label_name(self.matrix):
            raise ValueError(f"'matrix' names a label of phones, such as serial or model, and not {self.matrix!r}")
        if self.matrix and self.group is not None:
            raise ValueError("a task has a 'matrix' or a 'group', not both")
        return self

    @model_validator(mode="after")
    def _names_the_app_of_its_language(self) -> Self:
        if self.device is not None and self.device.locale is not None and self.build is None:
            raise ValueError("'locale' is the language of an app: name its package under 'build'")
        return self

    @model_validator(mode="after")
    def _has_episodes_that_compare(self) -> Self:
        if self.group is None:
            if self.group_enough is not None:
                raise ValueError("'group_enough' says how many episodes of a 'group' are enough, and there is none")
            return self
        if self.group_enough is not None and self.group_enough > self.group:
            raise ValueError(f"'group_enough' is {self.group_enough}, and the group has {self.group} episodes")
        for key in ("retries", "memory_scope", "by_hand"):
            if getattr(self, key):
                raise ValueError(f"a task of a 'group' has no {key!r}: its episodes must not depend on each other")
        return self

    @property
    def human_count(self) -> int:
        """Return how many operations a human needs; 0 if that is unknown."""
        return self.human_steps or len(self.human_operations)

    @property
    def asks_judge(self) -> bool:
        """Return whether the check contains a statement for a judge."""
        return self.check is not None and bool(statements(self.check.holds))

    @model_validator(mode="after")
    def _operations_are_there(self) -> Self:
        if self.human_steps is not None and self.human_operations and self.human_steps != len(self.human_operations):
            raise ValueError(
                f"human_steps is {self.human_steps}, and there are {len(self.human_operations)} operations"
            )
        for rubric in self.rubrics:
            if rubric.by is not None and rubric.by > len(self.human_operations):
                count = len(self.human_operations)
                raise ValueError(f"the rubric {rubric.name!r} is by operation {rubric.by}, and there are {count}")
        return self


def parse_tasks(document: YamlDocument) -> tuple[TaskSpec, ...]:
    """Read tasks from the content of a YAML or JSON file: a list of tasks, or a mapping with ``tasks``.

    A mapping may have ``defaults``; every task takes from them the keys that it lacks. A task may have ``variables``:
    every ``${name}`` in its texts is replaced by the value. Raises BadFile, which names the line, task and key of each
    mistake.
    """
    data = document.data
    at: Loc = ()
    mistakes: list[YamlProblem] = []
    defaults: dict[str, Any] = {}
    if isinstance(data, dict):
        if "goal" in data:
            document.refuse([YamlProblem((), "a file of tasks is a list: begin each task with '- '")])
        mistakes += unknown_keys(data, ("suite", "description", "defaults", "tasks"))
        defaults, at = data.get("defaults") or {}, ("tasks",)
        if not isinstance(defaults, dict):
            mistakes.append(YamlProblem(("defaults",), "'defaults' is not a mapping"))
            defaults = {}
        data = data.get("tasks")
    if data == []:
        mistakes.append(YamlProblem(at, "holds no task: begin each one with '- '"))
    elif not isinstance(data, list):
        mistakes.append(YamlProblem(at, "needs a list of tasks, or a mapping with the key 'tasks'"))
        data = []
    parsed: list[_Parsed] = []
    first: dict[str, _Parsed] = {}
    expansion, total = VariableExpansion(), PatternTotal()
    for index, item in enumerate(data):
        if len(mistakes) >= MOST_MISTAKES or total.is_over:
            mistakes.append(YamlProblem((*at, index), "what follows was not checked"))
            break
        one = _Parsed(item, index, defaults, (*at, index), expansion, total)
        parsed.append(one)
        mistakes += one.mistakes
        if one.id is not None and first.setdefault(one.id, one) is not one:
            mistakes.append(YamlProblem((*one.at, "id"), f"{one.name}: {first[one.id].name} has this id, too"))
    document.refuse(mistakes)
    return tuple(one.task for one in parsed if one.task is not None)


def parse_task(data: Any, total: PatternTotal, at: Loc = ()) -> tuple[TaskSpec | None, Sequence[YamlProblem]]:
    """Return the task that ``data`` describes, or None and what is wrong. Raises RecursionError.

    ``total``: the patterns of the tasks that are read with it; ``at``: its place.
    """
    task = None
    misfit = find_misfit(data) or total.find_excess(data)
    if misfit is None:  # each value of a huge task may be a mistake
        try:
            task = TaskSpec.model_validate(data)
            misfit = find_misfit(task.model_dump(mode="json", by_alias=True))
        except ValidationError as error:
            return None, find_problems(error, TaskSpec, at)
        except PydanticSerializationError as error:
            misfit = (), f"cannot be stored: {error}"
    if misfit is None:
        return task, ()
    loc = (*at, *misfit[0])
    return None, [YamlProblem(loc, f"{'.'.join(map(str, loc))}: {misfit[1]}" if loc else misfit[1])]


def read_tasks(path: Path | str) -> tuple[TaskSpec, ...]:
    """Read the tasks of a file. A string with a line break is taken as the content of a file instead of a path.

    Raises BadInput, which names the file, and the line, task and key of each mistake.
    """
    if isinstance(path, str) and "\n" in path:
        return parse_tasks(parse_yaml(path, "tasks"))
    return parse_tasks(read_yaml(Path(path)))


def goal_id(number: int) -> str:
    """Return the id of a task that was given as a sentence. ``number``: its place among them."""
    return f"goal-{number}"


def tasks_from_goals(goals: Sequence[str], first: int = 1) -> tuple[TaskSpec, ...]:
    """Return a task for each goal, with the ids ``goal-1``, ``goal-2``, ...; ``first``: the number of the first one."""
    tasks = [{"id": goal_id(number), "goal": goal} for number, goal in enumerate(goals, first)]
    return parse_tasks(YamlDocument(tasks, "--goal"))


def select(tasks: Sequence[TaskSpec], ids: Sequence[str], tags: Sequence[str] = ()) -> tuple[TaskSpec, ...]:
    """Return the tasks with one of ``ids`` and one of ``tags``. Empty ``ids`` or ``tags`` exclude nothing.

    Raises BadInput if an id is unknown, or if no task is left.
    """
    task_ids = [task.id for task in tasks]
    for name in ids:
        if name not in task_ids:
            raise BadInput(f"--task {no_such_task(name, task_ids)}")
    selection = tuple(
        task for task in tasks if (not ids or task.id in ids) and (not tags or set(tags) & set(task.tags))
    )
    if not selection:
        raise BadInput(f"no task has a tag of {', '.join(tags)}")
    return selection


def limit_steps(tasks: Sequence[TaskSpec], max_steps: int | None) -> tuple[TaskSpec, ...]:
    """Return the tasks with ``max_steps`` as their limit of steps; unchanged if it is None."""
    if max_steps is None:
        return tuple(tasks)
    return tuple(
        task.model_copy(update={"limits": Limits.model_validate({**task.limits.model_dump(), "max_steps": max_steps})})
        for task in tasks
    )


def batch_name(number: int) -> str:
    """Return the name of a run's batch, counted from 1."""
    return f"batch-{number}"


def no_such_task(name: str, task_ids: Iterable[str]) -> str:
    """Return a message about an unknown id, which names similar ids or, if there are none, all ids."""
    ids = sorted(task_ids)
    near = difflib.get_close_matches(name, ids)
    some = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(ids)}"
    return f"{name}: no such task; {some}"


class _Parsed:
    """Parse one task of a file. ``task`` is the result; ``mistakes`` holds what is wrong."""

    def __init__(
        self,
        item: Any,
        index: int,
        defaults: dict[str, Any],
        at: Loc,
        expansion: VariableExpansion,
        total: PatternTotal,
    ) -> None:
        """Parse ``item``, which stands at ``at`` in the file. ``index``: its place among the tasks, from 0."""
        self.at = at
        self._expansion, self._total = expansion, total
        self._defaults = defaults
        self.task: TaskSpec | None = None
        self.mistakes: list[YamlProblem] = []
        self._item: dict[str, Any] = item if isinstance(item, dict) else {}
        self.id = self._item.get("id") if isinstance(self._item.get("id"), str) else None
        self.name = f"task {index + 1}" + (f" ({self.id})" if self.id else "")
        if isinstance(item, dict):
            self._parse({**defaults, **item})
        else:
            self._blame((), "is not a mapping")

    def _parse(self, merged: dict[str, Any]) -> None:
        variables = merged.pop("variables", {})
        if not isinstance(variables, dict):
            self._blame(("variables",), "'variables' is not a mapping")
            return
        try:
            filled = self._expansion.fill(merged, variables, self._blame)
            self.task, mistakes = parse_task(filled, self._total)
        except ExpansionTooLarge as error:
            self._blame((), str(error))
            return
        except RecursionError:
            self._blame((), "is nested too deeply")
            return
        for mistake in mistakes:
            self._blame(mistake.loc, mistake.said)
        if self.task is not None and (self.task.check is None or self.task.check.source is None):
            predicates = [rubric.holds for rubric in self.task.rubrics if rubric.holds is not None]
            if any(asks_provider(predicate) for predicate in predicates):
                self._blame(
                    ("rubrics",), "a 'path' of 'holds' is looked up at the check's 'source', so these need a 'check'"
                )

    def _blame(self, loc: Loc, problem: str) -> None:
        """Add a mistake at ``loc``. If the key comes from the file's defaults, the mistake is reported there."""
        if loc and loc[0] not in self._item and loc[0] in self._defaults:
            self.mistakes.append(YamlProblem(("defaults", *loc), f"defaults: {problem}"))
        else:
            self.mistakes.append(YamlProblem((*self.at, *loc), f"{self.name}: {problem}"))
