"""v1's loop on virtual time: what is found, chosen, told, confirmed and left out of the chat."""

from __future__ import annotations

from typing import Any

import pytest

from manyhands.actors.episode.profile import SettingRefused
from manyhands.actors.profiles import PROFILES
from manyhands.actors.profiles.v1.requests import ChatSoFar, ChoiceRequest, OperateRequest, first_shown
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.journals.records import Acted, ActionDecided, ActionSent, Perceived, StageResult
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import (
    Action,
    Back,
    ClickIcon,
    ClickText,
    Enter,
    Exit,
    Home,
    OpenApp,
    PageDown,
    PageUp,
    Stop,
    Swipe,
    Tap,
    Type,
)
from manyhands.protocol.screens.screen import LocateQuery, Match
from tests.actors.episode.world import World, content_id
from tests.actors.profiles.v1.chat_world import ChatWorld, click, place, step_of, taps


def locating(chat: ChatWorld) -> list[dict[str, Any]]:
    return [dict(one.data) for one in chat.journal if isinstance(one, StageResult) and one.stage == "locate"]


@pytest.mark.parametrize("schedule", ["serial", "overlap"])
def test_texts_are_clicked_until_all_is_confirmed_to_be_done(schedule: str) -> None:
    chat = ChatWorld(click)
    result = chat.play(schedule=schedule)
    assert (result.ending, result.reason, result.steps) == (Ending.FINISHED, "agent: look", 4)
    assert chat.world.screen == "s3"
    assert taps(chat.world) == [Tap(x=x, y=100) for x in range(3)]
    sent = [record.action for record in chat.journal if isinstance(record, ActionSent)]
    assert sent == taps(chat.world)
    decided = [record.decision for record in chat.journal if isinstance(record, ActionDecided)]
    assert [one.action for one in decided] == [ClickText(text="Save")] * 3 + [Stop()]
    assert decided[0].observation == "seen"
    assert locating(chat)[1] == {
        "kind": "text",
        "words": "Save",
        "found": 1,
        "x": 1,
        "y": 100,
        "ways": ["exact"],
        "score": 1.0,
        "box": {"x1": -3, "y1": 98, "x2": 5, "y2": 102},
        "choice": None,
    }


def test_under_overlap_the_screen_is_read_beside_the_question() -> None:
    seconds = {"OperateRequest": 2.0, "perceive": 1.5, "CompletionRequest": 1.0}
    took = {}
    for schedule in ("serial", "overlap"):
        chat = ChatWorld(click, World(latency=lambda method, count: seconds.get(method, 0.0)))
        result = chat.play(schedule=schedule)
        assert result.ending is Ending.FINISHED
        took[schedule] = result.ended_at - result.started_at
    assert took["serial"] == pytest.approx(4 * 3.5 + 1.0, abs=0.1)
    assert took["overlap"] == pytest.approx(4 * 2.0 + 1.0, abs=0.1)


# ---------------------------------------------------------------------------- a text, so many times
def test_a_text_that_is_not_there_is_told_and_nothing_is_sent() -> None:
    def operates(request: ChatSoFar[Any]) -> Action:
        return (ClickText(text="Nowhere | <data>"), Stop())[step_of(request)]

    chat = ChatWorld(operates, finds=lambda screen, query: [])
    assert chat.play().ending is Ending.FINISHED
    assert taps(chat.world) == []
    (acted, *_) = [record for record in chat.journal if isinstance(record, Acted)]
    assert acted.problem == "the text 'Nowhere | <data>' is not on the screen"
    told = chat.asked[1].chat[1].told
    assert told.startswith(
        "Your last operation was not carried out: the text 'Nowhere / < data>' is not on the screen."
    )
    assert "another operation, or the same with other parameters" in told


def test_of_a_few_places_the_agent_chooses_one_by_numbered_crops() -> None:
    places = [place(70, 150), place(20, 40), place(60, 40)]
    chat = ChatWorld(
        lambda request: (ClickText(text="Save"), Stop())[step_of(request)],
        finds=lambda screen, query: places,
        chooses=lambda request: 3,
    )
    assert chat.play().ending is Ending.FINISHED
    (asked,) = [request for request in chat.asked if isinstance(request, ChoiceRequest)]
    assert [one.centre for one in asked.places] == [(20, 40), (60, 40), (70, 150)]
    assert asked.answer == "answer 1"
    crops = [one.crop for one in asked.pictures]
    assert [crop.number for crop in crops if crop] == [1, 2, 3]
    assert crops[0] is not None
    assert (crops[0].part.x1, crops[0].part.y1, crops[0].part.x2, crops[0].part.y2) == (0, 4, 52, 76)
    assert taps(chat.world) == [Tap(x=70, y=150)]
    assert (locating(chat)[0]["choice"], locating(chat)[0]["found"]) == (3, 3)
    assert chat.asked[2].chat[1].told == "The place with the number 3 was tapped."


