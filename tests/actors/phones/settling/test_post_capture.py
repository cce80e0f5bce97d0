"""Late looks, in virtual time."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.actors.clock import LoopClock
from manyhands.actors.phones.settling.changes import Thumbnail
from manyhands.actors.phones.settling.model import (
    VISITS,
    ActionKind,
    ExpectedChange,
    ScreenPause,
    SettlingModel,
    Stillness,
)
from manyhands.actors.phones.settling.post_capture import LOOKS_AT_S, PostCaptureCheck
from manyhands.actors.phones.settling.settler import PrecedingAction, ScreenSample, Settler, wait_until_settled
from manyhands.protocol.errors import PhoneLost
from manyhands.protocol.phones import SettleSpec
from tests.virtual_clock import run_virtual

TAP = ActionKind("com.example.shop", "Tap")
BLANK = Stillness(0, "most")
NOTHING_MORE = ExpectedChange(0.0, 0.0, sure=False)
Screen = Callable[[float], int | Thumbnail]
"""The screen, or the level of a plain one, by the seconds since the action."""


class Visit:
    """One action on a screen, settled, with late looks begun."""

    def __init__(self, screen: Screen, book: SettlingModel, free: Callable[[], bool] = lambda: True) -> None:
        self._screen, self._book, self._clock = screen, book, LoopClock()
        self.looks = 0
        self.frames = 0
        """Looks that the screenshot took."""
        self.ms = 0.0
        """For how long the screen was waited for."""
        self.lost = False
        self.late = PostCaptureCheck(self._look, free, book, self._clock)

    async def _look(self, _: bool = False) -> ScreenSample[None]:
        if self.lost:
            raise PhoneLost("unplugged")
        asked = self._clock.now()
        await self._clock.sleep(0.01)
        self.looks += 1
        now = self._clock.now()
        seen = self._screen(now - self._sent_at)
        return ScreenSample(asked, now, plain(seen) if isinstance(seen, int) else seen, None)

    async def settle(self) -> ScreenSample[None]:
        self._sent_at = self._clock.now()
        expects, moves = functools.partial(self._book.expected, TAP), functools.partial(self._book.motion, TAP)
        settler = Settler(SettleSpec(), self._sent_at, PrecedingAction(self._sent_at, plain(0), expects, moves))
        last = await wait_until_settled(settler, self._look, self._clock)
        self.looks, self.frames = 0, self.looks
        self.ms = settler.report().ms
        self.late.learn(settler, TAP)
        return last


def plain(level: int) -> Thumbnail:
    return np.full((96, 48), level % 256, np.uint8)


def virtually(visit: Callable[[], Coroutine[Any, Any, None]]) -> None:
    run_virtual(visit())


def blank_until(seconds: float) -> Screen:
    """An empty page 50 ms after the action, the page after ``seconds``."""
    return lambda t: 0 if t < 0.05 else 100 if t < seconds else 200


@settings(max_examples=25)
@given(st.floats(0.4, 1.6))
def test_a_late_change_is_learned_within_what_the_looks_can_tell(seconds: float) -> None:
    async def visit() -> None:
        book = SettlingModel()
        here = Visit(blank_until(seconds), book)
        await here.settle()
        await asyncio.sleep(3)
        await here.late.end()
        expected = book.expected(TAP, BLANK)
        assert expected is not None
        assert expected.earliest <= seconds - 0.05
        assert expected.latest >= seconds - 0.05
        assert here.looks == 3

    virtually(visit)


@pytest.mark.parametrize(
    ("screen", "looks"),
    [
        (lambda t: 100, 2),
        (lambda t: 100 + 10 * int(t / 0.45) if t > 0.3 else 100, 3),
    ],
    ids=["nothing changes", "a clock ticks"],
)
def test_what_is_no_late_change_is_learned_as_the_end(screen: Screen, looks: int) -> None:
    async def visit() -> None:
        book = SettlingModel()
        here = Visit(screen, book)
        await here.settle()
        await asyncio.sleep(4)
        assert here.looks == looks
        assert book.expected(TAP, BLANK) == NOTHING_MORE

    virtually(visit)


def test_what_the_first_look_saw_half_done_is_one_late_change() -> None:
    async def visit() -> None:
        book = SettlingModel()
        here = Visit(lambda t: 0 if t < 0.05 else 50 if t < 0.6 else 50 + min(int((t - 0.6) * 200), 100), book)
        await here.settle()
        await asyncio.sleep(4)
        assert here.looks == 3
        expected = book.expected(TAP, BLANK)
        assert expected is not None
        assert expected.latest >= 0.55

    virtually(visit)


def test_a_clock_that_changes_once_is_waited_for_only_if_it_does_again() -> None:
    def minute(t: float) -> Thumbnail:
        shown = plain(100 if t > 0.05 else 0)
        if t > 1.2:
            shown[40:44, 4:20] = 0
        return shown

    async def visit() -> None:
        book = SettlingModel()
        for visits in (1, 2):
            here = Visit(minute, book)
            await here.settle()
            await asyncio.sleep(4)
            await here.late.end()
            expected = book.expected(TAP, BLANK)
            assert expected is not None
            assert (expected.latest > 1) == (visits == 2)

    virtually(visit)


def test_a_wait_that_only_the_limit_ended_is_forgotten() -> None:
    async def visit() -> None:
        book = SettlingModel()
        for _ in range(2):
            book.learn(TAP, BLANK, ScreenPause(0.6, 2.2))
        waits = []
        for _ in range(10):
            here = Visit(lambda t: 0 if t < 0.05 else 100, book)
            await here.settle()
            await here.late.end()  # the next action comes before any late look
            waits.append(here.ms)
        assert waits[0] > 2900
        assert waits[-1] < 600

    virtually(visit)


@settings(max_examples=25)
@given(st.floats(0.0, LOOKS_AT_S[1] - 0.01))
def test_once_ended_it_has_learned_nothing_and_looks_no_more(after: float) -> None:
    async def visit() -> None:
        book = SettlingModel()
        here = Visit(blank_until(1.0), book)
        await here.settle()
        await asyncio.sleep(after)
        await here.late.end()
        looks = here.looks
        assert len(asyncio.all_tasks()) == 1
        await asyncio.sleep(5)
        assert here.looks == looks
        assert book.stillness_count == 0
        await here.late.end()

    virtually(visit)


def test_a_quick_page_does_not_shorten_the_wait_for_a_slow_one() -> None:
    async def visit() -> None:
        book = SettlingModel()
        for begins in (0.05, 0.3):
            here = Visit(lambda t, begins=begins: 0 if t < begins else 100, book)  # type: ignore[misc]
            last = await here.settle()
            assert last.thumbnail[0, 0] == 100
            await asyncio.sleep(3)
            await here.late.end()

    virtually(visit)


def test_a_change_awaited_in_vain_is_forgotten_also_in_quick_steps() -> None:
    async def visit() -> None:
        book = SettlingModel()
        first = Visit(blank_until(1.0), book)
        await first.settle()
        await asyncio.sleep(3)
        await first.late.end()
        expected = book.expected(TAP, BLANK)
        assert expected is not None
        assert expected.latest > 0
        for _ in range(VISITS):
            quick = Visit(lambda t: 0 if t < 0.05 else 100, book)
            await quick.settle()
            await asyncio.sleep(1.2)
            await quick.late.end()
        expected = book.expected(TAP, BLANK)
        assert expected is not None
        assert expected.latest == 0

    virtually(visit)


@settings(max_examples=10)
@given(st.floats(0.9, 1.25), st.lists(st.floats(0.0, 1.0), min_size=24, max_size=24), st.sampled_from([1.8, 4.0]))
def test_what_ticks_does_not_come_to_be_waited_for_up_to_the_limit(
    period: float, phases: list[float], thinks_s: float
) -> None:
    async def visit() -> None:
        book, limit = SettlingModel(), 0
        for phase in phases:
            here = Visit(lambda t, phase=phase: 7 * int(t / period + phase), book)  # type: ignore[misc]
            await here.settle()
            limit += here.ms >= SettleSpec().limit_ms
            await asyncio.sleep(thinks_s)
            await here.late.end()
        assert limit <= len(phases) / 2

    virtually(visit)


def test_a_page_that_loads_late_is_waited_for_also_where_something_ticks_on_it() -> None:
    def shop(t: float, phase: float) -> Thumbnail:
        screen = plain(0 if t < 0.05 else 100 if t < 0.9 else 200)
        if t >= 0.9:
            screen[40:60, 10:38] = 7 * int(t / 1.2 + phase)
        return screen

    async def visit() -> None:
        book = SettlingModel()
        for number in range(24):
            here = Visit(functools.partial(shop, phase=number * 0.37), book)
            last = await here.settle()
            assert number == 0 or last.thumbnail[0, 0] == 200
            await asyncio.sleep(4)
            await here.late.end()

    virtually(visit)


def test_few_taps_without_effect_do_not_shorten_the_wait_for_a_screen() -> None:
    async def visit() -> None:
        book = SettlingModel()
        for begins in (None, 0.35):
            here = Visit(lambda t, begins=begins: 100 if begins and t >= begins else 0, book)  # type: ignore[misc]
            last = await here.settle()
            assert last.thumbnail[0, 0] == (100 if begins else 0)
            await asyncio.sleep(3)
            await here.late.end()

    virtually(visit)


def test_a_screen_that_went_on_changing_everywhere_can_be_left_at_any_moment() -> None:
    def sliding(t: float) -> int:
        steps = int(min(t, 1.45) / 0.12) if t > 0.05 else 0
        return 15 * steps + 40 * (t > 2.02) + 40 * (t > 2.82)

    async def visit() -> None:
        here = Visit(sliding, SettlingModel())
        await here.settle()
        await asyncio.sleep(1.8)
        assert here.looks == 2
        await here.late.end()

    virtually(visit)


def test_it_takes_no_frame_that_another_waits_for_and_survives_a_lost_phone() -> None:
    async def visit() -> None:
        book = SettlingModel()
        busy, lost = Visit(blank_until(1.0), book, lambda: False), Visit(blank_until(1.0), book)
        for here in (busy, lost):
            await here.settle()
        lost.lost = True
        await asyncio.sleep(4)
        assert busy.looks == lost.looks == 0
        await lost.late.end()
        assert book.stillness_count == 0

    virtually(visit)


def test_a_screen_that_moves_as_it_always_did_is_looked_at_less_and_not_for_longer() -> None:
    def opening(t: float) -> int:
        return round(200 * min(t, 0.4))

    async def visit() -> None:
        here = Visit(opening, SettlingModel())
        frames, ms = [], []
        for _ in range(10):
            last = await here.settle()
            assert last.thumbnail[0, 0] == 80
            await here.late.end()
            frames.append(here.frames)
            ms.append(here.ms)
            await asyncio.sleep(1)
        assert max(frames[5:]) <= frames[0] - 3
        assert max(ms[5:]) <= ms[0] + 170 / 3 + 20
        assert min(ms) >= 400 + 170

    virtually(visit)


def test_a_screen_that_rests_sooner_than_ever_is_soon_looked_at_in_time() -> None:
    async def visit() -> None:
        book = SettlingModel()
        here = Visit(lambda t: round(200 * min(t, 0.6)), book)
        for _ in range(6):
            await here.settle()
            await here.late.end()
        at_once = Visit(lambda t: 100, book)
        waited = []
        for _ in range(2):
            await at_once.settle()
            await at_once.late.end()
            waited.append(at_once.ms)
        assert waited[0] >= 300
        assert waited[1] <= 250

    virtually(visit)
