"""What commands print, whatever the words are."""

from __future__ import annotations

import io

from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

from deploy.output import table

MARKUP = st.lists(st.sampled_from(["\\", "[", "/", "b", "]", "[/b]", "[red]"]), min_size=1, max_size=8).map("".join)
"""What markup is made of, and may be read off any screen."""


@given(st.lists(MARKUP, min_size=1, max_size=5))
@example([r"\[/b]"])
def test_cells_are_shown_as_they_are(cells: list[str]) -> None:
    file = io.StringIO()
    Console(file=file, width=100, emoji=False, highlight=False).print(table(None, ("content",), [(c,) for c in cells]))
    assert [line.rstrip() for line in file.getvalue().splitlines()[1:]] == cells
