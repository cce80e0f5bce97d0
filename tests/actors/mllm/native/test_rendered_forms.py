"""docs/model-forms.md shows the prompts of today."""

from __future__ import annotations

from tests.actors.mllm.native.rendered_forms import PAGE, page


def test_the_page_shows_the_forms_of_today() -> None:
    assert PAGE.read_text() == page(), "write it anew: python -m tests.actors.mllm.native.rendered_forms"
