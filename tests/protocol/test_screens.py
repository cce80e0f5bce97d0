"""Words of a text, by the columns of its characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element

LINE = "US  Americas 亚洲"
STEP = 20


def line(content: str = LINE, left: int = 100) -> Element:
    """Each character is twenty pixels wide."""
    columns = tuple(left + STEP * place + STEP // 2 for place in range(len(content)))
    box = Box(x1=left, y1=50, x2=left + STEP * len(content), y2=90)
    return Element(kind="text", box=box, content=content, confidence=0.9, columns=columns)


def test_words_have_boxes_that_meet_in_the_blanks_and_end_with_the_text() -> None:
    assert [(word.content, word.box.x1, word.box.x2) for word in line().words] == [
        ("US", 100, 150),
        ("Americas", 170, 350),
        ("亚洲", 350, 400),
    ]
    assert {(word.box.y1, word.box.y2, word.confidence) for word in line().words} == {(50, 90, 0.9)}
    assert line().part(14, 15).box == Box(x1=380, y1=50, x2=400, y2=90), "between letters the middle"
    assert line().part(0, len(LINE)) == line()


def test_without_columns_a_part_is_the_whole_and_no_word_has_a_place() -> None:
    unknown = line().model_copy(update={"columns": ()})
    assert unknown.part(4, 12) == unknown
    assert unknown.words == ()
    with pytest.raises(ValidationError, match="2 columns for 3 characters"):
        Element(kind="text", box=unknown.box, content="abc", confidence=1, columns=(1, 2))


@given(st.text("ab亚 ", min_size=1, max_size=12), st.data())
def test_a_part_lies_in_its_text_and_has_its_own_parts(content: str, data: st.DataObject) -> None:
    text = line(content)
    start = data.draw(st.integers(0, len(content) - 1))
    end = data.draw(st.integers(start + 1, len(content)))
    part = text.part(start, end)
    assert part.content == content[start:end]
    assert text.box.x1 <= part.box.x1 < part.box.x2 <= text.box.x2
    if not part.content.isspace():
        inked = [place for place, character in zip(part.columns, part.content, strict=True) if not character.isspace()]
        assert all(part.box.x1 <= place <= part.box.x2 for place in inked)
        assert "".join(word.content for word in part.words) == "".join(part.content.split())
