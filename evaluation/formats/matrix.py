"""Write tasks with a matrix as one self-contained page: who passed, why others did not, and each step on all phones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from manyhands.evaluation.episode_view import EpisodePage, StepView, describe_action, view_episode
from manyhands.evaluation.episodes import RecordedEpisode, episode_of
from manyhands.evaluation.formats.results import link_to_episode
from manyhands.evaluation.markup import embed_pictures, page_templates
from manyhands.evaluation.replay_report import element_at
from manyhands.evaluation.results import TaskResult
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput
from manyhands.protocol.profiles.flow import MATCH, FlowMove
from manyhands.protocol.screens.actions import Action, RunShortcut, Stop, Swipe, points_of
from manyhands.protocol.screens.screen import Screen
from manyhands.protocol.tasks.flow import Flow, direction_of
from manyhands.protocol.tasks.matrix import group_values

PICTURE_WIDTH = 200
MOST_ROWS = 40
"""The most steps that a task's table has."""
MOST_CELLS = 1000
"""The most screens that a task's table has beside the last ones: with many phones it has fewer rows, but five."""
FEWEST_ROWS = 5
LONGEST_TEXT = 120
"""The most characters of an action's text in a cell."""

Place = tuple[int, int, int]
"""Orders the rows of a flow: its step, 1 for the step itself or 0 for what was done before it, and a count of that."""


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """Hold what one phone showed and did in a row."""

    step: StepView
    words: str
    """The action, without coordinates: phones differ in size."""
    note: str = ""
    """What went wrong, or why the flow's step was not done."""
    differs: bool = False
    """Whether most other phones did something else."""


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """Hold one step on all phones."""

    title: str
    cells: Sequence[MatrixCell | None]
    """In the order of the columns; None for a phone that did not come to this step."""


@dataclass(frozen=True, slots=True)
class MatrixColumn:
    """Hold the phone, or phones, of one value."""

    result: TaskResult
    reason: str
    """Why the task did not pass; empty if it did."""
    link: str | None
    page: EpisodePage | None
    """The episode that decided the task; None if no phone was given it."""

    @property
    def last_screen(self) -> str | None:
        """Return the content id of the last screen, or of the one that the check looked at."""
        return None if self.result.last_screen is None else Path(self.result.last_screen).stem

    @property
    def end(self) -> MatrixCell | None:
        """Return the last step if nothing was sent in it; None if the last action was followed by no step."""
        steps = [] if self.page is None else self.page.steps
        return _cell(steps[-1], None) if steps and _is_end(steps[-1]) else None

    @property
    def flow(self) -> Flow | None:
        """Return the flow that the task has; None without one."""
        return None if self.page is None else self.page.started.task.flow

    @property
    def acting(self) -> Sequence[StepView]:
        """Return the steps with their screens, but for one in which nothing more was sent."""
        steps = [] if self.page is None else self.page.steps
        return [step for step in (steps[:-1] if steps and _is_end(steps[-1]) else steps) if step.screenshot]


@dataclass(frozen=True, slots=True)
class TaskMatrix:
    """Hold the steps of one task, side by side for all values."""

    task: str
    label: str
    goal: str
    columns: Sequence[MatrixColumn]
    rows: Sequence[MatrixRow]
    rows_left_out: int


@dataclass(frozen=True, slots=True)
class MatrixCause:
    """Hold why tasks did not pass, and where."""

    ending: str
    reason: str
    places: Sequence[str]
    """The tasks with their values and last actions, such as ``look on Pixel 8, after Tap “Save”``."""
    trace: str
    """The stack trace of the first of them; empty if no app crashed."""


def to_matrix_page(results: Sequence[TaskResult], run: RunFolder, written_to: Path | None = None) -> str:
    """Return the page. ``written_to``: the page's file, for its links, as for the page of results.

    Raises BadInput for a run without a matrix.
    """
    groups = group_values(results)
    if not groups:
        raise BadInput(
            f"{run.path}: no task has a 'matrix', so there are no phones to compare: give a task 'matrix: serial' or"
            " another label (docs/tasks.md) and run it; --format html shows this run"
        )
    matrices = [_matrix(task, label, rows, run, written_to) for (task, label), rows in groups.items()]
    return (
        page_templates("manyhands.evaluation")
        .get_template("matrix.html.jinja")
        .render(
            run=results[0].run,
            matrices=matrices,
            labels={label: _values(matrices, label) for label in dict.fromkeys(one.label for one in matrices)},
            causes=_causes(chain.from_iterable(one.columns for one in matrices)),
            pictures=embed_pictures(run, sorted(set(_pictures(matrices))), PICTURE_WIDTH),
        )
    )


def _values(matrices: Iterable[TaskMatrix], label: str) -> Sequence[str]:
    """Return the values that tasks have of a label."""
    columns = chain.from_iterable(one.columns for one in matrices if one.label == label)
    return sorted({column.result.matrix_value for column in columns})


