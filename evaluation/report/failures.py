"""Explain failures: find the step that failed, group tasks by cause, and write a Markdown note for an issue tracker."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from manyhands.evaluation.episode_view import EpisodePage, StepView
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.run_report import FailureCause
from manyhands.protocol.runs.results import is_done
from manyhands.protocol.screens.actions import Back, Home, Type

_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|‘[^’]*’|「[^」]*」|(?<!\w)'[^']*'(?!\w)|`[^`]*`")
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_ID = re.compile(r"\b(?=\w*\d)[\w.:-]*\w")
"""A word with a digit: a number, an id, a serial, a time."""
_LONGEST_CAUSE = 500
"""Characters of a reason that are compared."""


@dataclass(frozen=True, slots=True)
class TaskFailure:
    """Hold why a task failed."""

    task: str
    ending: Ending
    app: str
    reason: str
    names: tuple[str, ...] = ()
    """What names this task alone, such as its id and the serial of its phone."""


def group_failures(failures: Sequence[TaskFailure]) -> tuple[FailureCause, ...]:
    """Return the causes, the most frequent first; among equal ones, the earliest first."""
    groups: dict[tuple[Ending, str, str], list[TaskFailure]] = {}
    for failure in failures:
        key = (failure.ending, failure.app, normal_form(failure.reason, failure.names))
        groups.setdefault(key, []).append(failure)
    ordered = sorted(groups.values(), key=len, reverse=True)
    return tuple(
        FailureCause(
            id=f"cause-{number}",
            ending=group[0].ending,
            app=group[0].app,
            reason=group[0].reason,
            tasks=tuple(failure.task for failure in group),
        )
        for number, group in enumerate(ordered, start=1)
    )


def normal_form(reason: str, names: Sequence[str] = ()) -> str:
    """Return a reason without what differs from task to task: names, quoted texts, addresses, ids and numbers."""
    text = reason[:_LONGEST_CAUSE]
    for name in sorted(filter(None, names), key=len, reverse=True):
        text = text.replace(name, "#")
    for pattern in (_QUOTED, _ADDRESS, _ID):
        text = pattern.sub("#", text)
    return " ".join(text.casefold().split())


def has_episode_failed(view: EpisodePage) -> bool:
    """Return whether an episode did not do its task, for whatever reason. One that was cancelled has not failed."""
    ended = view.ended
    if ended is None:
        return True
    if ended.ending is Ending.CANCELLED:
        return False
    return not is_done(ended.ending, ended.verified, view.started.task.check is not None, ended.answered)


def last_good_step(view: EpisodePage, before: int | None = None) -> int | None:
    """Return the last step whose action was as expected; None if there is none. ``before``: only earlier steps."""
    good = [step.number for step in view.steps if _is_good(step) and (before is None or step.number < before)]
    return good[-1] if good else None


def failure_step(view: EpisodePage) -> int | None:
    """Return the step at which to begin looking; None if the episode did not fail, or has no step.

    After the last progress, this is the first step that went wrong: its action led to a wrong page or changed nothing,
    it was not done, the model gave none, or a stage failed. If no step went wrong but the check does not hold, it is
    the step that typed a text which the check misses. Else it is the last step.
    """
    if not view.steps or not has_episode_failed(view):
        return None
    progress = _last_progress(view.steps)
    wrong = [step for step in view.steps if step.number > progress and _is_wrong(step)]
    suspect = wrong[0] if wrong else _typed_in_vain(view) or view.steps[-1]
    return suspect.number


def _step_problems(step: StepView) -> Iterator[str]:
    """Yield what was wrong at a step."""
    yield from filter(None, (step.problem, step.decision.problem if step.decision else None))
    if step.reflection and step.reflection.error:
        yield step.reflection.error
    yield from (f"{failure.stage}: {failure.error}" for failure in step.failures)


def explain_failure(view: EpisodePage) -> str:
    """Return which step failed first, its action and what was wrong; empty without such a step."""
    at = failure_step(view)
    for step in view.steps:
        problem = next(_step_problems(step), "")
        if step.number == at and problem:
            return f"step {step.number}, {step.action or 'no action'}: {problem}"
    return ""


def _last_progress(steps: Sequence[StepView]) -> int:
    """Return the last step that brought the task forward; -1 if none did.

    An action that was as expected is no progress if it only goes back after a wrong one, or if it was done before: an
    agent that makes the same mistake again and again does both in between.
    """
    last, earlier_actions, went_wrong = -1, set[str](), False
    for step in steps:
        returns = went_wrong and bool(step.atoms) and all(isinstance(atom, Back | Home) for atom in step.atoms)
        if _is_good(step) and not returns and step.action not in earlier_actions:
            last, went_wrong = step.number, False
        elif _is_wrong(step):
            went_wrong = True
        earlier_actions.add(step.action)
    return last


def _is_good(step: StepView) -> bool:
    return step.reflection is not None and step.reflection.outcome is Outcome.A and step.problem is None


def _is_wrong(step: StepView) -> bool:
    reflection, decision = step.reflection, step.decision
    judged_wrong = reflection is not None and reflection.outcome is not Outcome.A
    undecided = decision is not None and decision.problem is not None
    return judged_wrong or undecided or step.problem is not None or bool(step.failures)


def _typed_in_vain(view: EpisodePage) -> StepView | None:
    """Return the last step that typed a text which the check expected and did not find."""
    unmet = view.ended.unmet if view.ended else ()
    for step in reversed(view.steps):
        typed = [atom.text.strip() for atom in step.atoms if isinstance(atom, Type)]
        if any(text and text in test.expected and text not in test.found for text in typed for test in unmet):
            return step
    return None


def last_app(steps: Sequence[StepView]) -> str:
    """Return the app that was in front at last; empty if it is unknown."""
    apps = [step.screenshot.app for step in steps if step.screenshot is not None and step.screenshot.app]
    return apps[-1] if apps else ""


_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|~>])")
_LONGEST = 300
"""Characters of a text in a table."""
_FENCE = re.compile("`{3,}")


def failure_note(run: RunFolder, view: EpisodePage) -> str:
    """Return the note. All texts of tasks, models and screens are text there: no markup, no links, no mentions."""
    started, ended = view.started, view.ended
    ending = f"{ended.ending.value}: {ended.reason}" if ended else "its journal has no end"
    if ended is not None and ended.verified is False:
        ending = "its check does not hold"
    at = failure_step(view)
    lines = [
        f"# {as_text(started.task.id)}: {as_text(ending)}",
        "",
        f"**Goal:** {as_text(started.task.goal)}",
        "",
        *_table(("environment", ""), _environment(run, view)),
        "",
        *_unmet(view),
        "## Steps",
        "",
        *_table(("step", "action", "verdict", "what was wrong"), (_row(step, at) for step in view.steps)),
        "",
        *_failing_step(view, at),
        "## How to repeat it",
        "",
        "Write this file as `task.yaml`:",
        "",
        *_fenced(_task_yaml(view), "yaml"),
        "",
        f"Then run `manyhands run task.yaml --profile {as_word(started.profile)} "
        f"--schedule {as_word(started.schedule)}` with the phones and models above.",
    ]
    return "\n".join(lines) + "\n"


def as_text(text: str) -> str:
    """Return a text on one line in which Markdown and HTML find no markup, and trackers no mention."""
    line = _MARKUP.sub(r"\\\1", " ".join(text.split()))
    return line.replace("<", "&lt;").replace("@", "&#64;").replace("://", ":&#47;/")


def as_word(text: str) -> str:
    """Return a name for a code span, without what would end the span."""
    return re.sub(r"[^\w.+-]", "_", text)


def _environment(run: RunFolder, view: EpisodePage) -> Iterator[tuple[str, str]]:
    run_yaml, started = run.asked, view.started
    yield "run", str(run_yaml.get("run_id") or run.path.name)
    yield "episode", started.episode
    sizes = [step.screenshot.size for step in view.steps if step.screenshot is not None]
    size = f", {sizes[0].width} x {sizes[0].height} pixels" if sizes else ""
    yield "phone", f"{started.serial or 'none'}{size}"
    yield "profile, schedule", f"{started.profile}, {started.schedule}"
    models: Mapping[str, Any] = run_yaml.get("models") or {}
    names = {str(model.get("model", "")): role for role, model in models.items() if isinstance(model, dict)}
    if names or run_yaml.get("model_source"):
        yield "models", ", ".join(filter(None, [*names, run_yaml.get("model_source")]))
    for name in ("phones_source", "perception_source"):
        if run_yaml.get(name):
            yield name.removesuffix("_source"), str(run_yaml[name])
    if versions := run_yaml.get("versions"):
        yield "versions", ", ".join(f"{name} {version}" for name, version in versions.items())


def _unmet(view: EpisodePage) -> Iterator[str]:
    unmet = view.ended.unmet if view.ended else ()
    if unmet:
        yield "## Expected and found"
        yield ""
        yield from _table(("expected", "found"), ((test.expected, test.found) for test in unmet))
        yield ""


def _row(step: StepView, failing: int | None) -> tuple[str, str, str, str]:
    mark = " <- begin here" if step.number == failing else ""
    verdict = step.reflection.outcome.value if step.reflection else ""
    return f"{step.number}{mark}", step.action, verdict, "; ".join(_step_problems(step))


def _failing_step(view: EpisodePage, at: int | None) -> Iterator[str]:
    step = next((step for step in view.steps if step.number == at), None)
    if step is None:
        return
    yield f"## Step {step.number}"
    yield ""
    facts = {
        "subgoal": step.plan.subgoal.text if step.plan else "",
        "thought": step.decision.thought if step.decision else "",
        "action": step.action,
        "expected on the screen": step.decision.expectation if step.decision else "",
        "what was wrong": "; ".join(_step_problems(step)),
        "screen before": f"screens/{step.screenshot.content_id}.png" if step.screenshot else "",
        "screen after": f"screens/{after.content_id}.png" if (after := view.after(step)) else "",
    }
    yield from (f"- {name}: {as_text(text)}" for name, text in facts.items() if text)
    yield ""


def _task_yaml(view: EpisodePage) -> str:
    task = view.started.task.model_dump(mode="json", exclude_defaults=True, by_alias=True)
    return yaml.safe_dump([task], allow_unicode=True, sort_keys=False, width=100)


def _fenced(text: str, language: str) -> list[str]:
    longest = max((len(fence) for fence in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return [f"{fence}{language}", *text.rstrip("\n").split("\n"), fence]


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    heads = list(columns)
    yield f"| {' | '.join(heads)} |"
    yield f"| {' | '.join('---' for _ in heads)} |"
    for row in rows:
        yield f"| {' | '.join(as_text(_shortened(cell)) for cell in row)} |"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
