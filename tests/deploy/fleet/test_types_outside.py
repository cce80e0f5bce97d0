"""Types of the public API for a program outside the checkout, where it is installed as an editable package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
from manyhands import Fleet, TaskSpec

async def main() -> None:
    async with Fleet(phones=["virtual:1"]) as fleet:
        result = await fleet.run(TaskSpec(id="a", goal="g"))
        reveal_type(result.steps)
        TaskSpec(id="a", gaol="g")
"""


@pytest.mark.timeout(400)
def test_a_program_elsewhere_finds_our_types(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "program.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=380)
    of_program = [line for line in done.stdout.splitlines() if line.startswith("program.py")]
    assert [line.partition(": ")[2] for line in of_program if "Revealed" in line] == ['note: Revealed type is "int"'], (
        done.stdout
    )
    assert any('Unexpected keyword argument "gaol"' in line for line in of_program), done.stdout
    assert not any("import-untyped" in line or "import-not-found" in line for line in of_program), done.stdout
