"""Make the draft of a flow from an episode that was verified: describe its actions, leave out its detours.

The draft is a task of a YAML file (``protocol.tasks.task``): the goal, its check and its flow, with the values that
another run may change as variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from manyhands.actors.profiles.flow.targets import describe_target, match_target, plain
from manyhands.actors.touch_target import find_nearest
from manyhands.deploy.policy_check import judge_records
from manyhands.evaluation.episode_view import EpisodePage, StepView, view_episode
from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.evaluation.flow_figures import seconds_of
from manyhands.evaluation.usage import calls_of
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journals.records import ActionSent
from manyhands.protocol.policy import Effect, Policy
from manyhands.protocol.profiles.flow import FlowMove
from manyhands.protocol.screens.actions import (
    Answer,
    AtomicAction,
    Back,
    LongPress,
    OpenApp,
    RunShortcut,
    Stop,
    Swipe,
    Tap,
    Type,
    Wait,
    points_of,
)
from manyhands.protocol.screens.screen import Element, Screen, Screenshot
from manyhands.protocol.tasks.flow import MOST_SHOWN, Flow, FlowAction, FlowStep, Signpost, direction_of
from manyhands.protocol.tasks.task import TaskSpec

SHOWN = 4
"""The most texts of a signpost that a draft notes."""
LONGEST_SHOWN = 40
"""The most characters of such a text."""
LASTING = frozenset({Effect.PAY, Effect.SEND, Effect.PUBLISH, Effect.DELETE, Effect.INSTALL, Effect.CALL})
"""Effects that cannot be undone."""
LONGEST_READ = 500
"""The most characters of a text that told what to type."""
STEPS_BESIDE = 10
"""How many steps an episode may have beside two for each step of its flow."""
_STATUS_BAR = 0.05
"""The share of a screen's height at its top whose texts change by themselves."""
_FIGURE = re.compile(r"\d[\d.,:/-]*\d|\d")
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
        task = self.task.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude=set(_NOT_KEPT))
        flow = self.flow.model_dump(mode="json", exclude_defaults=True)
        whole = _with_variables({**task, "flow": flow}, self.variables)
        entry = {"id": whole.pop("id"), "goal": whole.pop("goal")}
        entry |= {"variables": dict(self.variables)} if self.variables else {}
        return yaml.safe_dump([{**entry, **whole}], sort_keys=False, allow_unicode=True, width=120)


