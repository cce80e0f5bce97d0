"""Write what stands at the end of a run: a table of tasks, figures, and what was learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.text import Text

from manyhands.deploy.command_line.cells import ASCII, UNICODE, Column, Layout, cut, flatten
from manyhands.protocol.base import Ending
from manyhands.protocol.runs.run_summary import (
    Asker,
    IconNames,
    Interruptions,
    LearningFigures,
    RoleUsage,
    RunSummary,
    TaskRow,
    TaughtCounts,
    UseCounts,
)
from manyhands.protocol.tasks.matrix import group_values
from manyhands.protocol.tasks.repeats import count_repeats
from manyhands.protocol.utilities.terminal_text import count_noun

_NO_CHECK, _NOT_ASKED = "finished without a check", "finished, but nobody could ask its check"
_FAILED, _CANCELLED = "failed", "cancelled"
_JUDGED, _JUDGED_NOT = "judged done", "judged not done"
_UNVERIFIED = (_JUDGED, _JUDGED_NOT, _NO_CHECK, _NOT_ASKED, _FAILED, _CANCELLED)
_SHOWN_TASKS = 20
"""The most tasks with a row of their own. In a larger run only those have one that are not done."""
_LISTED = 10
"""The most repeated tasks, and the most phones that were left out, with a line of their own."""
_REASON = 160
"""A reason is cut to so many cells."""


def _icon_line(icons: IconNames) -> str:
    """Return a line that says what named the icons. It is for a run in which a model was to name all icons."""
    every = icons.model + icons.network + icons.unnamed
    line = f"icons: {icons.model} of {every} captioned by the model"
    return f"{line}; {icons.network} have the names of our own network" if icons.network else line


def tree_line(trees: Mapping[str, int]) -> str:
    """Return a line that says how many screens have elements from the phones' views, and why others have none."""
    used, every = trees.get("used", 0), sum(trees.values())
    others = ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in trees.items() if outcome != "used")
    return f"accessibility trees: {used} of {count_noun(every, 'screen')}" + (f"; {others}" if others else "")


def _outcome(summary: RunSummary) -> str:
    """Say how many tasks were verified. If none has a check, say how many the agent finished."""
    tasks = count_noun(summary.tasks, "task")
    if not summary.by_task or any(row.has_check or row.verified is not None for row in summary.by_task):
        return f"{summary.verified} of {tasks} verified{_unverified(summary)}"
    counts = Counter(map(_became, summary.by_task))
    became = [f"{counts[what]} {what}" for what in (_FAILED, _CANCELLED) if counts[what]]
    outcomes = ", ".join([*became, "none has a check" if summary.tasks > 1 else "it has no check"])
    return f"{counts[_NO_CHECK]} of {tasks} finished ({outcomes})"


def _unverified(summary: RunSummary) -> str:
    """Say what became of the tasks that were not verified; count each kind separately."""
    counts = Counter(_became(row) for row in summary.by_task if not row.is_verified)
    outcomes = ", ".join(f"{counts[what]} {what}" for what in _UNVERIFIED if counts[what])
    if summary.false_completes:
        outcomes += f"; the agent called {summary.false_completes} of them finished"
    return f" ({outcomes})" if outcomes else ""


def _became(row: TaskRow) -> str:
    if row.is_judged:
        return _JUDGED if row.verified else _JUDGED_NOT
    if row.finished is Ending.CANCELLED:
        return _CANCELLED
    if row.verified is None and row.finished is Ending.FINISHED:
        return _NOT_ASKED if row.has_check else _NO_CHECK
    return _FAILED


def _verified_word(row: TaskRow) -> str:
    """Return whether the check held. A judge's word is marked as such."""
    if row.is_judged:
        return _became(row)
    return {True: "yes", False: "no", None: "-"}[row.verified]


def _interrupted(stopped: Interruptions) -> str:
    phrases = []
    if stopped.continued:
        phrases.append(f"{count_noun(stopped.continued, 'time')} gone on in place after {stopped.seconds:.0f} s in all")
    if stopped.begun_anew:
        again = count_noun(stopped.actions_again, "action")
        phrases.append(f"{count_noun(stopped.begun_anew, 'episode')} begun anew ({again} again)")
    return "; ".join(phrases)


