"""A change of a model's form is made on purpose: the rendered chats and the page of forms show it."""

from __future__ import annotations

from pathlib import Path

from tests.actors.mllm.native.rendered_forms import PAGE, facts, page

DOCUMENT = Path(__file__).parents[4] / "docs" / "model-forms.md"


def test_the_file_shows_the_forms_of_today() -> None:
    assert PAGE.read_text() == page(), "if the change is meant: make prompts"


def test_the_document_has_the_table_of_today() -> None:
    assert facts() in DOCUMENT.read_text(), "print it by: python -m tests.actors.mllm.native.rendered_forms"
