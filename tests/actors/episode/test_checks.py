"""What an episode asks at its end: what is opened first, the screen, the answer, and what was to stay unchanged."""

from __future__ import annotations

from typing import Any

import pytest

from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CaptureFailed, StateUnavailable
from manyhands.protocol.journals.records import CheckPrepared, EpisodeEnded, Record, StateRead
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.screens.actions import Answer, OpenApp, OpenLink, Stop
from tests.actors.episode.world import World, content_id, order, right_action, shown
from tests.virtual_clock import run_virtual

PROVIDER = "content://example/state"


def play(world: World, **task: Any) -> tuple[EpisodeResult, list[Record]]:
    given = order(task=task)
    result = run_virtual(world.host().run_episode(given))
    return result, world.journals[given.episode]


def ended(journal: list[Record]) -> EpisodeEnded:
    (end,) = [record for record in journal if isinstance(record, EpisodeEnded)]
    return end


@pytest.mark.parametrize(
    ("opens", "action"),
    [
        ("My notes", OpenApp(app="My notes")),
        ("shop://cart", OpenLink(link="shop://cart")),
        ("android.settings.WIFI_SETTINGS", OpenLink(link="android.settings.WIFI_SETTINGS")),
    ],
)
def test_what_a_check_opens_is_journalled_before_it_is_sent_and_with_its_receipt(
    opens: str, action: OpenApp | OpenLink
) -> None:
    world = World(moves=lambda screen, done: "opened" if done == action else "s3")
    result, journal = play(world, check={"open": opens, "holds": {"screen": {"text": "opened"}}})
    assert (result.ending, result.verified) == (Ending.FINISHED, True)
    before, after = (record for record in journal if isinstance(record, CheckPrepared))
    assert (before.opens, before.receipt, after.key) == (opens, None, before.key)
    assert after.receipt is not None
    assert (after.receipt.status, world.ledger[-1], world.unwritten) == ("done", before.key, [])
    assert ended(journal).check_screen == content_id("opened")


def test_what_cannot_be_opened_leaves_the_check_undecided() -> None:
    world = World()
    world.refuses = {"Open_App": "no such app"}
    result, journal = play(world, check={"open": "Nowhere", "holds": {"screen": {"text": "s3"}}})
    assert (result.ending, result.verified, result.is_done) == (Ending.FINISHED, None, False)
    assert "Nowhere could not be opened: no such app" in result.reason
    assert "could not be asked" in str(ended(journal).unmet[0])


def test_a_screen_that_cannot_be_captured_after_it_was_opened_decides_nothing_else() -> None:
    world = World(fault=lambda method, count: CaptureFailed("black") if method == "capture" and count > 3 else None)
    opened = {"open": "shop://cart", "source": PROVIDER, "holds": {"path": "screen", "exists": True}}
    assert play(world, check=opened)[0].verified is True


def test_an_app_whose_label_is_only_similar_is_not_what_the_check_opens() -> None:
    world = World(labels_fit=False)
    result, _ = play(world, check={"open": "Notez", "holds": {"not": {"screen": {"text": "Not sent"}}}})
    assert (result.verified, result.is_done) == (None, False)
    assert "Notez could not be opened: no app has exactly this label" in result.reason


def test_the_screen_is_read_when_the_check_is_asked() -> None:
    result, journal = play(World(), check={"holds": {"screen": {"text": "s2"}}})
    assert (result.verified, ended(journal).check_screen) == (False, content_id("s3"))
    assert str(result.unmet[0]) == 'expected an element of the picture whose text is "s2"; found text "s3"'


def test_a_screen_that_cannot_be_captured_is_told() -> None:
    world = World(fault=lambda method, count: CaptureFailed("black") if method == "capture" and count > 3 else None)
    result, _ = play(world, check={"holds": {"screen": {"text": "s3"}}})
    assert (result.ending, result.verified) == (Ending.FINISHED, None)
    assert "the screen could not be read: black" in result.reason


def test_the_answer_is_what_the_agent_told_the_user() -> None:
    world = World(goal_screen="never")
    said = iter([Answer(text="It is 42."), Stop()])
    world.chooses = lambda request: right_action(shown(request.screen)) if request.screenshot is None else next(said)
    result, _ = play(world, check={"holds": {"all": [{"answer": {"contains": "42"}}, {"answer": {"equals": "42"}}]}})
    assert (result.answer, result.verified) == ("It is 42.", False)
    assert [str(test) for test in result.unmet] == ['expected an answer that is "42"; found "It is 42."']


def test_a_part_that_nobody_can_answer_decides_nothing_if_another_does() -> None:
    def fault(method: str, count: int) -> BaseException | None:
        return StateUnavailable("the shell may not read it") if method == "state" else None

    either = {"any": [{"sms": {"body": "x"}}, {"screen": {"text": "s3"}}]}
    assert play(World(fault=fault), check={"holds": either})[0].verified is True
    both = {"all": [{"sms": {"body": "x"}}, {"screen": {"text": "s3"}}]}
    result, _ = play(World(fault=fault), check={"holds": both})
    assert (result.verified, result.ending) == (None, Ending.FINISHED)
    assert "the shell may not read it" in result.reason


@pytest.mark.parametrize(
    ("changes", "told"), [([], ['screen: "s0" became "s3"']), ([{"changed": "screen"}], [])], ids=["told", "allowed"]
)
def test_what_was_to_stay_unchanged_is_compared(changes: list[Any], told: list[str]) -> None:
    result, journal = play(World(), unchanged=[PROVIDER], changes=changes)
    assert [str(change) for change in result.unexpected_changes or ()] == told
    assert result.unexpected_changes is not None
    assert [record.states for record in journal if isinstance(record, StateRead)] == [{PROVIDER: {"screen": "s0"}}]


@pytest.mark.parametrize("unread", [0, 1], ids=["before", "after"])
def test_of_what_could_not_be_read_nobody_says_that_it_is_unchanged(unread: int) -> None:
    def fault(method: str, count: int) -> BaseException | None:
        return StateUnavailable("no provider") if (method, count) == ("state", unread) else None

    result, _ = play(World(fault=fault), unchanged=[PROVIDER])
    assert (result.ending, result.unexpected_changes) == (Ending.FINISHED, None)
