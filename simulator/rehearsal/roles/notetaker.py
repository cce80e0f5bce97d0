"""Answer as the notetaker: note what the image shows that later steps need."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from manyhands.protocol.roles.role import AddedNotesReply, NoteReply
from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal.conditions import all_hold, find
from manyhands.simulator.rehearsal.pages import Line, Page, Sight
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.script import Noted, Script, Scripts, fill_all, fill_now
from manyhands.simulator.rehearsal.values import known_values
from manyhands.simulator.rehearsal.wording import chosen, position

_BAND = 0.1
"""The share of the screen's height below a text that belongs to the text."""


def note(reading: Reading, scripts: Scripts, page: Page | None, adds: bool = False) -> NoteReply | AddedNotesReply:
    """Return the notes so far, and what this image adds for the current subgoal and the next one.

    With ``adds``, return only what the image adds.
    """
    notes = dict(reading.notes)
    script = scripts.for_goal(reading.text(Section.GOAL))
    if script is not None and page is not None and not reading.missing_instructions:
        known = known_values(script, reading)
        for wanted in _wanted(reading, script):
            value = seen_value(wanted, page, known)
            if value:
                notes.setdefault(wanted.label, value)
    kept = {label: value for label, value in notes.items() if not adds or label not in reading.notes}
    text = "\n".join(f"{label}: {value}" for label, value in kept.items())[:2000]
    return AddedNotesReply(notes=text) if adds else NoteReply(notes=text)


def _wanted(reading: Reading, script: Script) -> list[Noted]:
    place = position(reading.text(Section.SUBGOAL), reading.plan, script)
    if place is None:
        return []
    index, way = place
    following = script.subgoals[index + 1 : index + 2]
    return [wanted for subgoal in (chosen(script, index, way), *following) for wanted in subgoal.notes]


def seen_value(wanted: Noted, page: Page, known: Mapping[str, str]) -> str | None:
    """Return the value of a note if the image shows it; else None."""
    lines = page.lines
    when = fill_all(wanted.when, known)
    if when is None or not all_hold(when, Sight(lines=lines)):
        return None
    if wanted.near is not None:
        near = fill_now(wanted.near, known)
        anchors = find(near, lines) if near else []
        lines = tuple(line for line in lines if anchors and 0 <= line.y - anchors[0].y + 0.01 < _BAND)
    found = re.search(wanted.find, running_text(lines))
    if found is None:
        return None
    return " ".join((found[1] if found.re.groups else found[0]).split())


def running_text(lines: Iterable[Line]) -> str:
    """Return the texts of all lines, from top to bottom, and from left to right within a row."""
    rows = sorted(lines, key=lambda line: (round(line.y, 2), line.x))
    return " ".join(line.text for line in rows)
