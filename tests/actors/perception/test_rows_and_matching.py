"""What is known of a page from others: rows, shifts, texts; over random pages."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.backends import UnreadPart
from manyhands.actors.perception.page_cache import PageCache, size_of
from manyhands.actors.perception.page_matching import Page, match, shifts
from manyhands.actors.perception.reading import PageHistory
from manyhands.actors.perception.rows import RowHasher, spans, zones
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element
from tests.examples import examples

HASHER = RowHasher(seed=1)
WIDTH, HEIGHT, LINE = 100, 600, 24
"""A width that is no multiple of eight: rows are padded."""


def text_at(top: int, left: int = 10, content: str = "x") -> Element:
    return Element(kind="text", box=Box(x1=left, y1=top, x2=left + 40, y2=top + LINE), content=content, confidence=0.99)


def picture(tops: list[int], seed: int) -> Rgb:
    """White, with lines of noise, each unlike all others."""
    rgb = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    for number, top in enumerate(tops):
        noise = np.random.default_rng((seed, number)).integers(0, 200, (LINE - 4, 30, 3), dtype=np.uint8)
        rgb[top + 2 : top + LINE - 2, 15:45] = noise
    return rgb


def page_of(rgb: Rgb, tops: list[int]) -> Page:
    return Page(HASHER.rows(rgb), tuple(text_at(top, content=str(number)) for number, top in enumerate(tops)))


TOPS = list(range(20, HEIGHT - 60, 60))
few = settings(max_examples=examples(40))


@given(st.integers(0, HEIGHT - 1), st.integers(0, WIDTH - 1), st.integers(0, 2), st.integers(1, 255))
def test_a_change_of_one_value_changes_the_hash_of_its_row_alone(y: int, x: int, channel: int, by: int) -> None:
    before = picture(TOPS, 1)
    after = before.copy()
    after[y, x, channel] = (int(after[y, x, channel]) + by) % 256
    differ = HASHER.rows(before).hashes != HASHER.rows(after).hashes
    assert np.flatnonzero(differ).tolist() == [y]


@few
@given(st.integers(0, 23), st.integers(1, 11), st.sampled_from([128, 64, 192]))
@example(7, 4, 128)
def test_a_screen_cannot_choose_its_changes_so_that_a_hash_stays(byte: int, often: int, bits: int) -> None:
    """The same bits of many words: two changes of a 64-bit word's highest bit would make up for each other."""
    before = picture(TOPS, 1)
    after = before.copy()
    after.reshape(HEIGHT, -1)[100:140, byte : byte + 24 * often : 24] ^= bits
    differ = HASHER.rows(before).hashes != HASHER.rows(after).hashes
    assert np.flatnonzero(differ).tolist() == list(range(100, 140))


@few
@given(st.integers(0, 255), st.integers(1, 40), st.integers(1, 20))
def test_rows_of_one_colour_are_blank(shade: int, width: int, height: int) -> None:
    rgb = np.full((height, width, 3), (shade, 3, 255 - shade), np.uint8)
    assert HASHER.rows(rgb).blank.all()
    if width > 1:
        rgb[0, -1] = (shade, 4, 255 - shade)
        assert HASHER.rows(rgb).blank.tolist() == [False] + [True] * (height - 1)


@few
@given(
    st.lists(
        st.tuples(st.integers(0, HEIGHT - 1), st.integers(1, 120), st.integers(0, WIDTH - 1), st.integers(1, 100)),
        max_size=4,
    )
)
def test_every_changed_pixel_is_read_or_blank_and_no_carried_text_holds_one(
    changes: list[tuple[int, int, int, int]],
) -> None:
    before = picture(TOPS, 1)
    after = before.copy()
    for number, (top, height, left, width) in enumerate(changes):
        region = after[top : top + height, left : left + width]
        region[:] = np.random.default_rng(number).integers(0, 256, region.shape, dtype=np.uint8)
    found = match(HASHER.rows(after), [page_of(before, TOPS)])
    changed = (before != after).any(axis=(1, 2))
    must_read = changed & ~HASHER.rows(after).blank
    for first, end in spans(must_read & ~found.open_rows):
        assert end - first < 6, "only what is too thin for a text may stay unread"
    for text in found.carried:
        assert not changed[text.box.y1 : text.box.y2].any()
    carried = {text.content for text in found.carried}
    for number, top in enumerate(TOPS):
        whole = not found.open_rows[top + 2 : top + LINE - 2].any()
        # A line of a page stays as a whole or is read as a whole.
        assert whole == (str(number) in carried) or changed[top : top + LINE].any()


@few
@given(st.integers(-200, 200).filter(bool))
def test_a_scroll_is_recognised_and_texts_go_with_it(shift: int) -> None:
    before = picture(TOPS, 1)
    after = np.full_like(before, 255)
    if shift > 0:
        after[shift:] = before[:-shift]
    else:
        after[:shift] = before[-shift:]
    assert shifts(HASHER.rows(after), HASHER.rows(before))[:1] == [shift]
    found = match(HASHER.rows(after), [page_of(before, TOPS)])
    assert found.scrolled
    expected = {
        (str(number), top + shift)
        for number, top in enumerate(TOPS)
        if top + shift >= max(shift, 0) + 2 and top + LINE + shift <= HEIGHT + min(shift, 0) - 2
    }
    assert {(text.content, text.box.y1) for text in found.carried} == expected


