from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from manyhands.actors.phones.settling.changes import (
    RESTLESS_S,
    RestlessTiles,
    Thumbnail,
    Tiles,
    changed_tiles,
    grey,
    negligible,
    thumbnail,
)
from manyhands.actors.phones.settling.model import ExpectedChange, Motion, Stillness
from manyhands.actors.phones.settling.settler import (
    Expects,
    Moves,
    PrecedingAction,
    ScreenSample,
    Settler,
    wait_until_settled,
)
from manyhands.protocol.phones import SettleSpec
from manyhands.protocol.screens.screen import Settling

START = 100.0
HEIGHT, WIDTH = 288, 135
"""A thumbnail's size on a phone of 540x1200."""


class VirtualClock:
    def __init__(self) -> None:
        self.time = START

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += seconds


def plain(level: int) -> Thumbnail:
    return np.full((HEIGHT, WIDTH), level % 256, np.uint8)


def alike(one: Thumbnail, other: Thumbnail) -> bool:
    return negligible(one, other, changed_tiles(one, other))


Screen = Callable[[float], Thumbnail]


async def run(
    spec: SettleSpec,
    screen: Screen,
    took: float = 0.01,
    acted: PrecedingAction | None = None,
    restless: Tiles | None = None,
) -> tuple[ScreenSample[bool], Settling, Settler]:
    """Settle on a screen given by the seconds since the start; each look takes ``took`` seconds."""
    clock = VirtualClock()

    async def look(may_be_last: bool) -> ScreenSample[bool]:
        asked = clock.now()
        await clock.sleep(took)
        return ScreenSample(asked, clock.now(), screen(clock.now() - START), may_be_last)

    settler = Settler(spec, clock.now(), acted, restless)
    seen = await wait_until_settled(settler, look, clock)
    return seen, settler.report(), settler


def acted(
    before: Thumbnail | None = None, expects: Expects | None = None, moves: Moves | None = None
) -> PrecedingAction:
    return PrecedingAction(START, before, expects, moves)


async def test_a_still_screen_takes_the_quiet_time() -> None:
    seen, report, _ = await run(SettleSpec(quiet_ms=120, limit_ms=3000), lambda _: plain(9))
    assert report.settled
    assert 120 <= report.ms <= 160
    assert seen.value, "the last look was asked for as one that may be the last"
    assert (report.quiet_ms, report.learned, report.pauses, report.masked) == (120, False, 0, 0)


async def test_a_changing_screen_settles_after_its_last_change() -> None:
    _, report, _ = await run(SettleSpec(quiet_ms=120, limit_ms=3000), lambda t: plain(int(min(t, 1.0) * 100) * 2))
    assert report.settled
    assert 1110 <= report.ms <= 1120 + 40 + 4 * 10


async def test_a_slow_fade_is_a_change() -> None:
    """Less than the noise from look to look, more in all."""
    _, report, _ = await run(SettleSpec(quiet_ms=200, limit_ms=9000), lambda t: plain(int(min(t, 2.0) * 12)))
    assert report.settled
    assert report.ms >= 2000


async def test_the_limit_ends_a_screen_that_never_rests() -> None:
    _, report, _ = await run(SettleSpec(quiet_ms=120, limit_ms=1000), lambda t: plain(int(t * 1000)))
    assert not report.settled
    assert 1000 <= report.ms <= 1020


async def test_no_limit_means_one_frame() -> None:
    _, report, _ = await run(SettleSpec(quiet_ms=120, limit_ms=0), lambda _: plain(9))
    assert (report.frames, report.settled) == (1, False)


async def test_slow_captures_need_two_frames_only() -> None:
    _, report, _ = await run(SettleSpec(quiet_ms=120, limit_ms=3000), lambda _: plain(9), took=0.5)
    assert (report.frames, report.settled) == (2, True)