def draft_flow(episode: RecordedEpisode, made_from: str, values: Mapping[str, str]) -> FlowDraft:
    """Return the flow of an episode. ``values``: what another run may change, by name, such as ``name: Anna``.

    Texts that were typed and stand in the goal may change, too. Raises BadInput if the episode was not verified, or if
    nobody can tell what it touched.
    """
    if not episode.has_passed:
        raise BadInput(f"{made_from}: only a verified episode can be made a flow, and this one was not")
    known = " ".join((episode.started.task.goal, *values.values()))
    builder = _StepBuilder(view_episode(episode), known, _effects(episode))
    steps = tuple(builder.steps())
    if not steps:
        raise BadInput(f"{made_from}: it sent no action, so there is nothing to repeat")
    shots = [step.screenshot for step in builder.page.steps if step.screenshot is not None]
    versions = {shot.app: shot.app_version for shot in shots if shot.app and shot.app_version}
    flow = Flow(
        made_from=made_from,
        calls=len(calls_of(episode.records)),
        seconds=round(seconds_of(episode), 1),
        versions=versions,
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


def _effects(episode: RecordedEpisode) -> Mapping[tuple[int, str], Effect]:
    """Return the effects that the policy of real phones sees, by the step and the name of the action."""
    judged = {one.key: one.verdict.effect for one in judge_records(episode.records, (), Policy(), judges_later=True)}
    sent = [record for record in episode.records if isinstance(record, ActionSent)]
    effects = [(record, judged.get(record.key)) for record in sent]
    return {(record.step, record.action.name): effect for record, effect in effects if effect in LASTING}


class _StepBuilder:
    """Build the steps of a flow from one episode."""

    def __init__(self, page: EpisodePage, known: str, effects: Mapping[tuple[int, str], Effect]) -> None:
        self.page, self._known = page, plain(known)
        self.warnings: list[str] = []
        self._effects = effects

    def steps(self) -> Iterator[FlowStep]:
        """Yield the steps. Raises BadInput."""
        scrolled: list[FlowStep] = []
        for view in _without_detours(self.page.steps):
            for index, atom in enumerate(view.atoms):
                if isinstance(atom, Wait | Answer | Stop):
                    continue
                step = self._step(view, atom, is_first=index == 0)
                if isinstance(atom, Swipe):
                    scrolled.append(step)
                elif scrolled and step.action.target is not None:
                    yield step.model_copy(update={"search": scrolled[-1].action.direction})
                    scrolled = []
                else:
                    yield from scrolled
                    yield step
                    scrolled = []
        yield from scrolled

    def end(self) -> Signpost:
        """Return the signpost of the last screen."""
        last = self.page.steps[-1]
        return Signpost() if last.screenshot is None else signpost(last.screenshot, last.screen, None)

    def _step(self, view: StepView, atom: AtomicAction, *, is_first: bool) -> FlowStep:
        where = f"step {view.number + 1} of the episode"
        if view.screenshot is None:
            raise BadInput(f"{where}: its screen was lost; make the flow from another episode")
        element = self._touched(view, atom, where, is_first=is_first) if points_of(atom) else None
        action = self._action(view, atom, element, where)
        before = Signpost(app=view.screenshot.app or "")
        if isinstance(atom, OpenApp):
            before = Signpost()
        elif is_first:
            before = signpost(view.screenshot, view.screen, element)
        if isinstance(atom, Type):
            before = before.model_copy(update={"keyboard": True})
        effect = self._effects.get((view.number, atom.name))
        reads = self._reads(view, atom.text) if isinstance(atom, Type) else ()
        return FlowStep(before=before, action=action, reads=reads, effects=() if effect is None else (effect,))

    def _reads(self, view: StepView, typed: str) -> tuple[str, ...]:
        """Return the texts of earlier screens that told what is typed, where the goal does not.

        That is one that holds all of it, or else one for each figure.
        """
        earlier = [step for step in self.page.steps if step.number < view.number]
        shown = [text for step in reversed(earlier) for text in _page_texts(step)]
        if plain(typed) in self._known:
            return ()
        whole = next((text for text in shown if plain(typed) in plain(text)), None)
        if whole is not None:
            return (whole,)
        figures = [one for one in dict.fromkeys(_FIGURE.findall(typed)) if one not in _FIGURE.findall(self._known)]
        sources = (next((text for text in shown if one in _FIGURE.findall(text)), None) for one in figures)
        return tuple(dict.fromkeys(text for text in sources if text is not None))[:MOST_SHOWN]

    def _touched(self, view: StepView, atom: AtomicAction, where: str, *, is_first: bool) -> Element | None:
        """Return what a tap touches; None for a swipe."""
        if isinstance(atom, Swipe):
            return None
        if view.screen is None:
            raise BadInput(f"{where}: nobody read its screen; run the task with --elements accessibility")
        action = None if view.decision is None else view.decision.action
        if isinstance(action, RunShortcut) and not is_first:
            raise BadInput(f"{where}: a shortcut touched a later screen; run the task with --without shortcuts")
        (x, y), *_ = points_of(atom)
        named = [one for one in view.screen.elements if one.content or one.control is not None]
        element = find_nearest(x, y, named, view.screen.size)
        if element is None:
            raise BadInput(f"{where}: nobody can tell what it touches at ({x}, {y})")
        return element

    def _action(self, view: StepView, atom: AtomicAction, element: Element | None, where: str) -> FlowAction:
        match atom:
            case Tap() | LongPress():
                assert element is not None
                assert view.screen is not None
                target = describe_target(element, view.screen)
                problem = match_target(target, view.screen).problem
                if problem:
                    self.warnings.append(f"{where}: {problem}, so an agent must do this step")
                return FlowAction(name=atom.name, target=target, **({"ms": atom.ms} if atom.name != "Tap" else {}))
            case Swipe():
                return FlowAction(name="Swipe", direction=direction_of(atom))
            case Type():
                return FlowAction(name="Type", text=atom.text, clear=atom.clear)
            case OpenApp():
                return FlowAction(name="Open_App", app=atom.app)
        return FlowAction.model_validate({"name": atom.name})


def _without_detours(steps: Sequence[StepView]) -> Iterator[StepView]:
    """Yield the steps that led on: not those without an effect, nor those that went astray and came back."""
    acting = [step for step in steps if step.atoms and (step.problem is None or step.person)]
    skipped = False
    for step, following in zip(acting, [*acting[1:], None], strict=True):
        outcome = Outcome.A if step.reflection is None else step.reflection.outcome
        goes_back = following is not None and all(isinstance(atom, Back) for atom in following.atoms)
        if skipped:
            skipped = False
        elif outcome is Outcome.C or step.restored is not None:
            continue
        elif outcome is Outcome.B and goes_back:
            skipped = True
        else:
            yield step


def _page_texts(view: StepView) -> Iterator[str]:
    """Yield the texts of a step's screen below its status bar that a flow can hold."""
    if view.screenshot is None or view.screen is None:
        return
    top = _STATUS_BAR * view.screenshot.size.height
    for element in view.screen.elements:
        if element.kind == "text" and 0 < len(element.content) <= LONGEST_READ and element.box.y2 > top:
            yield element.content


def signpost(screenshot: Screenshot, screen: Screen | None, touched: Element | None) -> Signpost:
    """Return what tells a screen: the app, and texts that stay. Texts with digits tell times, counts and prices."""
    shown: list[str] = []
    for element in () if screen is None else screen.elements:
        text = element.content
        is_plain = element.kind == "text" and 2 <= len(text) <= LONGEST_SHOWN and not any(map(str.isdigit, text))
        is_new = plain(text) not in map(plain, shown) and (touched is None or plain(text) != plain(touched.content))
        if is_plain and is_new and element.box.y2 > _STATUS_BAR * screenshot.size.height:
            shown.append(text)
    return Signpost(app=screenshot.app or "", shows=tuple(shown[:SHOWN]))


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


def _with_variables(value: Any, variables: Mapping[str, str]) -> Any:
    """Return a part of a task with each value of a variable replaced by its name, the longest values first."""
    if isinstance(value, dict):
        return {key: _with_variables(item, variables) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_variables(item, variables) for item in value]
    if not isinstance(value, str) or not variables:
        return value
    names = {text: name for name, text in variables.items()}
    pattern = "|".join(re.escape(text) for text in sorted(names, key=len, reverse=True))
    return re.sub(pattern, lambda match: f"${{{names[match[0]]}}}", value)
