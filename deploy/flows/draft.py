"""Make the draft of a flow from an episode that was verified: describe its actions, leave out its detours.

The draft is a task of a YAML file (``protocol.tasks.task``): the goal, its check and its flow, with the values that
another run may change as variables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from manyhands.actors.profiles.flow.targets import plain
from manyhands.deploy.flows.steps import StepBuilder
from manyhands.evaluation.episode_view import view_episode
from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.flow_figures import seconds_of
from manyhands.evaluation.usage import calls_of
from manyhands.protocol.errors import BadInput
from manyhands.protocol.profiles.flow import FlowMove
from manyhands.protocol.tasks.flow import Flow, FlowStep, Signpost
from manyhands.protocol.tasks.task import TaskSpec

STEPS_BESIDE = 10
"""How many steps an episode may have beside two for each step of its flow."""
_LETTER = r"[^\W\u2e80-\u9fff\uac00-\ud7af]"
"""A letter or digit of a script that parts words by blanks."""
_NOT_TEXTS = frozenset(
    (
        *("id", "name", "kind", "control", "direction", "search", "effects"),
        *("app", "apps", "phones", "build", "device", "source"),
    )
)
"""Keys whose values no variable changes."""
_NOT_KEPT = (
    *("rubrics", "human_operations", "human_steps", "tags", "repeat_of", "group", "group_enough", "sample", "flow"),
    *("matrix", "matrix_value"),
)
"""Keys of the task that say nothing about how it is done."""


@dataclass(frozen=True, slots=True)
class FlowDraft:
    """Hold a task with its flow, the values that may change, and what people should know."""

    task: TaskSpec
    flow: Flow
    variables: Mapping[str, str]
    warnings: tuple[str, ...]

    def yaml(self) -> str:
        """Return the content of the flow's file."""
        return dump_flows([self.entry()])

    def entry(self) -> dict[str, Any]:
        """Return the task as a flow's file has it."""
        task = self.task.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude=set(_NOT_KEPT))
        flow = self.flow.model_dump(mode="json", exclude_defaults=True)
        texts = {key: flow.pop(key) for key in ("steps", "end") if key in flow}
        whole = with_variables({**task, "flow": texts}, self.variables)
        whole["flow"] = {**flow, **whole["flow"]}  # no version, and no name of a run, is a value that may change
        entry = {"id": whole.pop("id"), "goal": whole.pop("goal")}
        entry |= {"variables": dict(self.variables)} if self.variables else {}
        return {**entry, **whole}


def dump_flows(entries: Sequence[Any]) -> str:
    """Return the content of a file of flows. ``entries``: a mapping for each task."""
    return yaml.safe_dump(list(entries), sort_keys=False, allow_unicode=True, width=120)


def draft_flow(
    episode: RecordedEpisode, made_from: str, values: Mapping[str, str], *, has_all: bool = False
) -> FlowDraft:
    """Return the flow of an episode. ``values``: what another run may change, by name, such as ``name: Anna``.

    Texts that were typed and stand in the goal may change, too. ``has_all``: whether actions that changed nothing on
    the screen are steps, too. Raises BadInput if the episode was not verified, or if nobody can tell what it touched.
    """
    if not episode.has_passed:
        raise BadInput(f"{made_from}: only a verified episode can be made a flow, and this one was not")
    builder = StepBuilder(episode, values)
    steps = tuple(builder.steps(builder.page.steps, has_all=has_all))
    if not steps:
        raise BadInput(f"{made_from}: it sent no action, so there is nothing to repeat")
    flow = Flow(
        made_from=made_from,
        calls=len(calls_of(episode.records)),
        seconds=round(seconds_of(episode), 1),
        versions=builder.versions({step.before.app for step in steps}),
        steps=steps,
        end=builder.end(),
    )
    task = add_room(_for_all_phones(episode.started.task), len(steps))
    return FlowDraft(task, flow, _variables(task, steps, values), tuple(builder.warnings))


def _for_all_phones(task: TaskSpec) -> TaskSpec:
    """Return the task without the choice of phones that its matrix has made."""
    own = f"{task.matrix}={task.matrix_value}"
    return task.model_copy(update={"phones": task.phones.removesuffix(own).rstrip(", ")}) if task.matrix_value else task