async def test_a_screen_as_before_the_action_is_given_more_time() -> None:
    spec = SettleSpec(quiet_ms=120, limit_ms=3000)
    loads_late = lambda t: plain(9 if t < 0.25 else 90)  # noqa: E731
    seen, _, _ = await run(spec, loads_late, acted=acted(plain(9)))
    assert alike(seen.thumbnail, plain(90))
    _, unchanged, _ = await run(spec, lambda _: plain(9), acted=acted(plain(9)))
    assert unchanged.settled
    assert 360 <= unchanged.ms <= 400


@given(
    gaps=st.lists(st.floats(0.02, 0.15), min_size=1, max_size=12),
    took=st.floats(0.001, 0.04),
)
async def test_no_gap_of_150_ms_is_taken_for_the_end(gaps: list[float], took: float) -> None:
    changes = np.cumsum(gaps)
    seen, report, _ = await run(SettleSpec(), lambda t: plain(20 * int((changes <= t).sum())), took, acted(plain(0)))
    assert report.settled
    assert alike(seen.thumbnail, plain(20 * len(gaps)))
    assert seen.at - START - changes[-1] <= 0.17 + 0.17 * 2 / 3 + 3 * took + 0.001


@given(
    changes=st.lists(st.floats(0.0, 3.0), max_size=8),
    took=st.floats(0.001, 0.7),
    quiet=st.integers(0, 500),
    limit=st.integers(0, 2000),
)
async def test_it_ends_by_the_limit_and_settled_means_two_equal_frames(
    changes: list[float], took: float, quiet: int, limit: int
) -> None:
    def screen(t: float) -> Thumbnail:
        return plain(sum(20 for change in changes if change <= t))

    seen, report, _ = await run(SettleSpec(quiet_ms=quiet, limit_ms=limit), screen, took)
    assert report.ms <= limit + took * 1000 + 1
    if report.settled:
        end = seen.at - START
        assert alike(screen(end), screen(max(end - 0.9 * quiet / 1000, 0)))


# ---------------------------------------------------------------------------- what was learned
def blank_then_page(t: float) -> Thumbnail:
    return plain(9 if t < 0.05 else 50 if t < 0.9 else 90)


def expects_the_page(stillness: Stillness) -> ExpectedChange:
    return ExpectedChange(0.5, 1.2) if stillness.pauses == 0 else ExpectedChange(0.0, 0.0)


async def test_a_pause_that_is_expected_is_waited_for_and_nothing_beyond_it() -> None:
    seen, report, settler = await run(SettleSpec(), blank_then_page, acted=acted(plain(9), expects_the_page))
    assert alike(seen.thumbnail, plain(90))
    assert (report.learned, report.pauses) == (True, 1)
    assert 900 + 170 <= report.ms <= 900 + 170 + 60 + 30
    ((stillness, pause),) = settler.pauses
    assert stillness == Stillness(0, "most")
    assert pause.low <= 0.85 <= pause.high


async def test_an_expected_change_that_does_not_come_is_waited_for_as_long_as_known() -> None:
    expects = lambda _: ExpectedChange(0.5, 1.2)  # noqa: E731
    _, report, _ = await run(SettleSpec(), lambda t: plain(9 if t < 0.05 else 50), acted=acted(plain(9), expects))
    assert report.settled
    assert report.quiet_ms == pytest.approx(1200)
    assert 1200 <= report.ms <= 1350


async def test_an_action_known_to_change_nothing_costs_one_quiet_time() -> None:
    known = lambda _: ExpectedChange(0.0, 0.0)  # noqa: E731
    _, report, _ = await run(SettleSpec(), lambda _: plain(9), acted=acted(plain(9), known))
    assert 170 <= report.ms <= 200