def summary_table(summary: RunSummary) -> Group:
    """Return the table at the end of a run: what is not done first, all else too if the run is small, and figures."""
    step = f"{summary.step_ms.p50 / 1000:.1f} s (median step)" if summary.step_ms else "no step times"
    figures = (
        f"{_outcome(summary)} on "
        f"{count_noun(summary.phones, 'phone')} in {summary.wall_s:.0f} s; "
        f"{summary.episodes_per_hour:.0f} episodes an hour; {step}; "
        f"{count_noun(summary.actions_sent, 'action')} sent"
    )
    if summary.start_up_s is not None:
        models_s = summary.start_up_models_s or 0.0
        waited = f", {models_s:.0f} s of it for model servers" if models_s >= 1 else ""
        figures += f"; start-up {summary.start_up_s:.0f} s{waited}"
    if summary.person_actions:
        figures += f", and {summary.person_actions} by people"
    if summary.unexpected_changes:
        figures += f"; {count_noun(summary.unexpected_changes, 'task')} changed more than allowed"
    if summary.away_s:
        figures += f"; waited {summary.away_s:.0f} s for the model"
    figures += "".join(f"\n{line}" for line in _repeat_lines(summary))
    figures += "".join(f"\n{line}" for line in matrix_lines(summary.by_task))
    if (stopped := summary.interruptions) is not None:
        figures += f"\ninterrupted: {_interrupted(stopped)}"
    if (before := summary.repeated) is not None:
        words = ", ".join(f"{count} by the word of the {word}" for word, count in before.by.items())
        figures += (
            f"\nWhat failed in {before.run} was repeated; {before.kept_done} of its {before.tasks} tasks were done and "
            f"were not ({words}). manyhands suite compare shows both runs together."
        )
    if summary.learning is not None:
        figures += "".join(f"\n{line}" for line in learning_lines(summary.learning))
    stand_ins = {
        "model": summary.model_source,
        "phones": summary.phones_source,
        "perception": summary.perception_source,
    }
    icons = summary.icons
    left_out = [
        f"left out: {flatten(serial)} ({cut(reason, _REASON)})" for serial, reason in summary.phones_left_out.items()
    ]
    sources = [
        f"profile: {summary.profile}{summary.departures}",
        *([] if icons is None else [_icon_line(icons)]),
        *([tree_line(summary.trees)] if summary.trees else []),
        *(f"{what}: {source}" for what, source in stand_ins.items() if source),
        *left_out[:_LISTED],
        *([f"left out: {len(left_out) - _LISTED} more"] if len(left_out) > _LISTED else []),
    ]
    return Group(
        TaskTable(summary.by_task), Text(""), Text(figures), *(Text(source, style="dim") for source in sources)
    )


