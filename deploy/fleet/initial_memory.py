"""Load what tasks know before a run: tips and shortcuts from files, and hints for tasks that failed before.

Tips and shortcuts come from Mobile-Agent-E (section 3.2), hints from Mobile-Agent-v2 (section 4.2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from manyhands.actors.memory import initial_memory, read_shortcuts, read_tips
from manyhands.actors.memory.memory_service import MemoryContents
from manyhands.actors.profiles import PROFILES, profile_of
from manyhands.evaluation.episodes import Attempted, attempted, episodes_of
from manyhands.evaluation.judgements.judgements import Judgements, JudgeSource, read_all_judgements
from manyhands.evaluation.rewards import Rewards
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.summary import row_of
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.run_summary import Repeated
from manyhands.protocol.tasks.task import LONGEST_HINTS, TaskSpec, no_such_task
from manyhands.protocol.utilities.yaml_document import YamlProblem, read_yaml

MEMORY = "memory.sqlite"
"""The name of the memory file in a run folder, for a run that shares no memory."""


def memory_file(path: Path | None, folder: Path) -> Path:
    """Return the memory file of a run: the given one, or the one in the run folder."""
    return path or folder / MEMORY


def check_memory(path: Path | None, profile: str, is_encrypted: bool = False) -> None:
    """Open the memory file that was given, and close it again. ``is_encrypted``: whether the run folder will be.

    Raises BadInput if the file is no memory, cannot be written or has no folder, and if the profile learns nothing.
    """
    if path is None:
        if is_encrypted and profile_of(profile).learns:
            raise BadInput(
                f"encrypt_with: profile {profile!r} learns into {MEMORY} of the run folder, which is not encrypted; "
                "name a place for it by --memory"
            )
        return
    if not profile_of(profile).learns:
        learn = " or ".join(name for name, one in PROFILES.items() if one.learns)
        raise BadInput(f"--memory {path}: profile {profile!r} learns nothing; choose {learn}")
    if path.is_dir():
        raise BadInput(f"--memory {path}: is a folder; name a file in it")
    if not path.parent.is_dir():  # with a misspelt folder the run would begin with an empty memory, unnoticed
        raise BadInput(f"--memory {path}: there is no folder {path.parent}; make it (mkdir -p) or correct its name")
    try:
        MemoryContents(path).close()
    except (BadInput, StoreError) as error:
        raise BadInput(f"--memory: {error}") from error


def starting_memory(tips: Path | None, shortcuts: Path | None) -> LongTermMemory:
    """Return what every task of a run knows from the start: the initial tips and shortcut, then those of the files.

    Files that Mobile-Agent-E's code wrote begin with the initial tips and shortcut; these are not added twice. Raises
    BadInput.
    """
    start = initial_memory()
    tip_texts = () if tips is None else read_tips(tips)
    routines = () if shortcuts is None else read_shortcuts(shortcuts)
    ours = {one.name: one.steps for one in start.shortcuts}
    for one in routines:
        if ours.get(one.name, one.steps) != one.steps:
            raise BadInput(f"{shortcuts}: {one.name}: another shortcut of that name is there from the start")
    return LongTermMemory(
        tips=(*start.tips, *(tip for tip in tip_texts if tip not in start.tips)),
        shortcuts=(*start.shortcuts, *(one for one in routines if one.name not in ours)),
    )


def with_knowledge(
    tasks: Sequence[TaskSpec], hints: Path | None, failed: Path | None
) -> tuple[tuple[TaskSpec, ...], Repeated | None]:
    """Return the tasks with the hints of a file, if one is given.

    ``failed``: the folder of an earlier run. If it is given, keep only the tasks that failed in that run, and also
    return the row of that run. Raises BadInput.
    """
    hinted_tasks = tuple(tasks) if hints is None else with_hints(tasks, hints)
    return (hinted_tasks, None) if failed is None else failed_of(hinted_tasks, failed)


def with_hints(tasks: Sequence[TaskSpec], path: Path) -> tuple[TaskSpec, ...]:
    """Return the tasks with hints from a YAML file (task id: text), added after the hints that they have.

    Raises BadInput for an id that no task has, a hint that is no text, and hints that become too long for a task.
    """
    document = read_yaml(path)
    if not isinstance(document.data, dict):
        document.refuse([YamlProblem((), "not hints by the ids of tasks")])
    earlier_hints = {task.id: task.hints for task in tasks}
    mistakes, new_hints = [], {}
    for name, hint in document.data.items():
        if name not in earlier_hints:
            mistakes.append(YamlProblem((name,), no_such_task(name, earlier_hints)))
        elif not isinstance(hint, str) or not hint.strip():
            mistakes.append(YamlProblem((name,), f"{name}: not a text"))
        else:
            new_hints[name] = f"{earlier_hints[name]}\n{hint}".strip()
            if len(new_hints[name]) > LONGEST_HINTS:
                length = f"{len(new_hints[name])} characters of hints; a task may have {LONGEST_HINTS}"
                mistakes.append(YamlProblem((name,), f"{name}: {length}"))
    document.refuse(mistakes)
    return tuple(task.model_copy(update={"hints": new_hints.get(task.id, task.hints)}) for task in tasks)


def failed_of(tasks: Sequence[TaskSpec], folder: Path) -> tuple[tuple[TaskSpec, ...], Repeated]:
    """Return those of the tasks that failed in an earlier run, and what this run keeps of that run.

    ``_task_outcomes`` says by whose word a task has failed. A repeated task has failed if any of its repeats has.
    Raises BadInput if the folder is no run folder or has a broken judgement, and if no task has failed.
    """
    run = RunFolder(folder)
    outcomes = _task_outcomes(run)
    failed = {outcome.task for outcome in outcomes if not outcome.is_done}
    failed_tasks = tuple(task for task in tasks if task.id in failed)
    if not failed_tasks:
        raise BadInput(f"--failed-of {folder}: none of these tasks has failed in that run")
    again = {task.id for task in failed_tasks}
    other_outcomes = [outcome for outcome in outcomes if outcome.task not in again]
    return failed_tasks, Repeated(
        run=str(run.asked.get("run_id") or folder.resolve().name),
        folder=str(folder.resolve()),
        tasks=len(outcomes),
        kept_done=sum(outcome.is_done for outcome in other_outcomes),
        by=dict(Counter(outcome.by for outcome in outcomes)),
    )


Word = Literal["phone", "person", "model", "agent"]
"""Whose word decided: the phone's state, a person, a model, or the agent, which stopped by itself or did not."""
_JUDGES: tuple[JudgeSource, ...] = ("person", "model")
"""Sources of judgements. The word of an earlier one counts more."""


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """Hold whether a task of a run is done."""

    task: str
    """The task's id; of a repeat, the id of the task that it repeats."""
    is_done: bool
    by: Word


