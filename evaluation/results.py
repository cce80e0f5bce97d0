"""Collect the results of a run as rows, one for each task, for tables, CSV files and CI systems."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from manyhands.evaluation.comparison.screen_paths import VisitedScreen, screens_of
from manyhands.evaluation.episode_view import describe_decision
from manyhands.evaluation.episodes import Attempted, RecordedEpisode, attempted, attempted_by_id, episodes_of
from manyhands.evaluation.rewards import Rewards
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.summary import row_of
from manyhands.evaluation.usage import all_calls_of
from manyhands.protocol.base import Ending, Message
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import ScreenCaptured
from manyhands.protocol.runs.run_summary import TaskRow
from manyhands.protocol.tasks.repeats import TaskRepeats, count_repeats
from manyhands.protocol.tasks.unmet_tests import UnmetTest

Verdict = Literal["passed", "passed_on_retry", "judged_done", "failed", "judged_not_done", "undecided", "cancelled"]
"""``passed``: the check held or, if there is none, the agent finished, at the first attempt that ended through the task
itself. ``passed_on_retry``: the same at a later attempt. ``judged_done``: the check held by a judge's word, at any
attempt. ``failed``: the check did not hold, or the agent did not finish. ``judged_not_done``: the check did not hold by
a judge's word. ``undecided``: nobody could ask the check. ``cancelled``: the task did not run to its end."""
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""With these characters a spreadsheet begins a formula."""


class FailedTry(Message):
    """Hold an attempt that did not pass and was followed by a retry."""

    episode: str
    finished: Ending
    reason: str
    unmet: tuple[UnmetTest, ...]

    def __str__(self) -> str:
        """Return what the attempt's check did not find, or why the attempt ended."""
        return "; ".join(map(str, self.unmet)) or f"{self.finished.value}: {self.reason}"


class TaskResult(TaskRow):
    """Hold the result of one task: its row of the summary, and other facts that people look for."""

    run: str
    batch: str = ""
    goal: str
    verdict: Verdict
    seconds: float
    """From the start of the first episode to the end of the one that decided the task."""
    model_calls: int
    """The number of model calls in all episodes. The numbers of tokens cover all episodes, too."""
    input_tokens: int
    output_tokens: int
    episode: str | None
    """The episode that decided the task."""
    journal: str | None = None
    """The journal's file of the episode that decided the task, relative to the run folder."""
    last_action: str | None
    last_screen: str | None
    """The file of the screen that the check looked at, otherwise of the last screenshot, relative to the run folder."""
    failed_tries: tuple[FailedTry, ...] = ()
    """The attempts that did not pass, before the last one."""
    repeats: TaskRepeats | None = None
    """What became of all repeats of the task; None if it was not repeated."""
    product: str = ""
    """The maker's name for the phone's build; empty if the phone did not tell it."""
    trace: str = ""
    """The stack trace of the crash that ended the episode; empty without one."""
    screens: tuple[VisitedScreen, ...] = Field(default=(), exclude=True)
    """The screens of the episode that decided the task, to compare runs. No output has them."""

    @property
    def passes(self) -> bool:
        """Return whether the task passed, at whatever attempt."""
        return self.verdict in ("passed", "passed_on_retry", "judged_done")

    @property
    def shown_verdict(self) -> str:
        """Return the verdict for people, such as ``passed on retry 2`` or ``judged done``."""
        words = self.verdict.removesuffix("_on_retry").replace("_", " ")
        return f"{words} on retry {self.retries}" if self.retries else words


def results_of(run: RunFolder) -> tuple[TaskResult, ...]:
    """Return a row for each task, in the order of the run. Raises BadInput, and StoreError for a broken folder."""
    episodes = episodes_of(scan.records for scan in run.journals.values())
    return _rows(run, attempted(run.asked, episodes))


def results_of_tasks(run: RunFolder, tasks: Sequence[Mapping[str, Any]], batch: str) -> tuple[TaskResult, ...]:
    """Return a row for each of these tasks, in order, from the journals of their episodes alone.

    A task is a mapping with an ``id``, as in run.yaml, and need not be in run.yaml. ``batch``: the name of their batch.
    Raises BadInput, StoreError and OSError.
    """
    journals = run.journals_of([task["id"] for task in tasks])
    return _rows(run, attempted_by_id(tasks, episodes_of(scan.records for scan in journals.values()), batch))


def _rows(run: RunFolder, tasks: Iterable[Attempted]) -> tuple[TaskResult, ...]:
    name = str(run.asked.get("run_id") or run.path.name)
    rewards = Rewards.of_run(run)
    results = [_result(name, run, task, rewards) for task in tasks]
    repeats = {one.task: one for one in count_repeats(results)}
    return tuple(result.model_copy(update={"repeats": repeats.get(result.repeat_of or "")}) for result in results)


def select_batch(results: Sequence[TaskResult], batch: str) -> tuple[TaskResult, ...]:
    """Return the rows of one batch of the run. Raises BadInput for a batch that the run does not have."""
    batches = dict.fromkeys(result.batch for result in results)
    if batch not in batches:
        names = ", ".join(filter(None, batches)) or "none with a name"
        raise BadInput(f"--batch {batch}: no such batch; there are {names}")
    return tuple(result for result in results if result.batch == batch)