def test_a_page_that_scrolled_under_a_fixed_bar_keeps_both() -> None:
    bar = picture([10], 9)[:50]
    before, after = picture([100, 200, 300, 400, 500], 1), picture([100, 200, 300, 400, 500], 1)
    after[50:] = np.roll(after[50:], -90, axis=0)
    before[:50] = after[:50] = bar
    page = Page(
        HASHER.rows(before), (text_at(10, content="bar"), *(text_at(100 * n, content=str(n)) for n in range(1, 6)))
    )
    found = match(HASHER.rows(after), [page])
    assert {(text.content, text.box.y1) for text in found.carried} >= {("bar", 10), ("2", 110), ("3", 210), ("5", 410)}
    assert not found.open_rows[:50].any()


def test_several_pages_together_give_what_none_has_alone() -> None:
    one, other = picture(TOPS, 1), picture(TOPS, 2)
    mixed = one.copy()
    mixed[300:] = other[300:]
    found = match(HASHER.rows(mixed), [page_of(one, TOPS), page_of(other, TOPS)])
    assert not found.open_rows.any()
    assert sorted(text.content for text in found.carried) == sorted(str(n) for n in range(len(TOPS)))


def test_texts_beside_one_that_is_cut_are_read_again_and_none_comes_twice() -> None:
    rgb = picture([100], 1)
    page = Page(HASHER.rows(rgb), (text_at(100), text_at(110, left=60, content="beside")))
    changed = rgb.copy()
    changed[130, 70] = 0
    found = match(HASHER.rows(changed), [page, page])
    assert found.carried == ()
    assert found.open_rows[102:122].all()
    assert len(match(HASHER.rows(rgb), [page, page]).carried) == 2


def test_pages_of_another_size_say_nothing() -> None:
    found = match(HASHER.rows(picture(TOPS, 1)), [page_of(picture(TOPS, 1)[:-10], TOPS)])
    assert found.carried == ()
    assert found.open_share > 0


def test_what_differs_too_much_or_is_to_be_read_in_full_is_not_known() -> None:
    rgb = picture(TOPS, 1)
    rows, page, other = HASHER.rows(rgb), page_of(rgb, TOPS), page_of(picture(TOPS, 2), TOPS)
    assert PageHistory(HASHER, (page,), 0.6).known(rows) is not None
    assert PageHistory(HASHER, (), 0.6).known(rows) is None
    assert PageHistory(HASHER, (other,), 0.6).known(rows) is None
    assert PageHistory(HASHER, (), 0.6).known(rows) is None


# ---------------------------------------------------------------------------- what the reader is asked
@given(st.lists(st.integers(0, 2399), max_size=12), st.sampled_from([20, 38, 40]), st.integers(1, 12))
def test_zones_cover_what_is_open_with_context_and_stay_apart(places: list[int], strips: int, least: int) -> None:
    open_rows = np.zeros(2400, np.bool_)
    for place in places:
        open_rows[place : place + 30] = True
    found = zones(open_rows, strips, 0.5, least)
    covered = np.zeros(2400, np.bool_)
    for first, end in found:
        assert end - first >= min(least, strips)
        assert 0 <= first < end <= strips
        covered[round(first * 2400 / strips) : round(end * 2400 / strips)] = True
    assert covered[open_rows].all()
    assert all(end < following for (_, end), (following, _) in itertools.pairwise(found))
    assert bool(found) == bool(places)


def test_lines_that_are_known_or_on_known_rows_are_not_read() -> None:
    open_rows = np.zeros(HEIGHT, np.bool_)
    open_rows[100:200] = True
    known = text_at(195)
    part = UnreadPart(open_rows, (known,))
    new, away, again = text_at(150).box, text_at(300).box, Box(x1=11, y1=194, x2=51, y2=219)
    assert part.unread([new, away, again]) == [new]


# ---------------------------------------------------------------------------- memory
def test_the_memory_is_bounded_and_forgets_the_phone_unheard_of_for_longest() -> None:
    page = page_of(picture(TOPS, 1), TOPS)
    memory = PageCache(per_phone=2, limit_mb=3.5 * size_of(page) / 1e6)
    pages = [page_of(picture(TOPS, seed), TOPS) for seed in range(5)]
    for number in (0, 1, 2):
        memory.read("a", pages[number], in_full=number == 0)
    assert memory.of("a") == (pages[2], pages[1])
    memory.show("a", pages[1])
    assert memory.of("a") == (pages[1], pages[2])
    assert memory.in_part("a") == 2
    memory.read("b", pages[3], in_full=True)
    memory.read("b", pages[4], in_full=True)
    assert memory.of("a") == (pages[1],)
    assert memory.of("b") == (pages[4], pages[3])
    assert (memory.of("c"), memory.in_part("c"), memory.in_part("b")) == ((), 0, 0)
