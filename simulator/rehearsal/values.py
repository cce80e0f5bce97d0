"""Find the values that a script takes from the prompt: notes, hints, a person's answer, numbers in notes."""

from __future__ import annotations

import re

from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.script import Pick, Script

_ANSWER = re.compile(r'The user answers: "([^"\n]+)"')
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def known_values(script: Script, reading: Reading) -> dict[str, str]:
    """Return the values of ``note:LABEL``, ``hint:NAME``, ``pick:NAME``, ``person:answer`` that the prompt gives."""
    notes = reading.notes
    values = {f"note:{label}": value for label, value in notes.items()}
    if answers := _ANSWER.findall(reading.text(Section.PROGRESS)):
        values["person:answer"] = answers[-1]
    for name, pattern in script.hints.items():
        found = re.search(pattern, reading.text(Section.HINTS))
        if found:
            values[f"hint:{name}"] = found[1]
    for name, pick in script.picks.items():
        values.update(_picked(name, pick, notes))
    return values


def _picked(name: str, pick: Pick, notes: dict[str, str]) -> dict[str, str]:
    """Return the choice as ``pick:NAME``, and the note of the choice as ``pick:NAME.value``.

    While a note is missing, return nothing. A choice by mark may have several names: it joins them, each with the first
    word of its note, and has no ``.value``.
    """
    figures = {one: found[0] for one, label in pick.of.items() if (found := _NUMBER.search(notes.get(label, "")))}
    if len(figures) < len(pick.of):
        return {}
    if pick.by == "marked":
        chosen = [f"{one} {notes[label].split()[0]}" for one, label in pick.of.items() if pick.mark in notes[label]]
        return {f"pick:{name}": ", ".join(chosen)} if chosen else {}
    best = min if pick.by == "lowest" else max
    choice = best(figures, key=lambda one: float(figures[one].replace(",", "")))
    return {f"pick:{name}": choice, f"pick:{name}.value": notes[pick.of[choice]]}
