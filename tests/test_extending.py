"""The examples of docs/extending.md are Python that fits the modules of today."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from manyhands.protocol.base import Ending

ROOT = Path(__file__).parents[1]
HOMES = {
    "An action": "manyhands.protocol.screens.actions",
    "A role": "manyhands.protocol.roles.role manyhands.protocol.roles.requests manyhands.actors.roles.reflector",
    "A stage": "manyhands.protocol.base manyhands.protocol.roles.requests manyhands.actors.profiles.e.stages",
    "A form of replies": "manyhands.actors.mllm.formats manyhands.protocol.roles.field_description",
    "A limit": "manyhands.protocol.screens.actions manyhands.protocol.runs.limits",
    "A virtual app": "manyhands.simulator.phone.apps.placeholders",
    "A way to reach phones": "tests.actors.phones.panel manyhands.protocol.screens.actions",
}
"""Chapters with the modules that their classes and functions are meant for."""


def define_examples() -> None:
    """Define what the page shows, with the names of those modules. What it adds to an enum stands for a member."""
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    for chapter, homes in HOMES.items():
        names: dict[str, Any] = {"__name__": __name__}
        for home in homes.split():
            values = vars(importlib.import_module(home))
            names |= {name: value for name, value in values.items() if not name.startswith("__")}
        text = page.partition(f"\n## {chapter}")[2].partition("\n## ")[0]
        blocks = map(textwrap.dedent, re.findall(r"(?:^ {4}.*\n(?:^\n(?= {4}))*)+", text, re.MULTILINE))
        codes = [code for code in blocks if code.startswith(("class ", "def ", "async def "))]
        assert codes, chapter
        for code in codes:
            exec(code.replace("Role.CRITIQUE", "Role.NOTE").replace("Ending.BACK_LIMIT", "Ending.STEP_LIMIT"), names)


def test_examples_fit_the_modules_that_they_are_for() -> None:
    """They are defined in a process of their own, because other tests look at all subclasses of a class."""
    code = "from tests.test_extending import define_examples; define_examples()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_every_ending_has_its_words_in_the_pages() -> None:
    """The page names this table for a new ending."""
    table = (ROOT / "web" / "src" / "episode" / "actionWords.ts").read_text(encoding="utf-8")
    words = table.partition("ENDING_WORDS")[2].partition("};")[0]
    assert {str(ending) for ending in Ending} | {"unfinished"} == set(re.findall(r"^  (\w+): ", words, re.MULTILINE))


@pytest.mark.parametrize(
    ("chapter", "place"),
    [
        ("A limit", "web/src/episode/actionWords.ts"),
        ("A figure for Prometheus", "actors/remote/proxies.py"),
        ("A virtual app", "simulator/phone/ui/glyph_paths.py"),
    ],
)
def test_places_outside_the_room_are_named(chapter: str, place: str) -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    assert f"`{place}`" in page.partition(f"\n## {chapter}")[2].partition("\n## ")[0]
    assert (ROOT / place).is_file()