@dataclass(frozen=True, slots=True)
class TaskTable:
    """Draw tasks, a row each, those that are not done first. If they are many, count those that are done."""

    tasks: Sequence[TaskRow]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines. Columns that do not fit are left out, and reasons are cut."""
        glyphs = ASCII if options.ascii_only else UNICODE
        failed = [row for row in self.tasks if not row.is_done]
        rows = [*failed, *(row for row in self.tasks if row.is_done)]
        listed = rows if len(rows) <= _SHOWN_TASKS else failed[:_SHOWN_TASKS]
        cells = [_cells_of(row) for row in listed]
        widths = _LAYOUT.fit(cells, options.max_width)
        lines = [_LAYOUT.header(widths, glyphs)] if listed else []
        lines += [_LAYOUT.row(widths, row, glyphs) for row in cells]
        if len(listed) < len(rows):
            counts = Counter("verified" if row.is_verified else _became(row) for row in rows[len(listed) :])
            outcomes = ", ".join(f"{count:,} {word}" for word, count in counts.most_common())
            lines.append(
                Text(
                    f"{'and ' if listed else ''}{len(rows) - len(listed):,} {'more' if listed else 'tasks'}: {outcomes}"
                )
            )
        yield from lines


def _cells_of(row: TaskRow) -> dict[str, str]:
    return {
        "task": row.id,
        "phone": row.phone or "-",
        "ended": row.finished.value,
        "verified": _verified_word(row) + (f" (retry {row.retries})" if row.retries else ""),
        "rubrics": f"{sum(row.rubrics.values())}/{len(row.rubrics)}" if row.rubrics else "",
        "steps": str(row.steps),
        "human": str(row.human_steps) if row.human_steps else "",
        "why": "" if row.is_done else _why(row),
    }


def _why(row: TaskRow) -> str:
    """Return why a task is not done."""
    reasons = [row.reason] if row.reason and row.finished is not Ending.FINISHED else []
    reasons += [str(row.unmet[0])] if row.unmet else []
    return "; ".join(reasons) or row.reason


_LAYOUT = Layout(
    columns={
        "task": Column("task", 16, 48),
        "phone": Column("phone", 10, 32),
        "ended": Column("ended", 8, 16),
        "verified": Column("verified", 8, 30),
        "rubrics": Column("rubrics", 7, 9),
        "steps": Column("steps", 5, 7, to_right=True),
        "human": Column("human", 5, 7, to_right=True),
        "why": Column("why", 24, 160),
    },
    dropped=("human", "rubrics", "phone", "ended", "why", "steps"),
    spare=("verified", "ended", "task", "phone", "why"),
)


def _repeat_lines(summary: RunSummary) -> Iterator[str]:
    """Yield a line for each group, then for each task that was repeated, those that are not stable first.

    If they are many, count the rest.
    """
    yield from (f"{flatten(one.task)}: {one}" for one in summary.groups[:_LISTED])
    if len(summary.groups) > _LISTED:
        yield f"and {len(summary.groups) - _LISTED} more groups"
    repeats = sorted(count_repeats(summary.by_task), key=lambda one: one.stability == "stable")
    listed = repeats if len(repeats) <= _LISTED else [one for one in repeats if one.stability != "stable"][:_LISTED]
    yield from (f"{flatten(one.task)}: {one}" for one in listed)
    if rest := repeats[len(listed) :]:
        counts = Counter(one.stability for one in rest)
        stabilities = ", ".join(f"{count} {word}" for word, count in counts.most_common())
        yield f"{'and ' if listed else ''}{len(rest)} {'more ' if listed else ''}repeated tasks: {stabilities}"


def matrix_lines(tasks: Sequence[TaskRow]) -> Iterator[str]:
    """Yield, for each task with a matrix, how many values passed, then the values that did not, by their cause."""
    for (task, label), rows in group_values(tasks).items():
        passed = sum(row.is_done for row in rows)
        yield f"{flatten(task)} by {flatten(label)}: {passed} of {len(rows)} passed"
        causes: dict[str, list[str]] = {}
        for row in rows:
            if not row.is_done:
                cause = flatten(_why(row).replace(f"phone {row.phone}: ", ""))  # else each phone had a cause of its own
                causes.setdefault(cut(cause, _REASON), []).append(flatten(row.matrix_value))
        yield from (f"  {', '.join(values)}: {cause}" for cause, values in causes.items())


# ---------------------------------------------------------------------------- what was learned
_ASKERS: dict[Asker, str] = {
    "steps": "of steps",
    "verifier": "of the verifier of preconditions",
    "retriever": "of the retriever",
    "learners": "of the learners",
    "judge": "of the judge",
}


def learning_lines(learning: LearningFigures) -> Iterator[str]:
    """Yield lines: what was learned, how uses of shortcuts ended, and the model calls beside the steps."""
    failed = f", {learning.failed} failed" if learning.failed else ""
    took = f", {learning.lesson_ms.p50 / 1000:.2f} s each (median)" if learning.lesson_ms else ""
    tips, shortcuts = _taught_line(learning.tips), _taught_line(learning.shortcuts)
    taught = f"; tips: {tips}; shortcuts: {shortcuts}" if {tips, shortcuts} != {"none"} else ", nothing in them"
    yield f"{count_noun(learning.lessons, 'lesson')} taught{failed}{took}{taught}"
    used = (f"{origin} {_uses_line(uses)}" for origin, uses in learning.used.items() if uses.total)
    yield f"shortcuts used: {'; '.join(used) or 'none'}"
    if learning.put_aside:
        yield f"put aside: {', '.join(learning.put_aside)}"
    yield f"model calls {'; '.join(_calls(asker, usage) for asker, usage in learning.model.items())}"


def _taught_line(counts: TaughtCounts) -> str:
    """Format ``2 added, 1 refused``."""
    phrases = [f"{count} {way}" for way, count in counts.model_dump().items() if count]
    return ", ".join(phrases) or "none"


def _uses_line(counts: UseCounts) -> str:
    """Format ``3 (2 worked, 1 put aside)``."""
    phrases = (f"{count} {fate.replace('_', ' ')}" for fate, count in counts.model_dump().items() if count)
    return f"{counts.total} ({', '.join(phrases)})"


def _calls(asker: Asker, usage: RoleUsage) -> str:
    tokens = f" ({usage.input_tokens:,} tokens in, {usage.output_tokens:,} out)" if usage.calls else ""
    return f"{_ASKERS[asker]} {usage.calls}{tokens}"
