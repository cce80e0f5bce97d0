"""Notes: what the image shows that later steps will need."""

from __future__ import annotations

import re

from protocol.replies import NoteReply
from protocol.sections import Section
from simulator.rehearsal.conditions import find
from simulator.rehearsal.pages import Line, Page
from simulator.rehearsal.prompt import Reading
from simulator.rehearsal.script import Noted, Script, Scripts
from simulator.rehearsal.wording import chosen, position


def note(reading: Reading, scripts: Scripts, page: Page | None) -> NoteReply:
    """The notetaker's reply: the notes so far, and what this image adds for the subgoal and the one after it."""
    notes = dict(reading.notes)
    script = scripts.for_goal(reading.text(Section.GOAL))
    if script is not None and page is not None and not reading.missing_instructions:
        for wanted in _wanted(reading, script):
            value = _value(wanted, page)
            if value:
                notes.setdefault(wanted.label, value)
    return NoteReply(notes="\n".join(f"{label}: {value}" for label, value in notes.items())[:2000])


def _wanted(reading: Reading, script: Script) -> list[Noted]:
    place = position(reading.text(Section.SUBGOAL), reading.plan, script)
    if place is None:
        return []
    index, way = place
    following = script.subgoals[index + 1 : index + 2]
    return [wanted for subgoal in (chosen(script, index, way), *following) for wanted in subgoal.notes]


def _value(wanted: Noted, page: Page) -> str | None:
    """What the image shows for a note; None if it does not show it."""
    if wanted.near is None:
        return _first(wanted.find, [_running_text(page)])
    anchors = find(wanted.near, page.lines)
    if not anchors:
        return None
    below = [line for line in page.lines if line.y > anchors[0].y - 0.5 * anchors[0].h]
    return _first(wanted.find, [line.text for line in sorted(below, key=lambda line: _distance(anchors[0], line))])


def _first(pattern: str, texts: list[str]) -> str | None:
    for text in texts:
        found = re.search(pattern, text)
        if found:
            return " ".join((found[1] if found.re.groups else found[0]).split())
    return None


def _distance(anchor: Line, line: Line) -> float:
    return abs(line.y - anchor.y) * 2 + abs(line.x - anchor.x)


def _running_text(page: Page) -> str:
    """All lines from top to bottom; lines side by side from left to right."""
    rows = sorted(page.lines, key=lambda line: (round(line.y, 2), line.x))
    return " ".join(line.text for line in rows)
