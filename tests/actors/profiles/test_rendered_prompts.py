"""A change of a prompt is made on purpose: the file of all rendered prompts shows it."""

from __future__ import annotations

from tests.actors.profiles.rendered_prompts import PAGE, page


def test_the_file_shows_the_prompts_of_today() -> None:
    assert PAGE.read_text() == page(), "if the change is meant: make prompts"
