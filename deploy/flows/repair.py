"""Mend a flow by an episode that followed it: what the agent did takes the place of the steps that it replaced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from manyhands.actors.episode.fold import fold
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.profiles.flow.stages import FlowPlace
from manyhands.actors.profiles.flow.targets import signpost_problem
from manyhands.deploy.flows.draft import add_room, with_variables
from manyhands.deploy.flows.steps import IDLE, StepBuilder
from manyhands.evaluation.episode_view import EpisodePage, StepView
from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.protocol.errors import BadInput
from manyhands.protocol.profiles.flow import MATCH, FlowMove
from manyhands.protocol.tasks.flow import Flow, FlowStep, Signpost
from manyhands.protocol.tasks.task import TaskSpec

_MENDED_BY = "; mended by "


@dataclass(frozen=True, slots=True)
class FlowRepair:
    """Hold a task of a flow's file with other steps, and what people should know."""

    entry: Mapping[str, Any]
    """The task as the file has it, with its variables."""
    steps: int
    warnings: tuple[str, ...]


def mend_flow(
    entry: Mapping[str, Any], task: TaskSpec, values: Mapping[str, str], episode: RecordedEpisode, name: str
) -> FlowRepair:
    """Return a task of a flow's file as an episode that followed the flow has carried it out.

    Steps that the flow did itself stay as they are in the file. ``entry``: the task as the file has it; ``values``:
    those of the episode, where the file has others; ``task``: the entry with all values; ``name``: what the episode is
    called. Raises BadInput if the episode was not verified, has followed another flow or none, or did nothing else.
    """
    if not episode.has_passed:
        raise BadInput(f"{name}: only a verified episode can mend a flow, and this one was not")
    assert task.flow is not None, "only flows are mended"
    _refuse_other(task.flow, episode, name)
    own = {str(key): str(value) for key, value in entry.get("variables", {}).items()}
    variables = {key: value for key, value in (own | dict(values)).items() if key in own and value}
    builder, old = StepBuilder(episode, variables), entry["flow"]
    steps = [*_mended_steps(old["steps"], task.flow, builder, variables)]
    mended = {**old, "steps": steps}
    if _has_other_end(task.flow, builder):
        mended["end"] = _written(builder.end(), variables)
    if mended == old:
        raise BadInput(f"{name}: there is nothing to mend: it has done all steps as the flow says")
    mended.pop("is_checked", None)
    mended["made_from"] = f"{task.flow.made_from.partition(_MENDED_BY)[0]}{_MENDED_BY}{name}"
    versions = builder.versions({step["before"].get("app", "") for step in steps if "before" in step})
    mended |= {"versions": {**task.flow.versions, **versions}} if versions else {}
    most = add_room(task, len(steps)).limits.max_steps
    room = {} if most == task.limits.max_steps else {"limits": {**entry.get("limits", {}), "max_steps": most}}
    return FlowRepair({**entry, **room, "flow": mended}, len(steps), tuple(builder.warnings))


def _refuse_other(flow: Flow, episode: RecordedEpisode, name: str) -> None:
    """Raise BadInput if an episode has not followed this flow. Signposts may differ: checks change them."""
    own = episode.started.task.flow
    if own is None or MATCH not in episode.started.stages:
        raise BadInput(f"{name}: it followed no flow; 'flow make' makes one of it")
    if [step.action for step in own.steps] == [step.action for step in flow.steps]:
        return
    pairs = enumerate(zip(own.steps, flow.steps, strict=False), 1)
    differing = [
        f"step {number} is {there.words} there, and {here.words} in the file"
        for number, (there, here) in pairs
        if there.action != here.action
    ]
    why = differing[0] if differing else f"it has {len(own.steps)} steps there, and {len(flow.steps)} in the file"
    advice = "give the values of that run by --set, or mend the file that was run"
    raise BadInput(f"{name}: it followed another flow: {why}; {advice}")


def _mended_steps(
    old: Sequence[Mapping[str, Any]], flow: Flow, builder: StepBuilder, variables: Mapping[str, str]
) -> Iterator[Mapping[str, Any]]:
    """Yield the steps as a file has them: those that the flow did, and between them what else was done."""
    for views, first, number in _parts(builder.page, len(old)):
        following = dict(old[number]) if number < len(old) else None
        new = list(builder.steps(views))
        replaced = flow.steps[first:number] if new else ()
        if following is not None and "target" in following["action"]:
            while new and new[-1].action.name == "Swipe":  # it was scrolled to the target of the next step
                following.setdefault("search", new.pop().action.direction)
        yield from (_written(step, variables) for step in new)
        yield from () if replaced else old[first:number]
        if following is not None:
            yield following
        for step in filter(_is_lasting, () if any(map(_is_lasting, new)) else replaced):
            builder.warnings.append(f"{step.words} is left out: the agent did without it")


def _parts(page: EpisodePage, count: int) -> Iterator[tuple[Sequence[StepView], int, int]]:
    """Yield what was done beside the flow, and which of its steps this replaced: from the first one to before the last.

    After each part, the flow did its last one, which is ``count`` at the end. What was only waited or scrolled for by
    the flow is no part.
    """
    state: EpisodeState = reduce(fold, page.episode.records, EpisodeState())
    views: list[StepView] = []
    first, is_foreign = 0, False
    for view in page.steps:
        move = state.step(view.number).result(MATCH, FlowMove)
        if move is None or move.kind == "agent":
            views.append(view)
            is_foreign = is_foreign or not all(isinstance(atom, IDLE) for atom in view.atoms)
        elif move.kind == "scroll":
            views.append(view)
        elif move.kind == "step" and FlowPlace.of(state, view.number + 1).next > first:
            yield views if is_foreign else (), first, move.step
            first, views, is_foreign = move.step + 1, [], False
    yield views if is_foreign else (), first, count


def _is_lasting(step: FlowStep) -> bool:
    """Return whether a step turns a switch or cannot be undone."""
    return bool(step.effects) or (step.action.target is not None and step.action.target.checked is not None)


def _has_other_end(flow: Flow, builder: StepBuilder) -> bool:
    """Return whether the last screen is not the one of the flow's end."""
    last = builder.page.steps[-1]
    if last.screenshot is None or last.screen is None:
        return False
    return bool(signpost_problem(flow.end, last.screenshot, last.screen))


def _written(part: FlowStep | Signpost, variables: Mapping[str, str]) -> Any:
    """Return a part of a flow as a file has it."""
    return with_variables(part.model_dump(mode="json", exclude_defaults=True), variables)