async def test_what_comes_again_at_its_place_until_the_limit_was_waited_for_in_vain() -> None:
    waits = lambda _: ExpectedChange(0.5, 2.5)  # noqa: E731

    def ticking(t: float, corner: int) -> Thumbnail:
        screen = plain(9 if t < 0.05 else 50 if t < 0.9 else 90)
        screen[40:60, 10:60] = corner
        return screen

    page = lambda t: ticking(t, 100 * (t >= 2.0))  # noqa: E731
    _, report, settler = await run(SettleSpec(), page, acted=acted(plain(9), waits))
    assert not report.settled
    (blank, first), (_, second) = settler.outcomes()
    assert blank == Stillness(0, "most")
    assert first is not None, "nothing came again where only the page had changed"
    assert second is None

    clock = lambda t: plain(20 * int(t / 1.1))  # noqa: E731
    _, report, settler = await run(SettleSpec(), clock, acted=acted(plain(0), waits))
    assert not report.settled
    assert [outcome for _, outcome in settler.outcomes()] == [None, None]
    _, _, settler = await run(SettleSpec(), blank_then_page, acted=acted(plain(9), expects_the_page))
    assert settler.outcomes() == settler.pauses


async def test_a_screen_that_always_moves_so_long_is_not_looked_at_before() -> None:
    moves = lambda t: plain(20 * int(min(t, 0.5) * 100))  # noqa: E731
    _, before, _ = await run(SettleSpec(), moves, acted=acted(plain(0)))
    seen, report, settler = await run(SettleSpec(), moves, acted=acted(plain(0), moves=lambda _: Motion(0.35, 0.8)))
    assert alike(seen.thumbnail, plain(1000))
    assert report.ms <= before.ms + 60
    assert report.frames <= before.frames - 5
    assert settler.moved[0] == pytest.approx(0.45, abs=0.06)


async def test_a_screen_that_is_always_at_rest_by_then_takes_two_looks() -> None:
    at_once = lambda t: plain(90)  # noqa: E731
    _, report, settler = await run(SettleSpec(), at_once, acted=acted(plain(9), moves=lambda _: Motion(0.0, 0.0)))
    assert (report.frames, report.settled) == (2, True)
    assert 170 <= report.ms <= 190
    assert settler.moved == {0: 0.0}


@given(
    gaps=st.lists(st.floats(0.02, 0.15), min_size=1, max_size=12),
    took=st.floats(0.001, 0.04),
    earliest=st.floats(0, 2.5),
    latest=st.floats(0, 2.5),
)
async def test_whatever_is_believed_of_its_moving_the_last_look_shows_the_end(
    gaps: list[float], took: float, earliest: float, latest: float
) -> None:
    changes = np.cumsum(gaps)
    screen = lambda t: plain(20 * int((changes <= t).sum()))  # noqa: E731
    seen, report, settler = await run(
        SettleSpec(limit_ms=6000), screen, took, acted(plain(0), moves=lambda _: Motion(earliest, latest))
    )
    assert report.settled
    assert alike(seen.thumbnail, plain(20 * len(gaps)))
    assert settler.moved[0] <= changes[-1]


async def test_the_middle_of_a_pause_that_is_well_known_is_not_looked_at() -> None:
    looked: list[float] = []

    def screen(t: float) -> Thumbnail:
        looked.append(t)
        return blank_then_page(t)

    seen, report, settler = await run(SettleSpec(), screen, acted=acted(plain(9), expects_the_page))
    assert alike(seen.thumbnail, plain(90))
    assert report.pauses == 1
    assert not [t for t in looked if 0.3 < t < 0.55], "the page never came before 0.5 s of stillness"
    ((_, pause),) = settler.pauses
    assert pause.precise


async def test_looks_after_the_end_tell_of_a_change_that_came_late() -> None:
    _, _, settler = await run(SettleSpec(), lambda _: plain(9), acted=acted(plain(9)))
    assert settler.pauses == []
    settler.offer(START + 1.0, START + 1.01, plain(9))
    assert settler.pauses == []
    settler.offer(START + 2.0, START + 2.01, plain(90))
    ((stillness, pause),) = settler.pauses
    assert stillness == Stillness(0, "nothing")
    assert pause.low == pytest.approx(1.0)
    assert pause.high == pytest.approx(2.01)


# ---------------------------------------------------------------------------- what changes by itself
def with_video(t: float, still: int) -> Thumbnail:
    """A picture that moves all the time in a part of a screen that is otherwise plain."""
    screen = plain(still)
    screen[40:90, 10:120] = np.random.default_rng(int(t * 1000)).integers(0, 256, (50, 110), np.uint8)
    return screen


