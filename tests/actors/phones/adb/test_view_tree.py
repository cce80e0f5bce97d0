"""Dumps of uiautomator, whole and damaged: views, or one typed error."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.phones.adb.view_tree import MOST_BYTES, parse_views
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.views import MOST_DEPTH, MOST_VIEWS

NODE = '<node text="%s" class="android.widget.Switch" content-desc="" checked="true" bounds="[0,-4][1080,90]">'
WHOLE = (
    "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">"
    + NODE % "A &amp; B"
    + NODE % "内 &#10;🙂"
    + "</node></node></hierarchy>UI hierchary dumped to: /dev/tty\n"
).encode()


def test_a_whole_dump() -> None:
    (outer,) = parse_views(WHOLE)
    (inner,) = outer.views
    assert (outer.text, outer.bounds, outer.checked) == ("A & B", (0, -4, 1080, 90), True)
    assert (inner.text, inner.clickable, inner.views) == ("内 \n🙂", False, [])


@pytest.mark.parametrize(
    "dump",
    [
        b"",
        b"ERROR: could not get idle state.\n",
        b"</hierarchy><hierarchy>",
        WHOLE[:-60],
        WHOLE.replace(b"[1080,90]", b"[99999999999,90]"),
        WHOLE.replace(b"A &amp;", b"A &lol;"),
        b'<hierarchy><!DOCTYPE a [<!ENTITY a "b">]></hierarchy>',
        b"<hierarchy><other/></hierarchy>",
        b"<hierarchy>" + (NODE % "").encode() * (MOST_DEPTH + 1) + b"</hierarchy>",
        b"<hierarchy>" + (NODE % "" + "</node>").encode() * (MOST_VIEWS + 1) + b"</hierarchy>",
        b"<hierarchy>" + b" " * MOST_BYTES + b"</hierarchy>",
    ],
)
def test_what_cannot_be_read_is_one_typed_error(dump: bytes) -> None:
    with pytest.raises(StateUnavailable):
        parse_views(dump)


@given(st.integers(0, len(WHOLE)), st.integers(0, 40), st.binary(max_size=40))
def test_a_damaged_dump_raises_nothing_else(place: int, length: int, put: bytes) -> None:
    with contextlib.suppress(StateUnavailable):
        parse_views(WHOLE[:place] + put + WHOLE[place + length :])
