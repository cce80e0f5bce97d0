"""Whether a typed text has arrived, by the tree of views."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import pytest

from manyhands.actors.phones.adb.keyboard import find_text


def field(text: str, focused: bool = True, kind: str = "android.widget.EditText", password: bool = False) -> str:
    values = f'focused="{focused}" password="{password}"'.lower()
    return f'<node class="{kind}" text={quoteattr(text)} {values} bounds="[0,0][9,9]"/>'


def dump(*fields: str) -> bytes:
    return f"<hierarchy>{''.join(fields)}</hierarchy>".encode()


EMPTY = dump(field(""))


@pytest.mark.parametrize(
    ("before", "after", "typed", "arrival"),
    [
        (EMPTY, dump(field("Hello green tea")), "green tea", "arrived"),
        (EMPTY, dump(field("(555) 010-8")), "5550108", "arrived"),
        (EMPTY, dump(field("GREEN TEA")), "green tea", "arrived"),
        (dump(field("Search…")), dump(field("Search…")), "green tea", "lost"),
        (EMPTY, EMPTY, "👍", "lost"),
        (dump(field("old")), EMPTY, "green tea", "unknown"),
        (dump(field("green tea")), dump(field("green tea")), "green tea", "unknown"),
        (EMPTY, dump(field("green te")), "green tea", "unknown"),
        (EMPTY, dump(field("••••••")), "123456", "unknown"),
        (dump(field(""), field("", False)), dump(field("1"), field("", False)), "12", "unknown"),
        (dump(field(""), field("", False)), dump(field("6"), field("", False)), "123456", "unknown"),
        (dump(field(""), field("", False)), dump(field("", False), field("")), "123456", "unknown"),
        (EMPTY, dump(field("••••", password=True)), "green tea", "unknown"),
        (EMPTY, dump(field("", focused=False)), "green tea", "unknown"),
        (EMPTY, dump(field("", kind="android.view.View")), "green tea", "unknown"),
        (EMPTY, b"ERROR: could not get idle state.", "green tea", "unknown"),
        (b"ERROR: could not get idle state.", EMPTY, "green tea", "unknown"),
    ],
)
def test_the_fields_tell(before: bytes, after: bytes, typed: str, arrival: str) -> None:
    assert find_text(before, after, typed) == arrival
