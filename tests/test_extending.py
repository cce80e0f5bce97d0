"""The examples of docs/extending.md are Python that fits the modules of today."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

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
