"""Pages that come again have one id; whatever else is drawn on them makes another page."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.actors.frames import Rgb
from manyhands.actors.phones.settling.changes import Thumbnail, grey, thumbnail
from manyhands.actors.phones.settling.post_capture import PAGES_KEPT, RecentPages
from tests.actors.phones.settling.test_likeness import CARET, PAGE, TILES, drawn


def small(rgb: Rgb) -> Thumbnail:
    return thumbnail(grey(rgb))


OTHER = small(drawn(100, 600, 600, 600))


def second_id(first: Rgb, second: Rgb, carets: tuple[int | None, int | None] = (None, None)) -> str:
    """The id of a page that is shown after another one lay between."""
    pages = RecentPages()
    assert pages.identify("a", small(first), None, carets[0]) == "a"
    assert pages.identify("b", OTHER, None, None) == "b"
    return pages.identify("c", small(second), None, carets[1])


def test_a_page_is_known_again_whatever_the_clock_shows() -> None:
    assert second_id(PAGE, PAGE.copy()) == "a"
    assert second_id(PAGE, drawn(40, 20, 200, 50)) == "a"


def test_the_blink_of_a_caret_that_has_not_moved_is_no_other_page() -> None:
    assert second_id(PAGE, CARET, (3, 3)) == "a"
    assert second_id(PAGE, CARET, (3, 4)) == "c"
    assert second_id(PAGE, CARET) == "c"


@settings(max_examples=25, deadline=None)
@given(x=st.integers(0, 1050), y=st.integers(96, 2350), side=st.integers(6, 28), level=st.sampled_from([0, 90, 160]))
def test_whatever_is_drawn_makes_another_page(x: int, y: int, side: int, level: int) -> None:
    """A digit has strokes of six pixels and more."""
    assert second_id(PAGE, drawn(x, y, side, side, level)) == "c"


def test_a_region_that_kept_changing_does_not_count() -> None:
    restless = np.zeros(TILES, np.bool_)
    restless[30:40, 5:30] = True
    video = drawn(200, 1150, 300, 100)
    pages = RecentPages()
    assert pages.identify("a", small(PAGE), restless, None) == "a"
    assert pages.identify("b", small(video), restless, None) == "a"
    assert pages.identify("c", small(video), None, None) == "a"
    assert pages.identify("d", small(PAGE), None, None) == "d"


def test_old_pages_are_forgotten_and_a_turned_phone_shows_others() -> None:
    pages = RecentPages()
    for number in range(PAGES_KEPT + 1):
        pages.identify(f"{number}", small(drawn(100, 200 + 100 * number, 50, 50)), None, None)
    assert pages.identify("again", small(drawn(100, 200, 50, 50)), None, None) == "again"
    assert pages.identify("turned", small(PAGE.transpose(1, 0, 2).copy()), None, None) == "turned"
