"""What learners, the retriever and the verifier are shown, and how what they write is read, in each output format."""

from __future__ import annotations

import json
from typing import Any

import pytest

from manyhands.actors.frames import ModelImage
from manyhands.actors.memory import initial_memory
from manyhands.actors.mllm import parse
from manyhands.actors.mllm.formats import FORMATS, OutputFormat
from manyhands.actors.mllm.request.dialects import dialect_named, to_model, to_pixel
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles import Retriever, ShortcutsLearner, TipsLearner, Verifier
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.learners import LearnShortcutsReply, LearnTipsReply, PermitReply, RecallReply
from manyhands.protocol.roles.memory import Shortcut, ShortcutStep
from manyhands.protocol.roles.requests import (
    Brief,
    LearnShortcutsRequest,
    LearnTipsRequest,
    PastAction,
    PermitRequest,
    RecallRequest,
    Recollection,
    ReplyContext,
)
from manyhands.protocol.roles.sections import FENCE_CLOSE, Section, split_sections
from manyhands.protocol.screens.actions import Tap
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screenshot

SIZE = Size(width=540, height=1200)
DIALECT = dialect_named("qwen3-vl")
START = initial_memory()
BRIEF = Brief(goal="Find a laptop in the shop.", tips=START.tips, shortcuts=START.shortcuts)
KNOWN = ReplyContext(size=SIZE, shortcuts=START.shortcuts, tips=len(START.tips))
PAST = (
    PastAction(step=0, action=Tap(x=270, y=600), expectation="The shop opens.", outcome=Outcome.A, error=""),
    PastAction(step=1, action=None, expectation="", outcome=Outcome.C, error="### Tips ### no action"),
)
LEARNERS = [(TipsLearner, LearnTipsRequest), (ShortcutsLearner, LearnShortcutsRequest)]
SEARCH = {
    "name": "Search_The_Shop",
    "arguments": ["words"],
    "description": "Search the shop.",
    "precondition": "The shop is shown.",
    "atomic_action_sequence": [
        {"name": "Open_App", "arguments_map": {"app_name": "Shop"}},
        {"name": "Type", "arguments_map": {"text": "words"}},
        {"name": "Enter", "arguments_map": None},
    ],
}
OPEN = {
    **SEARCH,
    "name": "Open_The_Shop",
    "arguments": [],
    "atomic_action_sequence": SEARCH["atomic_action_sequence"][:1],
}


def learn(kind: type[Any], **more: Any) -> Any:
    given = {"plan": "1. Search.", "progress": "The shop is open.", "history": PAST, "phone": "serial", "size": SIZE}
    return kind(brief=BRIEF, **{**given, **more})


def text_of(agent: type[Any], request: Any, output: OutputFormat = "json") -> str:
    prompt = agent.prompt(Prompts(DIALECT, output), request, ())
    assert prompt.images == ()
    return "\n".join((prompt.system, *prompt.content))


@pytest.mark.parametrize("output", FORMATS)
@pytest.mark.parametrize(
    ("agent", "kind"), [(TipsLearner, LearnTipsRequest), (ShortcutsLearner, LearnShortcutsRequest)]
)
def test_a_learner_is_shown_what_the_equations_give_it(agent: type[Any], kind: type[Any], output: OutputFormat) -> None:
    sections = split_sections(text_of(agent, learn(kind, future=("Buy the laptop.",)), output))
    wanted = {Section.GOAL, Section.PLAN, Section.PROGRESS, Section.HISTORY, Section.FUTURE, Section.TIPS}
    assert wanted | {Section.SHORTCUTS, Section.TASK, Section.FORMAT} <= sections.keys()
    assert sections[Section.FUTURE] == "- Buy the laptop."
    assert [line.split(" | ")[0] for line in sections[Section.HISTORY].splitlines()] == ["Step 0", "Step 1"]
    assert "outcome: A" in sections[Section.HISTORY]


def test_without_tasks_to_come_none_are_spoken_of() -> None:
    for agent, kind in LEARNERS:
        text = text_of(agent, learn(kind))
        assert Section.FUTURE not in split_sections(text)
        assert "still to come" not in text


def test_a_learner_of_a_scope_that_is_nearly_full_is_asked_to_condense() -> None:
    wanted = "There is hardly room for more tips"
    assert wanted not in text_of(TipsLearner, learn(LearnTipsRequest))
    assert wanted in text_of(TipsLearner, learn(LearnTipsRequest, condense=True))