def add_room(task: TaskSpec, steps: int) -> TaskSpec:
    """Return the task with a limit of steps that leaves room for waits and for the agent: each action is a step."""
    most = max(task.limits.max_steps, 2 * steps + STEPS_BESIDE)
    return task.model_copy(update={"limits": task.limits.model_copy(update={"max_steps": most})})


def shown_texts(episode: RecordedEpisode) -> Mapping[int, frozenset[str]]:
    """Return what the screens showed on which an episode did the steps of its flow, by the number of the step."""
    texts: dict[int, frozenset[str]] = {}
    for view in view_episode(episode).steps:
        moves = [move for result in view.results if (move := result.read(FlowMove)) is not None]
        if moves and moves[-1].kind in ("step", "end") and view.screen is not None:
            texts[moves[-1].step] = frozenset(plain(element.content) for element in view.screen.elements)
    return texts


def mark_checked(entry: Mapping[str, Any], task: TaskSpec, texts: Mapping[int, frozenset[str]]) -> dict[str, Any]:
    """Return a task of a flow's file as checked by a second run, whose screens showed ``texts``.

    A signpost keeps the texts that its screen showed this time, too; all of them if it showed none.
    """
    assert task.flow is not None, "only flows are checked"
    flow = {"is_checked": True, **{key: value for key, value in entry["flow"].items() if key != "is_checked"}}
    numbered = enumerate(zip(flow["steps"], task.flow.steps, strict=True))
    flow["steps"] = [
        {**step, "before": _keep_shown(step["before"], filled.before, texts.get(number))} if "before" in step else step
        for number, (step, filled) in numbered
    ]
    if "end" in flow:
        flow["end"] = _keep_shown(flow["end"], task.flow.end, texts.get(len(task.flow.steps)))
    return {**entry, "flow": flow}


def _keep_shown(signpost: Mapping[str, Any], filled: Signpost, texts: frozenset[str] | None) -> dict[str, Any]:
    """Return a signpost, as the file has it, with the texts that were shown. ``filled``: with values of variables."""
    shows = list(signpost.get("shows", ()))
    kept = [text for text, value in zip(shows, filled.shows, strict=True) if texts is None or plain(value) in texts]
    return {**signpost, "shows": kept} if kept else dict(signpost)


def _variables(task: TaskSpec, steps: Sequence[FlowStep], values: Mapping[str, str]) -> dict[str, str]:
    """Return the values that may change, by name. Raises BadInput for one that the episode did not use."""
    targets = [step.action.target.text for step in steps if step.action.target is not None]
    used = [text for text in (*(step.action.text for step in steps), *targets) if text]
    unused = [name for name, value in values.items() if not any(value in text for text in used)]
    if unused:
        texts = ", ".join(repr(text) for text in dict.fromkeys(used))
        raise BadInput(f"--set {unused[0]}={values[unused[0]]}: no step uses this text; steps use {texts}")
    variables = dict(values)
    for step in steps:
        text = step.action.text
        if step.action.name == "Type" and text and text in task.goal and text not in variables.values():
            variables[f"text_{sum(name.startswith('text_') for name in variables) + 1}"] = text
    return variables


def with_variables(value: Any, variables: Mapping[str, str]) -> Any:
    """Return a part of a task with each value of a variable replaced by its name, the longest values first.

    A value counts where it stands for itself: "on" is not replaced in "one".
    """
    if isinstance(value, dict):
        return {key: item if key in _NOT_TEXTS else with_variables(item, variables) for key, item in value.items()}
    if isinstance(value, list):
        return [with_variables(item, variables) for item in value]
    if not isinstance(value, str) or not variables:
        return value
    names = {text: name for name, text in variables.items()}
    pattern = "|".join(_whole(text) for text in sorted(names, key=len, reverse=True))
    return re.sub(pattern, lambda match: f"${{{names[match[0]]}}}", value)


def _whole(text: str) -> str:
    """Return a pattern for a text that is no part of a longer word. Words of scripts without blanks may be."""
    before = f"(?<!{_LETTER})" if re.match(_LETTER, text) else ""
    after = f"(?!{_LETTER})" if re.match(_LETTER, text[-1]) else ""
    return f"{before}{re.escape(text)}{after}"