def _matrix(
    task: str, label: str, results: Sequence[TaskResult], run: RunFolder, written_to: Path | None
) -> TaskMatrix:
    columns = [_column(result, run, written_to) for result in results]
    rows = list(_rows(columns))
    most = min(MOST_ROWS, max(FEWEST_ROWS, MOST_CELLS // len(columns)))
    return TaskMatrix(task, label, results[0].goal, columns, rows[:most], max(0, len(rows) - most))


def _column(result: TaskResult, run: RunFolder, written_to: Path | None) -> MatrixColumn:
    scan = None if result.episode is None else run.journal(result.episode)
    episode: RecordedEpisode | None = None if scan is None else episode_of(scan.records)
    page = None if episode is None or not episode.on_a_phone else view_episode(episode)
    reason = "" if result.passes else result.reason
    return MatrixColumn(result, reason, link_to_episode(run, result.episode, written_to), page)


# ---------------------------------------------------------------------------- causes
def _causes(columns: Iterable[MatrixColumn]) -> Sequence[MatrixCause]:
    """Return why tasks did not pass, the most frequent cause first. Reasons that differ in serials only are one."""
    groups: dict[tuple[str, str], list[MatrixColumn]] = {}
    for column in columns:
        if not column.result.passes:
            key = (column.result.finished.value, _without_serial(column.reason, column.result.phone))
            groups.setdefault(key, []).append(column)
    causes = [
        MatrixCause(ending, reason, list(map(_place, group)), next((one.result.trace for one in group), ""))
        for (ending, reason), group in groups.items()
    ]
    return sorted(causes, key=lambda cause: len(cause.places), reverse=True)


def _place(column: MatrixColumn) -> str:
    """Return which task failed, where, and after which action."""
    result = column.result
    touching = [step for step in column.acting if any(atom.touches for atom in step.atoms)]
    after = f", after {_action_words(touching[-1])}" if touching else ""
    return f"{result.repeat_of or result.id} on {result.matrix_value}{after}"


def _without_serial(reason: str, serial: str | None) -> str:
    return re.sub(rf"(?:\bphone )?(?<!\w){re.escape(serial)}(?!\w)", "the phone", reason) if serial else reason


# ---------------------------------------------------------------------------- steps side by side
def _rows(columns: Sequence[MatrixColumn]) -> Iterator[MatrixRow]:
    """Yield the rows. Episodes that followed a flow are aligned by its steps, others by the numbers of their steps."""
    cells = [dict(_cells(column.acting, column.flow)) for column in columns]
    titles = {place: title for column in cells for place, (title, _) in column.items()}
    for place in sorted(titles):
        row = [column[place][1] if place in column else None for column in cells]
        did = Counter(cell.words if cell else None for cell in row if cell or place[1] == 0)
        yield MatrixRow(titles[place], [cell and _compared(cell, did) for cell in row])


def _compared(cell: MatrixCell, did: Mapping[str | None, int]) -> MatrixCell:
    """Return a cell marked if fewer than half of the others did the same. ``did``: how many did what."""
    others = sum(did.values()) - 1
    return MatrixCell(cell.step, cell.words, cell.note, differs=2 * (did[cell.words] - 1) < others)


def _cells(steps: Sequence[StepView], flow: Flow | None) -> Iterator[tuple[Place, tuple[str, MatrixCell]]]:
    """Yield the place, the title and the cell of each step. Waits of a flow are left out."""
    moves = {step.number: _move(step) for step in steps}
    following, before = 0, Counter[int]()
    for step in steps:
        move = moves[step.number]
        if flow is None or not any(moves.values()):
            yield (step.number, 1, 0), (f"step {step.number}", _cell(step, None))
            continue
        following = following if move is None else move.step
        if move is not None and move.kind == "step":
            title = f"step {following + 1} of the flow: {_cut(flow.steps[following].words)}"
            yield (following, 1, 0), (title, _cell(step, move))
        elif move is None or move.kind != "wait":
            before[following] += 1
            title = f"before step {following + 1} of the flow" if following < len(flow.steps) else "after the flow"
            yield (following, 0, before[following]), (title, _cell(step, move))


def _move(step: StepView) -> FlowMove | None:
    """Return what the flow did in a step; None without a flow."""
    moves = (result.read(FlowMove) for result in step.results if result.stage == MATCH)
    return next((move for move in moves if move is not None), None)


def _is_end(step: StepView) -> bool:
    """Return whether a last step sent nothing: it is the end, or the episode ended before it acted."""
    action = None if step.decision is None else step.decision.action
    return not step.atoms and (action is None or isinstance(action, Stop))


def _cell(step: StepView, move: FlowMove | None) -> MatrixCell:
    notes = [move.reason if move is not None and move.kind != "step" else "", step.problem or ""]
    if step.decision is not None:
        notes.append(step.decision.problem or "")
    notes += [failure.error for failure in step.failures]
    by = step.person or (move.kind if move is not None and move.kind != "step" else "")
    words = _action_words(step)
    return MatrixCell(step, f"{by}: {words}" if by else words, "; ".join(dict.fromkeys(filter(None, notes))))


def _action_words(step: StepView) -> str:
    """Return what a step did, by what it touched; empty if it did nothing."""
    action = None if step.decision is None else step.decision.action
    if isinstance(action, RunShortcut):
        texts = [value for value in action.arguments.values() if isinstance(value, str)]
        return " ".join((action.shortcut, *map(_quoted, texts)))
    actions: Sequence[Action] = step.atoms or (() if action is None else (action,))
    return ", then ".join(_words(one, step.screen) for one in actions)


def _words(action: Action, screen: Screen | None) -> str:
    points = points_of(action)
    if isinstance(action, Swipe):
        return f"Swipe {direction_of(action)}"
    if not points:
        return _cut(describe_action(action))
    elements = [one for one in screen.elements if one.content] if screen is not None else []
    element = element_at(elements, *points[0])
    return f"{action.name} {_quoted(element.content)}" if element else action.name


def _quoted(text: str) -> str:
    return f"“{_cut(text)}”"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else f"{line[:LONGEST_TEXT]}…"


def _pictures(matrices: Iterable[TaskMatrix]) -> Iterator[str]:
    """Yield the content ids of the screens that the page shows."""
    for matrix in matrices:
        yield from (column.last_screen for column in matrix.columns if column.last_screen)
        for cell in chain.from_iterable(row.cells for row in matrix.rows):
            if cell is not None and cell.step.screenshot is not None:
                yield cell.step.screenshot.content_id