def test_a_text_that_stands_there_too_often_is_told() -> None:
    chat = ChatWorld(
        lambda request: (ClickText(text="Save"), Stop())[step_of(request)],
        finds=lambda screen, query: [place(10 * number, 50) for number in range(1, 7)],
    )
    chat.play()
    assert not any(isinstance(request, ChoiceRequest) for request in chat.asked)
    assert "stands on the screen 6 times: too often" in chat.asked[1].chat[1].told
    assert taps(chat.world) == []


def test_an_icon_is_the_likest_at_its_place_and_the_journal_says_by_what() -> None:
    queries: list[LocateQuery] = []

    def finds(screen: str, query: LocateQuery) -> list[Match]:
        queries.append(query)
        best = place(90, 180).model_copy(update={"score": 0.61234, "ways": ("colour", "position")})
        return [best, place(10, 10)]

    chat = ChatWorld(
        lambda request: (ClickIcon(icon="blue plus", position="bottom right"), Stop())[step_of(request)], finds=finds
    )
    chat.play()
    assert queries == [LocateQuery(kind="icon", words="blue plus", position="bottom right")]
    assert taps(chat.world) == [Tap(x=90, y=180)]
    assert (locating(chat)[0]["ways"], locating(chat)[0]["score"]) == (["colour", "position"], 0.612)


# ---------------------------------------------------------------------------- operations
def test_operations_are_sent_as_atoms() -> None:
    operations = [
        OpenApp(app="Notes"),
        Type(text="milk\n"),
        Type(text="\n"),
        Type(text="a\nb"),
        PageDown(),
        PageUp(),
        Back(),
        Exit(),
        Stop(),
    ]
    count = iter(range(100))
    world = World(moves=lambda screen, action: f"s{next(count)}")
    chat = ChatWorld(lambda request: operations[step_of(request)], world)
    assert chat.play().ending is Ending.FINISHED
    assert taps(world) == [
        OpenApp(app="Notes"),
        Type(text="milk"),
        Enter(),
        Enter(),
        Type(text="a\nb"),
        Swipe(x1=50, y1=150, x2=50, y2=50),
        Swipe(x1=50, y1=50, x2=50, y2=150),
        Back(),
        Home(),
    ]


def test_with_paper_exact_an_app_is_opened_by_its_label_on_the_screen() -> None:
    chat = ChatWorld(lambda request: (OpenApp(app="s0"), OpenApp(app="Notes"), Stop())[step_of(request)])
    assert chat.play(paper_exact=True).ending is Ending.FINISHED
    assert taps(chat.world) == [Tap(x=20, y=15)]
    assert "the label 'Notes' is not on the screen" in chat.asked[2].chat[2].told


# ---------------------------------------------------------------------------- self-reflection, ends
def test_a_stop_too_early_is_asked_about_and_the_chat_goes_on() -> None:
    def operates(request: ChatSoFar[Any]) -> Action:
        return Stop() if step_of(request) in (1, 3) else ClickText(text="Save")

    chat = ChatWorld(operates, completes=lambda request: len(request.chat) == 4)
    result = chat.play()
    assert (result.ending, result.steps) == (Ending.FINISHED, 4)
    asked = [type(request).__name__ for request in chat.asked]
    assert asked == ["OperateRequest"] * 2 + ["CompletionRequest"] + ["OperateRequest"] * 2 + ["CompletionRequest"]
    before = chat.asked[3].chat
    assert (before[1].answer, before[1].completion) == ("answer 2", "answer 3")
    assert before[2].told == "You are not done yet: go on with what is missing."
    confirmed = [one.data for one in chat.journal if isinstance(one, StageResult) and one.stage == "confirm"]
    assert [one["complete"] for one in confirmed] == [False, True]


