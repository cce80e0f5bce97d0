"""What the end of a run says."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from rich.console import Console

from manyhands.deploy.command_line.display import summary_table
from manyhands.evaluation.summary import summarise
from tests.evaluation.taught_run import SEARCH_ID, write_taught


def test_what_was_learned_is_told_with_what_it_took(tmp_path: Path) -> None:
    said = StringIO()
    Console(width=300, file=said).print(summary_table(summarise(write_taught(tmp_path))))
    lines = [line.rstrip() for line in said.getvalue().splitlines()]
    assert (
        "2 lessons taught, 1 failed, 2.00 s each (median); tips: 1 added, 1 changed; shortcuts: 1 added, 1 refused"
    ) in lines
    assert "shortcuts used: initial 1 (1 worked); learned 3 (1 worked, 1 surprised, 1 put aside)" in lines
    assert f"put aside: {SEARCH_ID}@1" in lines
    assert (
        "model calls of steps 14 (1,150 tokens in, 14 out); of the verifier of preconditions 3 (90 tokens in, 3 out); "
        "of the retriever 1 (7 tokens in, 1 out); of the learners 6 (90 tokens in, 6 out)"
    ) in lines
