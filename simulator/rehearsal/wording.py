"""The wording of the rehearsed model: the same plan in other words each time, and read back."""

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
    """Return the subgoal, to be begun anew."""
    return _AGAIN[language].format(subgoal.say[0])


def says_again(text: str, language: Language) -> bool:
    return text.startswith(_AGAIN[language].split("{", maxsplit=1)[0])


def plan_text(subgoals: Sequence[Subgoal]) -> str:
    return "\n".join(f"{number}. {subgoal.say[0]}" for number, subgoal in enumerate(subgoals, start=1))


def meant(text: str, script: Script) -> list[tuple[int, Way]]:
    """Return the subgoals of a script, by index, that ``text`` may be a wording of."""
    found: list[tuple[int, Way]] = []
    bare = _unframed(text.strip(), script.language)
    for index, subgoal in enumerate(script.subgoals):
        if normal(bare) in map(normal, subgoal.say):
            found.append((index, "first"))
        elif subgoal.instead and normal(bare) in map(normal, subgoal.instead.say):
            found.append((index, "instead"))
    return found


def position(text: str, plan: Sequence[str], script: Script) -> tuple[int, Way] | None:
    """Return where in the plan the subgoal ``text`` stands: its number among the plan's lines.

    None where there is no plan, or the plan has no line for it.
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
