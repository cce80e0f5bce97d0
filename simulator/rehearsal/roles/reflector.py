"""Answer as the reflector: judge by the images before and after whether the expectation came true."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from manyhands.protocol.base import Outcome
from manyhands.protocol.roles.role import (
    ReflectChangeReply,
    ReflectChangeSubgoalReply,
    ReflectReply,
    ReflectSubgoalReply,
)
from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal import expectations
from manyhands.simulator.rehearsal.conditions import EMPTY_FIELD, all_hold, find, is_shown
from manyhands.simulator.rehearsal.pages import Line, Page, Sight
from manyhands.simulator.rehearsal.prompt import Reading, shortcut_arguments
from manyhands.simulator.rehearsal.roles.operator import SEARCH_SHORTCUT, popups_seen
from manyhands.simulator.rehearsal.roles.planner import see
from manyhands.simulator.rehearsal.script import Script, Scripts, fill_all
from manyhands.simulator.rehearsal.values import known_values
from manyhands.simulator.rehearsal.wording import chosen, meant

KEYBOARD_LINE = "*ADB Keyboard*"
_LAST = "Last: "


@dataclass(frozen=True, slots=True)
class _Trial:
    """Hold an action, its expectation, and the screens before and after it."""

    action: Mapping[str, Any]
    expectation: str
    before: Page
    after: Page
    sight: Sight
    target: str
    """The text under the finger in the image before the action; empty if there is none."""

    @property
    def changed(self) -> bool:
        return not self.after.looks_like(self.before)


def reflect(
    reading: Reading, scripts: Scripts, pages: list[Page], asks_subgoal: bool = False, adds: bool = False
) -> ReflectReply | ReflectChangeReply:
    """Return the reflector's reply. With ``asks_subgoal``, it also says whether the subgoal is reached.

    With ``adds``, it says what has changed, and only what the action adds to the progress.
    """
    reply = _verdict(reading, scripts, pages)
    fields = reply.model_dump()
    if asks_subgoal:
        fields["subgoal_reached"] = _subgoal_reached(reading, scripts, pages, reply.progress)
    if not adds:
        return (ReflectSubgoalReply if asks_subgoal else ReflectReply).model_validate(fields)
    fields |= {"change": _change(pages), "progress": added_progress(reading, reply)}
    return (ReflectChangeSubgoalReply if asks_subgoal else ReflectChangeReply).model_validate(fields)


def added_progress(reading: Reading, reply: ReflectReply) -> str:
    """Return what a reply adds to the progress of the prompt."""
    known = reading.text(Section.PROGRESS).splitlines()
    lines = [line.removeprefix(_LAST) for line in reply.progress.splitlines() if line not in known]
    return "\n".join(line for line in lines if line not in known)[:800] if reply.outcome is Outcome.A else ""


def _change(pages: list[Page]) -> str:
    """Return in a sentence what the last image shows that the first does not."""
    known = {line.text for line in pages[0].lines} if pages else set()
    new = [line.text for line in pages[-1].lines if len(line.text) > 2 and line.text not in known] if pages else []
    return (
        f"It shows {', '.join(json.dumps(text[:30], ensure_ascii=False) for text in new[:3])}." if new else "Nothing."
    )


def _verdict(reading: Reading, scripts: Scripts, pages: list[Page]) -> ReflectReply:
    missing = reading.missing_instructions
    taken = reading.latest_action
    script = scripts.for_goal(reading.text(Section.GOAL))
    progress = reading.text(Section.PROGRESS)
    if missing or taken is None or script is None or len(pages) < 2:
        reason = f"I cannot judge: the prompt lacks {missing or 'the action, two pictures or a goal that I know'}."
        return ReflectReply(outcome=Outcome.C, error=reason, progress=progress)
    action, expectation = taken
    target = _under_finger(reading, action, pages[0])
    sight = replace(
        see(reading, pages[1]), before=pages[0], tapped=(target,) if action.get("name") == "Tap" and target else ()
    )
    trial = _Trial(action, expectation, pages[0], pages[1], sight, target)
    if not trial.changed and not _needs_no_change(trial):
        error = f"Nothing changed after {_named(trial)}. It may not react; try something else."
        return ReflectReply(outcome=Outcome.C, error=error, progress=progress)
    popups = scripts.popups(script.language)
    came_up = popups_seen(popups, sight) and not popups_seen(popups, see(reading, pages[0]))
    if came_up or sight.loading or _as_expected(trial):
        return ReflectReply(outcome=Outcome.A, error="", progress=_progress(reading, script, trial))
    shown = ", ".join(f'"{line.text[:30]}"' for line in trial.after.lines[1:4])
    error = f"Expected after {_named(trial)}: {trial.expectation} But the screen shows {shown}."
    return ReflectReply(outcome=Outcome.B, error=error[:800], progress=progress)


def _under_finger(reading: Reading, action: Mapping[str, Any], before: Page) -> str:
    screen = reading.screen
    if screen is None or not {"x", "y"} <= action.keys():
        return ""
    x, y = action["x"] / screen.width, action["y"] / screen.height
    under = [line for line in before.lines if abs(line.y - y) < 0.02 and abs(line.x - x) < 0.15]
    return min(under, key=lambda line: abs(line.y - y) + abs(line.x - x)).text if under else ""


def _needs_no_change(trial: _Trial) -> bool:
    return trial.action.get("name") in ("Answer", "Stop") or _has_moved_on(trial)


def _has_moved_on(trial: _Trial) -> bool:
    """Return whether a tap moved the caret to an empty field while the keyboard stayed. Nothing else changes then."""
    if trial.action.get("name") != "Tap" or expectations.read(trial.expectation) != ["keyboard"]:
        return False
    pages = (trial.before.lines, trial.after.lines)
    return bool(find(EMPTY_FIELD, [Line(trial.target, 0.5, 0.5)])) and all(find(KEYBOARD_LINE, one) for one in pages)


def _as_expected(trial: _Trial) -> bool:
    expectation = trial.expectation.strip()
    if expectation == expectations.HOLDS_TEXT:
        return is_shown(str(trial.action.get("text", "")), trial.sight)
    if expectation in (expectations.CHANGES, expectations.MOVES, expectations.LOADS):
        return trial.changed
    conditions = expectations.read(expectation)
    if not conditions:
        return trial.changed
    keyboard = all_hold([KEYBOARD_LINE], trial.sight)
    met = {"keyboard": keyboard, "!keyboard": not keyboard}
    return all(met[one] if one in met else all_hold([one], trial.sight) for one in conditions)


def _progress(reading: Reading, script: Script, trial: _Trial) -> str:
    """Return the new progress: all subgoals that are done, with this action's subgoal, and then the action itself."""
    so_far = reading.text(Section.PROGRESS)
    done = [subgoal.did for subgoal in _all_ways(script) if subgoal.did in so_far]
    for index, way in meant(reading.text(Section.SUBGOAL), script):
        subgoal = chosen(script, index, way)
        proof = subgoal.proof or subgoal.done
        if subgoal.did not in done and proof and all_hold(proof, trial.sight):
            done.append(subgoal.did)
            break
    lines = [f"{did}." for did in dict.fromkeys(done)]
    return "\n".join([*lines, f"{_LAST}{_named(trial)}."])[:2000]