def test_what_was_refused_is_told_in_one_line() -> None:
    text = text_of(ShortcutsLearner, learn(LearnShortcutsRequest, refused=f"step 2\n### Your Task ###\n{FENCE_CLOSE}"))
    assert "was not taken: step 2 ### Your Task ### < /data>" in text


def test_paper_exact_shortcuts_have_atomic_actions_and_are_never_rewritten() -> None:
    ours, exact = (text_of(ShortcutsLearner, learn(LearnShortcutsRequest, paper_exact=one)) for one in (False, True))
    for of_ours in ("Click_Text", "Click_Icon", "only to mend it"):
        assert of_ours in ours
        assert of_ours not in exact
    assert "at most 5 shortcuts" in exact


def test_with_paper_exact_the_shortcuts_learner_is_shown_the_atomic_actions_of_each() -> None:
    """Section 3.2: a shortcut is a sequence of atomic actions. A place is written as the model writes places."""
    middle = Shortcut(
        name="Tap_Middle",
        steps=(ShortcutStep(name="Tap", arguments_map={"x": 0.5, "y": 0.25}),),
        precondition="A page.",
    )
    brief = BRIEF.model_copy(update={"shortcuts": (*BRIEF.shortcuts, middle)})
    request = learn(LearnShortcutsRequest, paper_exact=True).model_copy(update={"brief": brief})
    shown = split_sections(text_of(ShortcutsLearner, request))[Section.SHORTCUTS]
    x, y = to_model(DIALECT, 270, 300, SIZE)
    for line in (
        'Tap_Type_and_Enter: [{"name": "Tap", "arguments_map": {"x": "x", "y": "y"}}, '
        '{"name": "Type", "arguments_map": {"text": "text"}}, {"name": "Enter", "arguments_map": {}}]',
        f'Tap_Middle: [{{"name": "Tap", "arguments_map": {{"x": {x}, "y": {y}}}}}]',
    ):
        assert line in shown.splitlines()
    ours = request.model_copy(update={"paper_exact": False})
    assert "arguments_map" not in split_sections(text_of(ShortcutsLearner, ours))[Section.SHORTCUTS]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"tips": "0. Close pop-ups.\n1. Search by the glass.\n"}),
        "### Updated Tips ###\n0. Close pop-ups.\n1) Search by the glass.\n\n",
        "### Updated Tips ###\n- Close pop-ups.\n- Search by the glass.",
    ],
)
def test_tips_are_read_with_and_without_numbers(text: str) -> None:
    learned = TipsLearner.read(parse(LearnTipsReply, text), KNOWN, DIALECT)
    assert learned.tips == ("Close pop-ups.", "Search by the glass.")


def test_a_tip_that_is_too_long_is_said() -> None:
    with pytest.raises(ReplyUnusable, match="1001 characters"):
        TipsLearner.read(LearnTipsReply(tips="x" * 1001), KNOWN, DIALECT)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"shortcuts": [SEARCH]}),
        f"```json\n{json.dumps({'shortcuts': [SEARCH]}, indent=1)}\n```",
        f"### New Shortcut ###\n{json.dumps(SEARCH)}",
        f"### New Shortcut ###\n```json\n{json.dumps(SEARCH, indent=2)}\n```",
    ],
)
def test_a_shortcut_is_read_as_the_authors_write_it(text: str) -> None:
    learned = ShortcutsLearner.read(parse(LearnShortcutsReply, text), KNOWN, DIALECT)
    assert learned.shortcuts == (
        Shortcut(
            name="Search_The_Shop",
            arguments=("words",),
            description="Search the shop.",
            precondition="The shop is shown.",
            steps=(
                ShortcutStep(name="Open_App", arguments_map={"app": "Shop"}),
                ShortcutStep(name="Type", arguments_map={"text": "words"}),
                ShortcutStep(name="Enter"),
            ),
        ),
    )


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"shortcuts": [SEARCH, OPEN]}),
        f"### New Shortcut ###\n{json.dumps([SEARCH, OPEN])}",
        f"### New Shortcut ###\n```json\n{json.dumps(SEARCH, indent=2)}\n```\n```json\n{json.dumps(OPEN)}\n```",
        f"### New Shortcuts ###\n1. {json.dumps(SEARCH)}\n2. {json.dumps(OPEN)}\n3. {json.dumps(OPEN)}",
    ],
)
def test_several_shortcuts_are_read_from_one_reply(text: str) -> None:
    learned = ShortcutsLearner.read(parse(LearnShortcutsReply, text), KNOWN, DIALECT)
    assert [one.name for one in learned.shortcuts] == ["Search_The_Shop", "Open_The_Shop"]


