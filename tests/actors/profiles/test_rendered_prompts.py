"""docs/rendered-prompts.md shows the prompts of today."""

from __future__ import annotations

from tests.actors.profiles.rendered_prompts import PAGE, page


def test_the_page_shows_the_prompts_of_today() -> None:
    assert PAGE.read_text() == page(), "write it anew: python -m tests.actors.profiles.rendered_prompts"
