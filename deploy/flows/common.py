"""Make one flow of several verified episodes of a goal: of what all of them did, and what all of them showed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from manyhands.actors.profiles.flow.targets import plain
from manyhands.deploy.flows.draft import FlowDraft, draft_flow
from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.protocol.errors import BadInput


@dataclass(frozen=True, slots=True)
class FlowSource:
    """Hold a verified episode, what people call it, and its values of what may change, by name."""

    episode: RecordedEpisode
    name: str
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CommonFlow:
    """Hold the draft that most can be told of, and its entry of a flow's file with the signposts of all drafts."""

    draft: FlowDraft
    entry: Mapping[str, Any]


def make_common_flow(sources: Sequence[FlowSource]) -> CommonFlow:
    """Return the flow of episodes of one goal. Raises BadInput as ``draft_flow``.

    An action that changed nothing on the screen is a step if all episodes have it: one that only missed its target
    would not be there each time. An episode that took another way says nothing of the screens of this one.
    """
    drafts = _whole_drafts(sources) or [draft_flow(one.episode, one.name, one.values) for one in sources]
    draft, *others = sorted(drafts, key=lambda one: len(one.warnings))
    same = [other.entry() for other in others if _actions(other) == _actions(draft)]
    return CommonFlow(draft, reduce(_keep_common, same, draft.entry()))


def _whole_drafts(sources: Sequence[FlowSource]) -> list[FlowDraft]:
    """Return drafts with all actions; none if they differ or nobody can tell what one touched."""
    if len(sources) < 2:
        return []
    try:
        drafts = [draft_flow(one.episode, one.name, one.values, has_all=True) for one in sources]
    except BadInput:
        return []
    is_common = all(_actions(one) == _actions(drafts[0]) for one in drafts)
    return drafts if is_common else []


def _actions(draft: FlowDraft) -> list[dict[str, Any]]:
    """Return what the steps of a draft do, with the names of its variables, without what is beside the targets."""
    return [_action(step) for step in draft.entry()["flow"]["steps"]]


def _action(step: Mapping[str, Any]) -> dict[str, Any]:
    action = step["action"]
    target = {key: value for key, value in action.get("target", {}).items() if key not in ("near", "checked")}
    return {**action, "target": target}


def _keep_common(entry: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return a task of a flow's file with the texts of its signposts that another entry has, too."""
    mine, its = entry["flow"], other["flow"]
    pairs = zip(mine["steps"], its["steps"], strict=True)
    steps = [{**step, **_in_common(step, same, "before")} for step, same in pairs]
    return {**entry, "flow": {**mine, "steps": steps, **_in_common(mine, its, "end")}}


def _in_common(part: Mapping[str, Any], other: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the signpost at ``key`` with the texts that both have; nothing if there is none."""
    if key not in part:
        return {}
    its = {plain(text) for text in other.get(key, {}).get("shows", ())}
    shows = [text for text in part[key].get("shows", ()) if plain(text) in its]
    return {key: {**{name: value for name, value in part[key].items() if name != "shows"}, "shows": shows}}