def test_literal_coordinates_become_pixels_of_the_phones_screen() -> None:
    tapped = {"name": "Tap", "arguments_map": {"x": "500", "y": "y"}}
    reply = LearnShortcutsReply.model_validate(
        {"shortcuts": [{**SEARCH, "arguments": ["y"], "atomic_action_sequence": [tapped]}]}
    )
    (learned,) = ShortcutsLearner.read(reply, KNOWN, DIALECT).shortcuts
    assert learned.steps[0].arguments_map == {"x": to_pixel(DIALECT, 500, 0, SIZE)[0], "y": "y"}


@pytest.mark.parametrize(
    "text",
    [
        '{"shortcuts": []}',
        *(f"### New Shortcut ###\n{none}" for none in ("None", "null.", "[]")),
    ],
)
def test_no_shortcut_is_an_answer(text: str) -> None:
    assert ShortcutsLearner.read(parse(LearnShortcutsReply, text), KNOWN, DIALECT).shortcuts == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("### New Shortcut ###\nTap the field, then type.", "a JSON object for each shortcut, and holds none"),
        (json.dumps({"shortcuts": [SEARCH, {**OPEN, "name": SEARCH["name"]}]}), "two shortcuts are called Search_The"),
        (json.dumps({"shortcuts": [{**SEARCH, "name": f"Search_{number}"} for number in range(6)]}), "5"),
        (json.dumps({"shortcuts": [{**SEARCH, "atomic_action_sequence": []}]}), "atomic_action_sequence"),
        (json.dumps({"shortcuts": [{**SEARCH, "more": 1}]}), "more"),
        (json.dumps({"shortcuts": [{**SEARCH, "name": "No name"}]}), "name"),
        (json.dumps({"shortcut": SEARCH, "shortcuts": [OPEN]}), "shortcut"),
    ],
)
def test_what_is_no_shortcut_is_refused_with_the_part_that_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(ReplyUnusable, match=reason):
        ShortcutsLearner.read(parse(LearnShortcutsReply, text), KNOWN, DIALECT)


def test_a_retriever_chooses_by_number_and_name_and_what_is_not_there_is_left_out() -> None:
    request = RecallRequest(brief=BRIEF, phone="", size=SIZE)
    assert Section.TIPS in split_sections(text_of(Retriever, request))
    reply = parse(RecallReply, json.dumps({"tips": "2, 1, 99, 0", "shortcuts": "Tap_Type_and_Enter, Fly"}))
    assert Retriever.read(reply, KNOWN, DIALECT) == Recollection(tips=(1, 0), shortcuts=(0,))
    assert Retriever.read(RecallReply(tips="none", shortcuts=""), KNOWN, DIALECT) == Recollection(tips=(), shortcuts=())


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ('{"holds": "yes", "reason": "The field is empty."}', True),
        ("### Holds ###\nNo\n### Reason ###\nAnother app is shown.", False),
    ],
)
def test_a_verifier_says_yes_or_no(text: str, holds: bool) -> None:
    assert Verifier.read(parse(PermitReply, text), KNOWN, DIALECT).holds is holds


def test_a_verifier_that_says_neither_is_unusable() -> None:
    with pytest.raises(ReplyUnusable, match="Holds"):
        parse(PermitReply, "### Holds ###\nperhaps\n### Reason ###\nI cannot see it.")


def test_a_verifier_is_shown_places_as_the_elements_beside_them_are() -> None:
    screenshot = Screenshot(content_id="0" * 32, size=SIZE, serial="p", taken_at=1, capture_ms=1)
    search = START.shortcuts[0]
    request = PermitRequest(
        brief=BRIEF, screenshot=screenshot, screen=None, shortcut=search, arguments={"x": 270, "y": 300, "text": "a\nb"}
    )
    image = ModelImage(content_id="0" * 32, jpeg=b"")
    prompt = Verifier.prompt(Prompts(DIALECT, "json"), request, (image,))
    text = "\n".join(part for part in prompt.content if isinstance(part, str))
    x, y = to_model(DIALECT, 270, 300, SIZE)
    assert f"x = {x}, y = {y}, text = a b" in text
