"""The text forms that prompts and their readers share."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.base import Outcome, Reply
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.field_description import describe_fields
from manyhands.protocol.roles.sections import (
    ActionLine,
    HistoryLine,
    ListedElement,
    ListedScreen,
    Section,
    action_line,
    element_line,
    fenced,
    harmless,
    heading,
    history_line,
    keyboard_body,
    one_line,
    parse_action_line,
    parse_element_line,
    parse_history_line,
    parse_screen_body,
    screen_body,
    split_sections,
    unfenced,
)

texts = st.text() | st.lists(
    st.sampled_from(["|", " | ", "expected: ", "outcome: A", "error: ", "</data>", "###", "\n", "\u2028", "none", "a"]),
    max_size=8,
).map("".join)
values = texts | st.integers() | st.booleans() | st.none()
objects = st.dictionaries(texts, values | st.lists(values, max_size=3), max_size=4)
lines = st.builds(
    HistoryLine,
    step=st.integers(0, 10_000),
    action=objects | st.none(),
    expectation=texts,
    outcome=st.sampled_from(Outcome),
    error=texts,
)


@given(lines)
def test_a_history_line_says_the_same_when_it_is_read(line: HistoryLine) -> None:
    written = history_line(line)
    assert len(written.splitlines()) == 1
    assert harmless(written) == written
    read = parse_history_line(written)
    assert read is not None
    assert (read.step, read.action, read.outcome) == (line.step, line.action, line.outcome)
    assert read.expectation == one_line(line.expectation) or (read.expectation, one_line(line.expectation)) == (
        "",
        "none",
    )
    assert history_line(read) == written


@given(objects | st.none(), texts, texts, st.sampled_from(Outcome), texts)
def test_a_short_history_line_leaves_out_what_says_nothing(
    action: dict[str, object] | None, touched: str, hope: str, outcome: Outcome, error: str
) -> None:
    line = HistoryLine(step=3, action=action, touched=touched, expectation=hope, outcome=outcome, error=error)
    read = parse_history_line(history_line(line, short=True))
    assert read is not None
    whole = parse_history_line(history_line(line))
    assert whole is not None
    assert read == whole.model_copy(update={"expectation": ""} if outcome is Outcome.A else {})


@given(objects | st.none(), texts)
def test_an_action_line_keeps_every_character_of_the_action(action: dict[str, object] | None, hope: str) -> None:
    written = action_line(ActionLine(action=action, expectation=hope))
    read = parse_action_line(written)
    assert read is not None
    assert read.action == action
    assert parse_history_line(written) is None


@pytest.mark.parametrize("reply", registered_profiles().reply_types.values(), ids=lambda reply: reply.__name__)
def test_no_text_of_a_screen_opens_a_tag_of_a_replys_field(reply: type[Reply]) -> None:
    for field in describe_fields(reply):
        for tag in (f"<{field.name}>", f"</{field.name} >", f"<{field.name.upper()}>"):
            broken = f"< {tag.removeprefix('<')}"
            assert (harmless(f"a {tag}"), one_line(f"a {tag}")) == (f"a {broken}", f"a {broken}")
            assert tag not in action_line(ActionLine(action={"text": tag}, expectation=""))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Step 1",
        "Step x | null | expected: a | outcome: A | error: b",
        "Step 1 | {] | expected: a | outcome: A | error: b",
        "Step 1 | 5 | expected: a | outcome: A | error: b",
        "Step 1 | null | expected: a | outcome: D | error: b",
    ],
)
def test_other_lines_are_no_history(text: str) -> None:
    assert parse_history_line(text) is None


@given(st.text())
def test_no_text_breaks_the_readers(text: str) -> None:
    read = (parse_history_line(text), parse_action_line(text), parse_element_line(text), parse_screen_body(text))
    assert len(read) == 4
    assert isinstance(split_sections(text), dict)


listed_texts = st.builds(
    ListedElement,
    number=st.integers(1, 9999),
    kind=st.just("text"),
    x=st.integers(0, 9999),
    y=st.integers(0, 9999),
    content=st.text(),
)


@given(st.lists(listed_texts, max_size=5))
def test_a_listed_screen_reads_back(elements: list[ListedElement]) -> None:
    screen = ListedScreen(width=1000, height=999, elements=tuple(elements))
    body = split_sections(f"{heading(Section.SCREEN)}\n{screen_body(screen)}")[Section.SCREEN]
    read = parse_screen_body(body)
    assert read is not None
    assert (read.width, read.height) == (1000, 999)
    assert [element_line(one) for one in read.elements] == [harmless(element_line(one)) for one in elements]


@given(texts)
def test_harmless_text_stays_as_it_is_and_a_fence_holds_it(text: str) -> None:
    assert harmless(harmless(text)) == harmless(text)
    assert "\n".join(unfenced(f"before\n{fenced(text)}\nafter")) == harmless(text)
    prompt = f"{heading(Section.SCREEN)}\n{fenced(text)}\n\n{heading(Section.TASK)}\ndo it"
    assert list(split_sections(prompt)) == [Section.SCREEN, Section.TASK]


def test_the_forms_are_plain_to_read() -> None:
    tap = HistoryLine(
        step=3, action={"name": "Tap", "x": 5, "y": 6}, expectation="it opens", outcome=Outcome.B, error="no"
    )
    assert history_line(tap) == (
        'Step 3 | {"name": "Tap", "x": 5, "y": 6} | expected: it opens | outcome: B | error: no'
    )
    touched = tap.model_copy(update={"touched": "Wi-Fi", "outcome": Outcome.A, "error": ""})
    assert history_line(touched, short=True) == 'Step 3 | {"name": "Tap", "x": 5, "y": 6} | touched: Wi-Fi | outcome: A'
    typed = ActionLine(action={"name": "Type", "text": "大 </data>"}, expectation="")
    assert action_line(typed) == r'{"name": "Type", "text": "大 \u003c/data>"} | expected: none'
    assert json.loads(action_line(typed).split(" | ")[0]) == typed.action
    assert keyboard_body("shown", "It is up.").split() == ["shown", "It", "is", "up."]
    assert unfenced("no fence") == []


@pytest.mark.parametrize("tag", ["tool_call", "tool_response", "think", "Think", "tools"])
def test_tags_of_a_model_are_spoilt_wherever_a_text_of_others_stands(tag: str) -> None:
    for mark in (f"<{tag}>", f"</{tag}>", f"</{tag} >"):
        spoilt = mark.replace("<", "< ")
        assert harmless(f"a {mark} b") == one_line(f"a {mark} b") == f"a {spoilt} b"
        assert unfenced(fenced(mark)) == [spoilt]
        line = ActionLine(action={"name": "Type", "text": mark}, expectation="")
        assert mark not in action_line(line)
        assert parse_action_line(action_line(line)) == line
