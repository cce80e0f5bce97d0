"""Phrase subgoals in different words each time, and read the subgoals back from these words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from manyhands.simulator.rehearsal.matching import normal
from manyhands.simulator.rehearsal.script import Language, Script, Subgoal

_FRAMES: dict[Language, tuple[str, ...]] = {
    "en": ("{}", "Now: {}", "Next: {}", "The thing to do now: {}", "Go on with this: {}"),
    "zh": ("{}", "现在：{}", "接下来：{}", "当前要做的：{}", "继续：{}"),
}
_AGAIN: dict[Language, str] = {"en": "Start again from the home screen: {}", "zh": "回到桌面重新开始：{}"}
Way = Literal["first", "instead"]


def phrase(subgoal: Subgoal, language: Language, draw: int) -> str:
    """Return the subgoal in one of many wordings, chosen by ``draw``."""
    said = subgoal.say[draw % len(subgoal.say)]
    frames = _FRAMES[language]
    return frames[draw // len(subgoal.say) % len(frames)].format(said)


def phrase_again(subgoal: Subgoal, language: Language) -> str:
    """Return the wording that tells the operator to begin the subgoal anew, from the home screen."""
    return _AGAIN[language].format(subgoal.say[0])


def says_again(text: str, language: Language) -> bool:
    return text.startswith(_AGAIN[language].split("{", maxsplit=1)[0])


def plan_text(subgoals: Sequence[Subgoal]) -> str:
    return "\n".join(f"{number}. {subgoal.say[0]}" for number, subgoal in enumerate(subgoals, start=1))


def meant(text: str, script: Script) -> list[tuple[int, Way]]:
    """Return each subgoal that ``text`` may name: its index in the script, and which of its ways."""
    found: list[tuple[int, Way]] = []
    bare = _unframed(text.strip(), script.language)
    for index, subgoal in enumerate(script.subgoals):
        if normal(bare) in map(normal, subgoal.say):
            found.append((index, "first"))
        elif subgoal.instead and normal(bare) in map(normal, subgoal.instead.say):
            found.append((index, "instead"))
    return found


def position(text: str, plan: Sequence[str], script: Script) -> tuple[int, Way] | None:
    """Return the index of the plan's line that names the subgoal ``text``, and which of the subgoal's ways.

    None if there is no plan, or if no line of it names the subgoal.
    """
    for index, way in meant(text, script):
        if index < len(plan) and any(index == place for place, _ in meant(plan[index], script)):
            return index, way
    return None


def chosen(script: Script, index: int, way: Way) -> Subgoal:
    subgoal = script.subgoals[index]
    return subgoal.instead if way == "instead" and subgoal.instead else subgoal


def _unframed(text: str, language: Language) -> str:
    for frame in (*_FRAMES[language][1:], _AGAIN[language]):
        lead = frame.split("{", maxsplit=1)[0]
        if text.startswith(lead):
            return text[len(lead) :]
    return text
