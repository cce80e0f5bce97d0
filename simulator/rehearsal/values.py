"""Values that a script's texts take from the prompt: out of the notes, out of the hints, chosen by figures."""

from __future__ import annotations

import re

from protocol.sections import Section
from simulator.rehearsal.prompt import Reading
from simulator.rehearsal.script import Pick, Script

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def known_values(script: Script, reading: Reading) -> dict[str, str]:
    """Placeholders that can be filled now: ``note:LABEL``, ``hint:NAME``, ``pick:NAME``."""
    notes = reading.notes
    values = {f"note:{label}": value for label, value in notes.items()}
    for name, pattern in script.hints.items():
        found = re.search(pattern, reading.text(Section.HINTS))
        if found:
            values[f"hint:{name}"] = found[1]
    for name, pick in script.picks.items():
        choice = _choose(pick, notes)
        if choice is not None:
            values[f"pick:{name}"] = choice
            values[f"pick:{name}.value"] = notes[pick.of[choice]]
    return values


def _choose(pick: Pick, notes: dict[str, str]) -> str | None:
    """The name with the lowest or highest figure; None while a figure is missing."""
    figures: dict[str, float] = {}
    for name, label in pick.of.items():
        number = _NUMBER.search(notes.get(label, ""))
        if number is None:
            return None
        figures[name] = float(number[0].replace(",", ""))
    best = min if pick.by == "lowest" else max
    return best(figures, key=lambda name: figures[name])