def _result(name: str, run: RunFolder, task: Attempted, rewards: Rewards) -> TaskResult:
    row = row_of(task, rewards)
    last = task.attempts[-1] if task.attempts else None
    records = [record for episode in task.attempts for record in episode.records]
    calls = all_calls_of(records)
    shots = [record.screenshot.content_id for record in records if isinstance(record, ScreenCaptured)]
    if last is not None and last.ended is not None and last.ended.check_screen is not None:
        shots.append(last.ended.check_screen)
    decisions = last.decisions if last else {}
    crash = last.ended.crash if last and last.ended else None
    screen = run.screen_path(shots[-1]) if shots else None
    return TaskResult(
        **dict(row),
        run=name,
        batch=task.batch,
        goal=str(task.asked.get("goal") or (last.started.task.goal if last else "")),
        verdict=verdict_of(row),
        seconds=last.last_at - task.attempts[0].started.at if last else 0.0,
        model_calls=len(calls),
        input_tokens=sum(call.usage.input_tokens for call in calls),
        output_tokens=sum(call.usage.output_tokens for call in calls),
        episode=last.started.episode if last else None,
        journal=f"episodes/{last.started.episode}/journal.mh" if last else None,
        last_action=describe_decision(decisions[max(decisions)]) if decisions else None,
        last_screen=None if screen is None or not screen.is_file() else screen.relative_to(run.path).as_posix(),
        failed_tries=tuple(map(_failed_try, task.failed_before)),
        product=last.product if last else "",
        trace=crash.trace if crash else "",
        screens=screens_of(last) if last else (),
    )


def _failed_try(episode: RecordedEpisode) -> FailedTry:
    ended = episode.ended
    return FailedTry(
        episode=episode.started.episode,
        finished=episode.ending,
        reason=ended.explanation if ended else "",
        unmet=ended.unmet if ended else (),
    )


def verdict_of(row: TaskRow) -> Verdict:
    """Return the verdict on a task from its row."""
    if row.is_judged and row.answered:
        return "judged_done" if row.verified else "judged_not_done"
    if row.is_done:
        return "passed_on_retry" if row.retries else "passed"
    if row.finished is Ending.CANCELLED:
        return "cancelled"
    if row.has_check and row.verified is None and row.answered:
        return "undecided"
    return "failed"


# ---------------------------------------------------------------------------- as text
COLUMNS = (
    "id", "verdict", "finished", "verified", "verified_by", "unmet", "unexpected_changes", "answer", "steps",
    "human_steps", "attempts", "retries", "repeat_of", "repeats", "matrix", "matrix_value", "reward", "seconds",
    "model_calls", "input_tokens", "output_tokens", "phone", "reason", "goal", "episode", "journal", "last_screen",
    "run", "batch",
)  # fmt: skip
"""The columns of a CSV file. If answers are JSON objects, a column for each of their keys replaces ``answer``."""


def to_csv(results: Iterable[TaskResult]) -> str:
    """Return rows as CSV (RFC 4180). A text that a spreadsheet would take for a formula is marked as text.

    If a task's answer is a list of objects, each object has a line. The task's other columns are repeated there.
    """
    rows = list(results)
    lines = [(row, answer) for row in rows for answer in _answer_items(row) or [{}]]
    keys = answer_columns(rows)
    columns = list(COLUMNS)
    if keys:
        at = columns.index("answer")
        columns[at : at + 1] = [f"answer.{key}" for key in keys]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\r\n")
    writer.writeheader()
    for row, answer in lines:
        values = {f"answer.{key}": value for key, value in answer.items()} | row.model_dump(mode="json")
        values |= {"unmet": "; ".join(map(str, row.unmet)), "seconds": round(row.seconds, 1)}
        values["repeats"] = None if row.repeats is None else str(row.repeats)
        values["unexpected_changes"] = "; ".join(map(str, row.unexpected_changes or ()))
        writer.writerow({name: _cell(values.get(name)) for name in columns})
    return text.getvalue()


def to_json_lines(results: Iterable[TaskResult]) -> str:
    """Return the rows as JSON objects, one on each line."""
    return "".join(f"{row.model_dump_json()}\n" for row in results)


def answer_columns(results: Iterable[TaskResult]) -> list[str]:
    """Return the keys of all answers that are JSON objects or lists of them, each once."""
    return list(dict.fromkeys(key for result in results for item in _answer_items(result) for key in item))


def _answer_items(result: TaskResult) -> list[dict[str, Any]]:
    """Return the objects in an answer: the JSON object that it is, or the items of a list of objects, or else nothing.

    A list counts only if the task asked for its answer as data.
    """
    answer: Any = result.answer_data
    if answer is None:
        try:
            answer = json.loads(result.answer or "")
        except (ValueError, RecursionError):
            return []
        return [answer] if isinstance(answer, dict) else []
    listed = answer if isinstance(answer, list) else [answer]
    return listed if all(isinstance(item, dict) for item in listed) else []


def answer_fields(result: TaskResult) -> dict[str, str]:
    """Return an answer's fields by key, with the values of several objects one after another."""
    items = _answer_items(result)
    keys = dict.fromkeys(key for item in items for key in item)
    return {key: "; ".join(_cell(item[key]) for item in items if key in item) for key in keys}


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA_STARTS) and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