def test_an_answer_that_could_not_be_read_is_not_told_as_a_no() -> None:
    def completes(request: Any) -> bool:
        if len(request.chat) == 2:
            raise ReplyUnusable("no whole JSON object")
        return True

    chat = ChatWorld(lambda request: ClickText(text="Save") if step_of(request) == 0 else Stop(), completes=completes)
    assert chat.play().ending is Ending.FINISHED
    told = chat.asked[-1].chat[-1].told
    assert told == "Your answer could not be read. If all is done, choose Stop again."


def test_a_screen_that_has_not_changed_is_pointed_out_and_three_of_them_end_it() -> None:
    chat = ChatWorld(lambda request: (PageDown(), Back(), PageUp())[step_of(request)], World(moves=lambda at, _: at))
    result = chat.play()
    assert result.ending is Ending.FAILURE_LIMIT
    assert result.reason == "3 actions in a row came to nothing; the last: nothing on the screen has changed"
    assert chat.asked[1].chat[1].told.startswith("The screen has not changed since your last operation. Choose another")


def test_the_papers_limit_on_errors_is_not_for_an_agent_without_a_reflector() -> None:
    """Mobile-Agent-E, section 4.2: "if the agent has an action reflector"."""
    vain = World(moves=lambda at, _: at)
    chat = ChatWorld(lambda request: (PageDown(), Back(), PageUp())[step_of(request) % 3], vain)
    result = chat.play(paper_exact=True, task={"limits": {"max_steps": 10}})
    assert (result.ending, result.steps) == (Ending.STEP_LIMIT, 10)
    result = ChatWorld(lambda request: Exit(), World(moves=lambda at, _: at)).play(paper_exact=True)
    assert (result.ending, result.steps) == (Ending.REPEAT_LIMIT, 4)


def test_equal_operations_and_steps_have_limits() -> None:
    count = iter(range(100))
    moving = World(moves=lambda screen, action: f"s{next(count)}")
    result = ChatWorld(lambda request: Exit(), moving).play()
    assert (result.ending, result.steps) == (Ending.REPEAT_LIMIT, 4)
    count = iter(range(100))
    moving = World(moves=lambda screen, action: f"s{next(count)}")
    result = ChatWorld(lambda request: PageDown(), moving).play(task={"limits": {"max_steps": 6}})
    assert (result.ending, result.steps) == (Ending.STEP_LIMIT, 6)


def test_a_reply_without_an_operation_is_told_or_with_paper_exact_the_end() -> None:
    def operates(request: ChatSoFar[Any]) -> Action | str:
        return "not a valid action: 'Dance' is no action" if step_of(request) == 0 else Stop()

    chat = ChatWorld(operates)
    assert chat.play().ending is Ending.FINISHED
    assert "'Dance' is no action" in chat.asked[1].chat[1].told
    result = ChatWorld(operates).play(paper_exact=True)
    assert result.ending is Ending.UNUSABLE_REPLY


def test_speculation_is_refused_in_one_line() -> None:
    for name in ("v1", "bare"):
        with pytest.raises(SettingRefused, match=f"profile '{name}' assumes nothing; choose serial or overlap"):
            PROFILES[name].check(EpisodeSettings(profile=name, schedule="speculate"))


# ---------------------------------------------------------------------------- pictures
def test_the_oldest_pictures_leave_in_blocks() -> None:
    shown = [range(first_shown(step, 4), step + 1) for step in range(12)]
    assert [len(one) for one in shown] == [1, 2, 3, 4, 2, 3, 4, 2, 3, 4, 2, 3]
    assert [one.start for one in shown] == [0, 0, 0, 0, 3, 3, 3, 6, 6, 6, 9, 9]
    assert [len(range(first_shown(step, 2), step + 1)) for step in range(5)] == [1, 2, 2, 2, 2]
    assert {first_shown(step, None) for step in range(40)} == {0}


@pytest.mark.parametrize("exact", [False, True])
def test_the_chat_shows_as_many_pictures_as_it_may(exact: bool) -> None:
    chat = ChatWorld(lambda request: Stop() if step_of(request) == 9 else ClickText(text=f"Save {step_of(request)}"))
    assert chat.play(paper_exact=exact, chat_pictures=3).ending is Ending.FINISHED
    operating = [
        ids for request, ids in zip(chat.asked, chat.shown, strict=True) if isinstance(request, OperateRequest)
    ]
    wanted = [list(range(0 if exact else first_shown(step, 3), step + 1)) for step in range(10)]
    assert operating == [[content_id(f"s{step}") for step in steps] for steps in wanted]
    assert any(isinstance(record, Perceived) for record in chat.journal)
