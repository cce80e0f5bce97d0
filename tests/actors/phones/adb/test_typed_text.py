"""Whether a typed text has arrived, by the tree of views."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import pytest

from manyhands.actors.phones.adb.typed_text import find_text


def dump(text: str, focused: bool = True, kind: str = "android.widget.EditText", password: bool = False) -> bytes:
    values = f'focused="{focused}" password="{password}"'.lower()
    return f'<hierarchy><node class="{kind}" text={quoteattr(text)} {values} bounds="[0,0][9,9]"/></hierarchy>'.encode()


@pytest.mark.parametrize(
    ("views", "typed", "arrival"),
    [
        (dump("Hello green tea"), "green tea", "arrived"),
        (dump("(555) 010-8"), "5550108", "arrived"),
        (dump("Search…"), "green tea", "lost"),
        (dump(""), "👍", "lost"),
        (dump("green te"), "green tea", "unknown"),
        (dump("gr"), "green tea", "unknown"),
        (dump("••••", password=True), "green tea", "unknown"),
        (dump("", focused=False), "green tea", "unknown"),
        (dump("", kind="android.view.View"), "green tea", "unknown"),
        (b"ERROR: could not get idle state.", "green tea", "unknown"),
    ],
)
def test_the_focused_field_tells(views: bytes, typed: str, arrival: str) -> None:
    assert find_text(views, typed) == arrival
