from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.phones.settle import Look, Thumbnail, alike, settled, thumbnail
from protocol.phones import SettleSpec
from protocol.screens import Settling


class VirtualClock:
    def __init__(self) -> None:
        self.time = 100.0

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += seconds


def grey(level: int) -> Thumbnail:
    return np.full((60, 30), level, np.uint8)


async def run(
    spec: SettleSpec, screen: Callable[[float], Thumbnail], took: float = 0.01, before: Thumbnail | None = None
) -> tuple[Look[bool], Settling]:
    """Settle on a screen given by the seconds since the start; each look takes ``took`` seconds."""
    clock = VirtualClock()

    async def look(may_be_last: bool) -> Look[bool]:
        await clock.sleep(took)
        return Look(clock.now(), screen(clock.now() - 100), may_be_last)

    return await settled(spec, look, clock, before)


async def test_a_still_screen_takes_the_quiet_time() -> None:
    seen, report = await run(SettleSpec(quiet_ms=120, limit_ms=3000), lambda _: grey(9))
    assert report.settled
    assert 120 <= report.ms <= 160
    assert seen.value, "the last look was asked for as one that may be the last"


async def test_a_changing_screen_settles_after_its_last_change() -> None:
    _, report = await run(SettleSpec(quiet_ms=120, limit_ms=3000), lambda t: grey(int(min(t, 1.0) * 10) * 20))
    assert report.settled
    assert 1120 <= report.ms <= 1120 + 40 + 4 * 10


async def test_a_pulse_within_the_quiet_time_starts_it_again() -> None:
    _, report = await run(SettleSpec(quiet_ms=300, limit_ms=3000), lambda t: grey(200 if 0.1 <= t < 0.25 else 9))
    assert report.settled
    assert report.ms >= 550


async def test_the_limit_ends_a_screen_that_never_rests() -> None:
    _, report = await run(SettleSpec(quiet_ms=120, limit_ms=1000), lambda t: grey(int(t * 1000) % 200))
    assert not report.settled
    assert 1000 <= report.ms <= 1020


async def test_no_limit_means_one_frame() -> None:
    _, report = await run(SettleSpec(quiet_ms=120, limit_ms=0), lambda _: grey(9))
    assert (report.frames, report.settled) == (1, False)


async def test_slow_captures_need_two_frames_only() -> None:
    _, report = await run(SettleSpec(quiet_ms=120, limit_ms=3000), lambda _: grey(9), took=0.5)
    assert (report.frames, report.settled) == (2, True)


async def test_a_screen_as_before_the_action_is_given_more_time() -> None:
    spec = SettleSpec(quiet_ms=120, limit_ms=3000)
    loads_late = lambda t: grey(9 if t < 0.25 else 90)  # noqa: E731
    seen, _ = await run(spec, loads_late, before=grey(9))
    assert alike(seen.thumbnail, grey(90))
    _, unchanged = await run(spec, lambda _: grey(9), before=grey(9))
    assert unchanged.settled
    assert 360 <= unchanged.ms <= 400


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
        return grey(sum(20 for change in changes if change <= t))

    seen, report = await run(SettleSpec(quiet_ms=quiet, limit_ms=limit), screen, took)
    assert report.ms <= limit + took * 1000 + 1
    if report.settled:
        end = seen.at - 100
        assert alike(screen(end), screen(max(end - quiet / 1000, 0)))


@pytest.mark.parametrize("channels", [3, 4])
def test_thumbnails_leave_out_the_status_bar_and_see_the_rest(channels: int) -> None:
    picture = np.full((2400, 1080, channels), 240, np.uint8)
    clock = picture.copy()
    clock[20:80, 40:300] = 0
    cursor = picture.copy()
    cursor[1000:1060, 500:505] = 0
    toggled = picture.copy()
    toggled[1000:1050, 500:600] = 0
    first = thumbnail(picture)
    assert first.shape == (576, 270)
    assert alike(first, thumbnail(clock))
    assert alike(first, thumbnail(cursor))
    assert not alike(first, thumbnail(toggled))


def test_frames_of_different_sizes_differ() -> None:
    assert not alike(grey(9), np.full((30, 60), 9, np.uint8))