def _task_outcomes(run: RunFolder) -> tuple[TaskOutcome, ...]:
    """Return the outcome of each task of a run, in order.

    The phone's state decides where it told. Otherwise judges decide: persons before models, and if judges of one kind
    disagree, the task is not done. A task that nobody judged is done if the agent says so. Raises BadInput, or BadFile
    for a broken file of judgements.
    """
    judged = read_all_judgements(run)
    tasks = attempted(run.asked, episodes_of(scan.records for scan in run.journals.values()))
    return tuple(_outcome(task, judged) for task in tasks)


def _outcome(task: Attempted, judged: Sequence[Judgements]) -> TaskOutcome:
    row = row_of(task, Rewards())
    if row.verified is not None and not row.is_judged:
        return TaskOutcome(task.base_id, row.is_done, "phone")
    verdicts = _words(judged, task.attempts[-1].started.episode) if task.attempts else iter(())
    is_done, by = next(verdicts, (row.is_done, None))
    return TaskOutcome(task.base_id, is_done, by or "agent")


def _words(judged: Sequence[Judgements], episode: str) -> Iterator[tuple[bool, JudgeSource]]:
    """Yield what each kind of judges says of an episode, if any of them judged whether its task is done."""
    for source in _JUDGES:
        ones = (one.episodes[episode] for one in judged if one.source == source and episode in one.episodes)
        words = [one.success for one in ones if one.success is not None]
        if words:
            yield all(words), source