async def test_a_video_holds_nobody_up_until_the_limit() -> None:
    _, report, settler = await run(SettleSpec(limit_ms=5000), lambda t: with_video(t, 9))
    assert report.settled
    assert RESTLESS_S * 1000 <= report.ms <= 2300
    assert 0.1 <= report.masked <= 0.3
    _, again, _ = await run(SettleSpec(limit_ms=5000), lambda t: with_video(t, 9), restless=settler.restless)
    assert again.ms <= 300, "what was restless at the last screenshot needs not prove it again"


async def test_a_late_change_beside_a_video_counts() -> None:
    seen, report, _ = await run(SettleSpec(limit_ms=5000), lambda t: with_video(t, 9 if t < 1.75 else 90))
    assert report.settled
    assert seen.thumbnail[200, 60] == 90
    assert report.ms >= 1750 + 170


async def test_a_long_transition_of_the_whole_screen_is_no_video() -> None:
    seen, report, _ = await run(SettleSpec(), lambda t: plain(int(min(t, 1.5) * 1000) * 7))
    assert report.settled
    assert alike(seen.thumbnail, plain(1500 * 7))


async def test_a_blinking_caret_holds_nobody_up() -> None:
    def field(t: float) -> Thumbnail:
        screen = plain(240)
        if int(t / 0.1) % 2:
            screen[100:107, 60:62] = 20
        return screen

    _, report, _ = await run(SettleSpec(), field)
    assert report.settled
    assert report.ms <= 200


@given(st.lists(st.tuples(st.floats(0.01, 0.4), st.booleans()), min_size=1, max_size=60))
def test_only_what_changes_for_long_enough_is_restless(looks: list[tuple[float, bool]]) -> None:
    tiles, now, changing_since = RestlessTiles((5, 5), 0.0), 0.0, None
    for pause, changes in looks:
        now += pause
        seen = np.zeros((5, 5), np.bool_)
        seen[2, 2] = changes
        tiles.saw(now, seen)
        if changes and changing_since is None:
            changing_since = now
        restless = tiles.now()
        assert not restless[0].any(), "tiles that nothing came near"
        if restless.any():
            assert changing_since is not None
            assert now - changing_since >= RESTLESS_S - 1e-6


# ---------------------------------------------------------------------------- thumbnails
@pytest.mark.parametrize("channels", [3, 4])
def test_thumbnails_leave_out_the_status_bar_and_see_the_rest(channels: int) -> None:
    picture = np.full((2400, 1080, channels), 240, np.uint8)
    clock = picture.copy()
    clock[20:80, 40:300] = 0
    cursor = picture.copy()
    cursor[1000:1060, 500:505] = 0
    toggled = picture.copy()
    toggled[1000:1050, 500:600] = 0
    first = thumbnail(grey(picture))
    assert first.shape == (576, 270)
    assert alike(first, thumbnail(grey(clock)))
    assert alike(first, thumbnail(grey(cursor)))
    assert not alike(first, thumbnail(grey(toggled)))


async def test_a_phone_that_turns_starts_again() -> None:
    turned = np.full((WIDTH, HEIGHT), 9, np.uint8)
    _, report, _ = await run(SettleSpec(), lambda t: plain(9) if t < 0.1 else turned, acted=acted(plain(9)))
    assert report.settled
    assert report.ms >= 270


@given(st.integers(1, 70), st.integers(1, 70), st.data())
def test_a_changed_pixel_is_in_its_tile(height: int, width: int, data: st.DataObject) -> None:
    one = np.zeros((height, width), np.uint8)
    assume(one.size)
    row, column = data.draw(st.integers(0, height - 1)), data.draw(st.integers(0, width - 1))
    other = one.copy()
    other[row, column] = 99
    tiles = changed_tiles(one, other)
    assert tiles.sum() == 1
    assert tiles[row // 8, column // 8]
