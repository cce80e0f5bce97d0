"""An episode whose task tests an app ends when the app crashes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import HostStateAway, ManyhandsError, PhoneLost, SetupRefused, StateUnavailable
from manyhands.protocol.journals.records import EpisodeEnded, PhonePrepared
from manyhands.protocol.phones import AppCrash
from manyhands.protocol.runs.results import EpisodeResult
from tests.actors.episode.world import World, order
from tests.virtual_clock import START, run_virtual

PACKAGE = "com.example.jotter"
BUILD = {"package": PACKAGE}
CRASH = AppCrash(id="1", kind="crash", package=PACKAGE, reason="no model", trace="at Page.kt:12")
EARLIER = CRASH.model_copy(update={"id": "0", "reason": "an old one"})


def play(
    world: World, build: dict[str, Any] | None = BUILD, check: bool | None = None
) -> tuple[EpisodeResult, EpisodeEnded]:
    task: dict[str, Any] = {} if build is None else {"build": build}
    if check is not None:
        task["check"] = {"source": "content://world/state", "holds": {"path": "screen", "equals": "s3"}}
    given = order(task=task)
    result = run_virtual(world.host().run_episode(given))
    ended = world.journals[given.episode][-1]
    assert isinstance(ended, EpisodeEnded)
    return result, ended


def slow(method: str, count: int) -> float:
    return 5.0 if method == "decide" else 0.0


def after(seconds: float) -> Callable[[float], Sequence[AppCrash]]:
    return lambda now: (EARLIER, CRASH) if now - START >= seconds else (EARLIER,)


def test_a_crash_ends_the_episode_with_its_stack_trace() -> None:
    world = World(latency=slow, crashes=after(7.0))
    result, ended = play(world)
    assert (result.ending, result.reason) == (Ending.APP_CRASHED, f"{PACKAGE} crashed: no model")
    assert ended.crash == CRASH
    assert world.screen == "s1", "the second action was not sent"
    prepared = next(one for one in world.journals["run-task-1"] if isinstance(one, PhonePrepared))
    assert prepared.crashes == ("0",), "a crash from before the task is none of it"


def test_a_crash_at_the_end_counts_too_and_the_task_is_not_verified() -> None:
    world = World()
    world.crashes = lambda now: (CRASH,) if world.screen == "s3" else ()
    result, ended = play(world, check=True)
    assert (result.ending, result.verified, ended.crash) == (Ending.APP_CRASHED, False, CRASH)
    assert not ended.unmet, "what the check says of a crash does not matter"


@pytest.mark.parametrize("build", [None, {**BUILD, "ends_at_crash": False}])
def test_nobody_asks_for_crashes_that_do_not_matter(build: dict[str, Any] | None) -> None:
    world = World(crashes=after(0.0), latency=slow)
    assert play(world, build)[0].ending is Ending.FINISHED
    assert world.count["crashes"] == 0


@pytest.mark.parametrize("error", [StateUnavailable("none"), PhoneLost("gone"), HostStateAway("locked")])
def test_a_phone_that_tells_no_crashes_for_a_while_disturbs_nothing(error: ManyhandsError) -> None:
    def silent(now: float) -> Sequence[AppCrash]:
        if now > START:
            raise error
        return (EARLIER,)

    assert play(World(crashes=silent, latency=slow))[0].ending is Ending.FINISHED


@pytest.mark.parametrize(
    ("error", "ending"),
    [(StateUnavailable("none"), Ending.FINISHED), (PhoneLost("gone"), Ending.PHONE_LOST)],
)
def test_earlier_crashes_are_known_or_nobody_looks(error: ManyhandsError, ending: Ending) -> None:
    def late(now: float) -> Sequence[AppCrash]:
        if now == START:
            raise error
        return (EARLIER,)

    assert play(World(crashes=late, latency=slow))[0].ending is ending


def test_what_looks_like_a_secret_is_hidden() -> None:
    crash = CRASH.model_copy(update={"reason": "login failed: password=tulips", "trace": "token=abcdefgh12"})
    world = World(latency=slow, crashes=lambda now: (crash,) if now > START else ())
    _, ended = play(world)
    assert ended.crash is not None
    assert "tulips" not in ended.model_dump_json()
    assert "abcdefgh12" not in ended.model_dump_json()


def test_a_phone_that_refuses_the_app_ends_the_episode() -> None:
    refusal = SetupRefused("phone p: jotter.apk is not installed: its storage is full")
    result, _ = play(World(fault=lambda method, count: refusal if method == "reset" else None))
    assert (result.ending, result.steps) == (Ending.SETUP_REFUSED, 0)
    assert "its storage is full" in result.reason