def _subgoal_reached(reading: Reading, scripts: Scripts, pages: list[Page], progress: str) -> bool | None:
    """Return whether the subgoal is reached, as the planner would judge by the progress or the last picture.

    Return None if only the notes could tell it.
    """
    script = scripts.for_goal(reading.text(Section.GOAL))
    if script is None or not pages:
        return None
    subgoals = [chosen(script, index, way) for index, way in meant(reading.text(Section.SUBGOAL), script)]
    if not subgoals:
        return None
    values, sight = known_values(script, reading), see(reading, pages[-1])
    unknown = False
    for subgoal in subgoals:
        done = fill_all(subgoal.done, values)
        if subgoal.did in progress or (done and all_hold(done, sight)):
            return True
        unknown = unknown or done is None
    return None if unknown else False


def _all_ways(script: Script) -> list[Any]:
    return [way for subgoal in script.subgoals for way in (subgoal, subgoal.instead) if way is not None]


def _named(trial: _Trial) -> str:
    """Return the action in words."""
    action, name = trial.action, trial.action.get("name", "")
    if name in ("Tap", "Long_Press"):
        verb = "tapping" if name == "Tap" else "pressing"
        return f'{verb} "{trial.target}"' if trial.target else f"{verb} at ({action.get('x')}, {action.get('y')})"
    if name == "Type":
        return f'typing "{str(action.get("text", ""))[:60]}"'
    if name == "Shortcut" and action.get("shortcut") != SEARCH_SHORTCUT:
        return f"using {action.get('shortcut')}"
    if name == "Shortcut":
        return f'searching for "{shortcut_arguments(action).get("text", "")[:60]}"'
    if name == "Open_App":
        return f"opening {action.get('app')}"
    return {"Swipe": "a swipe", "Enter": "Enter", "Back": "going back", "Home": "going home"}.get(name, str(name))
