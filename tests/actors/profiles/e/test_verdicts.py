"""Cheap verdicts: what each rule says of an action, and where it keeps silent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.episode.stages.verdicts import LONGEST_PROGRESS, without_model
from manyhands.actors.episode.state import StepState
from manyhands.protocol.base import Outcome
from manyhands.protocol.journals.records import Acted, ActionSent, Span
from manyhands.protocol.phones import Receipt
from manyhands.protocol.roles.requests import Decision, Reflection
from manyhands.protocol.runs.episode_settings import CHEAP_VERDICTS, CheapVerdict
from manyhands.protocol.screens.actions import Action, Answer, Back, Home, OpenApp, RunShortcut, Tap, Type, Wait
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screenshot

BEFORE, AFTER, OTHER = ("0" * 32, "1" * 32, "2" * 32)
LAUNCHER, SHOP, NOTES = "org.example.launcher", "org.example.shop", "org.example.notes"
PLAYING = {"ms": 300, "frames": 4, "settled": True, "masked": 0.2}
SPAN = Span(start=1.0, end=2.0)
FAMILY = "👩‍👩‍👧"
"""Eight UTF-16 units."""


def shot(content_id: str = AFTER, **told: object) -> Screenshot:
    shown = {"size": Size(width=100, height=200), "serial": "p", "taken_at": 1.0, "capture_ms": 1.0, "app": NOTES}
    return Screenshot.model_validate({"content_id": content_id, **shown, **told})


def judged(
    action: Action,
    seen: Screenshot,
    shown: Screenshot,
    opens: str | None = None,
    receipt: str = "done",
    cheap: tuple[CheapVerdict, ...] = CHEAP_VERDICTS,
    progress: str = "So far.",
) -> Reflection | None:
    sent = (
        () if isinstance(action, Wait | Answer | RunShortcut) else (ActionSent(at=1.0, step=1, key="k", action=action),)
    )
    told = {"key": "k", "status": receipt, "sent_at": 1.0, "ms": 1.0, "opens": opens}
    before = StepState(
        screenshot=seen,
        decision=Decision(thought="", action=action, expectation="something"),
        sent=sent,
        receipts=tuple(Receipt.model_validate(told) for _ in sent),
        acted=Acted(step=1, span=SPAN),
    )
    return without_model(before, StepState(screenshot=shown), progress, cheap)


def said(reflection: Reflection | None) -> tuple[str, Outcome, str] | None:
    """The rule, its outcome, and what was added to the progress or went wrong."""
    if reflection is None:
        return None
    assert reflection.made_by == "check"
    assert reflection.check is not None
    assert reflection.subgoal_reached is None
    assert bool(reflection.error) == (reflection.outcome is not Outcome.A)
    assert reflection.progress.startswith("So far.")
    return reflection.check, reflection.outcome, reflection.error or reflection.progress.removeprefix("So far. ")


# ---------------------------------------------------------------------------- unchanged
@pytest.mark.parametrize(
    ("shown", "unchanged"),
    [
        (shot(BEFORE), True),
        (shot(AFTER, alike=BEFORE), True),
        (shot(AFTER, alike=OTHER), False),
        (shot(AFTER), False),
        (shot(BEFORE, caret=3), True),
        (shot(BEFORE, settling=PLAYING), True),
        (shot(AFTER, alike=BEFORE, settling=PLAYING), False),  # what the tap did may be within the video
    ],
)
def test_nothing_differs_but_what_changes_by_itself(shown: Screenshot, unchanged: bool) -> None:
    found = said(judged(Tap(x=1, y=1), shot(BEFORE), shown))
    if unchanged:
        assert found is not None
        assert found[:2] == ("unchanged", Outcome.C)
        assert "may react to a tap" in found[2]
    else:
        assert found is None


def test_a_key_that_may_not_have_arrived_is_the_likelier_reason() -> None:
    found = said(judged(Back(), shot(BEFORE), shot(BEFORE), receipt="unknown"))
    assert found is not None
    assert "may not have reached the phone" in found[2]


def test_waiting_is_never_judged_by_its_pixels() -> None:
    assert judged(Wait(), shot(BEFORE), shot(BEFORE)) is None


@pytest.mark.parametrize(
    ("before", "after", "unchanged"),
    [
        ({"caret": 3}, {"caret": 0}, False),
        ({"caret": 3}, {"caret": 3}, True),
        ({"caret": 3}, {}, True),
        ({"app": LAUNCHER}, {"app": SHOP}, False),
        ({"app": LAUNCHER}, {"app": None}, True),
        ({"keyboard": "shown"}, {"keyboard": "hidden"}, False),
        ({"keyboard": "shown"}, {"keyboard": "unknown"}, True),
    ],
)
def test_what_the_phone_says_of_itself_may_be_a_change_that_no_pixel_shows_yet(
    before: dict[str, object], after: dict[str, object], unchanged: bool
) -> None:
    found = judged(Back(), shot(BEFORE, **before), shot(BEFORE, **after))
    assert (found is not None) == unchanged


# ---------------------------------------------------------------------------- app_in_front
@pytest.mark.parametrize(
    ("action", "before", "after", "opens", "sentence"),
    [
        (OpenApp(app="Shop"), LAUNCHER, SHOP, SHOP, "Opened Shop."),
        (Home(), NOTES, LAUNCHER, LAUNCHER, "Went to the home screen."),
        (OpenApp(app="Shop"), SHOP, SHOP, SHOP, None),  # on which of its pages?
        (OpenApp(app="Shop"), LAUNCHER, NOTES, SHOP, None),
        (OpenApp(app="Shop"), LAUNCHER, LAUNCHER, SHOP, None),
        (OpenApp(app="Shopping"), LAUNCHER, SHOP, None, None),  # the gateway took what was nearest
        (OpenApp(app="Shop"), None, SHOP, SHOP, None),
        (Home(), LAUNCHER, LAUNCHER, LAUNCHER, None),
        (Tap(x=1, y=1), LAUNCHER, SHOP, None, None),
    ],
)
def test_the_app_that_was_to_be_opened_has_come_to_the_front(
    action: Action, before: str | None, after: str, opens: str | None, sentence: str | None
) -> None:
    found = said(judged(action, shot(BEFORE, app=before), shot(AFTER, app=after), opens=opens))
    assert found == (None if sentence is None else ("app_in_front", Outcome.A, sentence))


# ---------------------------------------------------------------------------- typed_text
def field(caret: int | None, content_id: str = AFTER, **told: object) -> Screenshot:
    return shot(content_id, **{"caret": caret, "keyboard": "shown", **told})


def typed(text: str, before: int | None, after: Screenshot, clear: bool = False) -> tuple[str, Outcome, str] | None:
    return said(judged(Type(text=text, clear=clear), field(before, BEFORE), after))


@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30), before=st.integers(0, 400))
def test_a_caret_that_moved_by_the_length_of_the_text_says_that_it_was_typed(text: str, before: int) -> None:
    units = sum(1 + (ord(character) > 0xFFFF) for character in text)
    for start, clear in ((before, False), (0, True)):
        found = typed(text, before, field(start + units), clear)
        assert found is not None
        assert found[:2] == ("typed_text", Outcome.A)


@pytest.mark.parametrize(
    ("before", "after", "clear", "found"),
    [
        (4, field(12), False, ("typed_text", Outcome.A, f'Typed "{FAMILY}".')),
        (4, field(12, BEFORE), False, ("typed_text", Outcome.A, f'Typed "{FAMILY}".')),  # scrolled out of sight
        (None, field(8), True, ("typed_text", Outcome.A, f'Typed "{FAMILY}".')),
        (4, field(9), False, None),  # a field that takes so many characters
        (4, field(4), False, ("typed_text", Outcome.C, "The text did not arrive: the caret has not moved. "
                                                       "The field may take no such text, or it is full.")),
        (0, field(0), False, None),  # perhaps the next field of a form
        (None, field(8), False, None),
        (4, field(None), False, None),
        (4, field(12, keyboard="hidden"), False, None),
        (4, field(12, app=SHOP), False, None),
        (4, field(12), True, None),  # it was not emptied
    ],
)  # fmt: skip
def test_typing_is_judged_by_the_caret(
    before: int | None, after: Screenshot, clear: bool, found: tuple[str, Outcome, str] | None
) -> None:
    assert typed(FAMILY, before, after, clear) == found


def test_a_text_that_was_there_already_is_no_text_that_was_typed() -> None:
    found = typed("abc", 3, field(3, BEFORE), clear=True)
    assert found is not None
    assert found[:2] == ("unchanged", Outcome.C)


def test_a_long_text_is_quoted_in_short_and_progress_does_not_grow_for_ever() -> None:
    text = "word " * 300
    reflection = judged(Type(text=text), field(0, BEFORE), field(len(text)))
    assert reflection is not None
    assert len(reflection.progress) < 120
    assert judged(Type(text="a"), field(0, BEFORE), field(1), progress="p" * LONGEST_PROGRESS) is None


# ---------------------------------------------------------------------------- each can be turned off
@pytest.mark.parametrize(
    ("rule", "action", "seen", "shown", "opens"),
    [
        ("unchanged", Tap(x=1, y=1), shot(BEFORE), shot(BEFORE), None),
        ("app_in_front", OpenApp(app="Shop"), shot(BEFORE, app=LAUNCHER), shot(AFTER, app=SHOP), SHOP),
        ("typed_text", Type(text="ab"), field(0, BEFORE), field(2), None),
    ],
)
def test_a_rule_that_is_turned_off_says_nothing(
    rule: CheapVerdict, action: Action, seen: Screenshot, shown: Screenshot, opens: str | None
) -> None:
    found = said(judged(action, seen, shown, opens, cheap=(rule,)))
    assert found is not None
    assert found[0] == rule
    others = tuple(name for name in CHEAP_VERDICTS if name != rule)
    assert judged(action, seen, shown, opens, cheap=others) is None


def test_an_answer_needs_no_rule_and_no_screen() -> None:
    found = said(judged(Answer(text="42"), shot(BEFORE), shot(BEFORE), cheap=()))
    assert found == ("answered", Outcome.A, "The user was told: 42")
