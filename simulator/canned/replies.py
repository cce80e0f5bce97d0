"""What the canned model writes: a fixed valid reply for each role, without a look at the prompt or its pictures.

What differs from step to step is drawn from the task's name and the step alone, so that every schedule and every
run with the same seed meets the same new subgoals and the same mistakes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from manyhands.protocol.base import Outcome, Reply
from manyhands.protocol.roles import (
    MOST_CAPTIONS,
    REPLIES,
    CaptionedIcon,
    CaptionReply,
    DecideReply,
    NoteReply,
    PlanReply,
    ReflectReply,
    ReflectSubgoalReply,
    Role,
)
from manyhands.simulator.canned.settings import CannedSettings
from manyhands.simulator.serving.draws import drawn
from manyhands.simulator.serving.plain_reply import plain_reply

_EPISODE = re.compile(r"(.+-[1-9]\d{0,3})-[0-9a-f]+")
_PLACES = tuple((x, y) for y in (180, 320, 460, 600, 740, 880) for x in (140, 380, 620, 860))
"""Where it taps, in thousandths of the screen."""
_KEYS_EVERY = 12
"""In so many actions in a row one is Back and one is Home."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """One step of one task: all that a reply depends on."""

    seed: int
    task: str
    """The task's name and the number of the attempt."""
    step: int

    def draw(self, purpose: str, sides: int) -> int:
        """Draw a number from 0 to ``sides`` - 1, the same for equal occasions and purposes."""
        return drawn(sides, self.seed, self.task, self.step, purpose)


def task_of(episode: str) -> str:
    """Return an episode's name without the mark that differs from run to run (TASK-ATTEMPT-MARK)."""
    named = _EPISODE.fullmatch(episode)
    return named[1] if named else episode


def canned_reply(settings: CannedSettings, wanted: str, episode: str, step: int) -> Reply:
    """Return the reply of the type ``wanted``, one of ``REPLIES``, in this step of this episode."""
    role = REPLIES[wanted]
    occasion = Occasion(settings.seed, task_of(episode), step)
    if role is Role.PLAN:
        return _plan(settings, occasion)
    if role is Role.DECIDE:
        return _decision(occasion)
    if role is Role.REFLECT:
        verdict = _verdict(settings, occasion)
        if wanted == ReflectReply.__name__:
            return verdict
        reached = verdict.outcome is Outcome.A and _new_subgoal(settings, replace(occasion, step=step + 1))
        return ReflectSubgoalReply(**verdict.model_dump(), subgoal_reached=reached)
    if role is Role.CAPTION:
        numbers = range(1, MOST_CAPTIONS + 1)  # those that the picture does not have count for nothing
        return CaptionReply(icons=[CaptionedIcon(number=number, name=f"canned icon {number}") for number in numbers])
    if role is Role.NOTE:
        return NoteReply(notes=f"Canned note of step {step}: nothing is known of the screen.")
    return plain_reply(next(reply for reply in role.spec.replies if reply.__name__ == wanted))


def _plan(settings: CannedSettings, occasion: Occasion) -> PlanReply:
    step, new = occasion.step, _new_subgoal(settings, occasion)
    finished = settings.finish_at is not None and step >= settings.finish_at
    return PlanReply(
        thought="A canned thought: this stand-in has not looked at the screen.",
        plan="1. Tap one place after another. 2. Go on.",
        change=("replan" if step == 0 else "next") if new else "keep",
        subgoal=f"Tap on from step {step}." if new else "Tap on.",
        status="finished" if finished else "continue",
    )


def _new_subgoal(settings: CannedSettings, occasion: Occasion) -> bool:
    every = settings.change_every
    if occasion.step == 0 or every == 0:
        return occasion.step == 0
    offset = replace(occasion, step=0).draw("offset", every)
    return (occasion.step + offset) % every == 0


def _decision(occasion: Occasion) -> DecideReply:
    turn = occasion.step + replace(occasion, step=0).draw("place", len(_PLACES))
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


def _verdict(settings: CannedSettings, occasion: Occasion) -> ReflectReply:
    progress = f"{occasion.step + 1} canned actions were made."
    if occasion.draw("mistake", 1_000_000) < settings.mistakes * 1_000_000:
        error = "A canned mistake: this does not look like what was expected."
        return ReflectReply(outcome=Outcome.B, error=error, progress=progress)
    return ReflectReply(outcome=Outcome.A, error="", progress=progress)
