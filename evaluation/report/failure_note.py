"""Write an episode's failure as Markdown for an issue tracker: what was asked, done, expected and found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from manyhands.evaluation.episode_view import EpisodeView, StepView
from manyhands.evaluation.report.failure_step import failure_step, step_problems
from manyhands.evaluation.run_folder import RunFolder

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|~>])")
_LONGEST = 300
"""Characters of a text in a table."""
_FENCE = re.compile("`{3,}")


def failure_note(run: RunFolder, view: EpisodeView) -> str:
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


def _environment(run: RunFolder, view: EpisodeView) -> Iterator[tuple[str, str]]:
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


def _unmet(view: EpisodeView) -> Iterator[str]:
    unmet = view.ended.unmet if view.ended else ()
    if unmet:
        yield "## Expected and found"
        yield ""
        yield from _table(("expected", "found"), ((test.expected, test.found) for test in unmet))
        yield ""


def _row(step: StepView, failing: int | None) -> tuple[str, str, str, str]:
    mark = " <- begin here" if step.number == failing else ""
    verdict = step.reflection.outcome.value if step.reflection else ""
    return f"{step.number}{mark}", step.action, verdict, "; ".join(step_problems(step))


def _failing_step(view: EpisodeView, at: int | None) -> Iterator[str]:
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
        "what was wrong": "; ".join(step_problems(step)),
        "screen before": f"screens/{step.screenshot.content_id}.png" if step.screenshot else "",
        "screen after": f"screens/{after.content_id}.png" if (after := view.after(step)) else "",
    }
    yield from (f"- {name}: {as_text(text)}" for name, text in facts.items() if text)
    yield ""


def _task_yaml(view: EpisodeView) -> str:
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
