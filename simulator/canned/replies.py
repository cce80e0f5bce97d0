"""Write what the canned model answers: a fixed valid reply for each role. It does not look at prompts or pictures.

The place of a tap depends only on the task's name and the step, so every run has the same actions. All verdicts are
good, and the plan never ends.
"""

from __future__ import annotations

import re

from manyhands.protocol.base import Outcome, Reply
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.role import (
    MOST_CAPTIONS,
    AddedNotesReply,
    CaptionedIcon,
    CaptionReply,
    DecideReply,
    JudgeReply,
    NoteReply,
    PlanReply,
    ReflectChangeReply,
    ReflectReply,
    ReflectSubgoalReply,
)
from manyhands.simulator.serving.draws import drawn
from manyhands.simulator.serving.plain_reply import plain_reply

_EPISODE = re.compile(r"(.+-[1-9]\d{0,3})-[0-9a-f]+")
_PLACES = tuple((x, y) for y in (180, 320, 460, 600, 740, 880) for x in (140, 380, 620, 860))
"""Where it taps, in thousandths of the screen."""
_KEYS_EVERY = 12
"""Of so many actions in a row, one is Back and one is Home."""


def task_of(episode: str) -> str:
    """Return an episode's id without its last part, which differs from run to run (TASK-ATTEMPT-MARK)."""
    named = _EPISODE.fullmatch(episode)
    return named[1] if named else episode


def canned_reply(wanted: str, episode: str, step: int) -> Reply:
    """Return a reply of the type named ``wanted``, which may be of any profile, for a step of an episode."""
    progress = f"{step + 1} canned actions were made."
    kind = registered_profiles().reply_types[wanted]
    if issubclass(kind, PlanReply):
        return kind.model_validate(_plan(step).model_dump())
    if issubclass(kind, DecideReply):
        return kind.model_validate(_decision(task_of(episode), step).model_dump())
    if kind is ReflectReply:
        return ReflectReply(outcome=Outcome.A, error="", progress=progress)
    if kind is ReflectSubgoalReply:
        return ReflectSubgoalReply(outcome=Outcome.A, error="", progress=progress, subgoal_reached=False)
    if issubclass(kind, ReflectChangeReply):
        said = {"change": "Another canned picture.", "outcome": Outcome.A, "error": "", "progress": progress}
        return kind.model_validate({**said, **({"subgoal_reached": False} if kind is not ReflectChangeReply else {})})
    if kind is CaptionReply:
        numbers = range(1, MOST_CAPTIONS + 1)  # numbers without an icon in the picture are ignored
        return CaptionReply(icons=[CaptionedIcon(number=number, name=f"canned icon {number}") for number in numbers])
    if kind is JudgeReply:
        return JudgeReply(reason="This stand-in has not looked at the screen.", verdict="cannot tell")
    if kind in (NoteReply, AddedNotesReply):
        return kind.model_validate({"notes": f"Canned note of step {step}: nothing is known of the screen."})
    return plain_reply(kind)


def _plan(step: int) -> PlanReply:
    return PlanReply(
        thought="A canned thought: this stand-in has not looked at the screen.",
        plan="1. Tap one place after another. 2. Go on.",
        change="keep" if step else "replan",
        subgoal="Tap on.",
        status="continue",
    )


def _decision(task: str, step: int) -> DecideReply:
    turn = step + drawn(len(_PLACES), task, "place")
    rest = turn % _KEYS_EVERY
    x, y = _PLACES[turn * 7 % len(_PLACES)]
    key = {"name": "Back" if rest else "Home"}
    return DecideReply.model_validate(
        {
            "thought": "A canned thought: any place will do.",
            "action": key if rest in (0, _KEYS_EVERY // 2) else {"name": "Tap", "x": x, "y": y},
            "expectation": "The phone shows its next canned picture.",
        }
    )
