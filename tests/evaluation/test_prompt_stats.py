"""Where input tokens went: no character of a prompt is lost or counted twice, and sums are the server's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.evaluation.prompt_stats import (
    EARLIER,
    OTHER,
    PICTURES,
    REPAIR,
    RULES,
    Piece,
    pieces,
    prompt_stats,
    texts_of,
)
from manyhands.evaluation.recorded_calls import RecordedCall
from manyhands.protocol.errors import BadInput
from manyhands.protocol.messages import ModelCall, Usage
from manyhands.protocol.roles.requests import ReplyContext
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section, heading
from manyhands.protocol.screens.geometry import Size

SIZE = Size(width=64, height=64)
lines = st.one_of(st.sampled_from([heading(section) for section in Section]), st.text("ab #\n", max_size=6))
texts = st.lists(lines, max_size=8).map("\n".join)


def request(system: str, *user: str, then: Sequence[str] = ()) -> dict[str, Any]:
    """A request; ``then`` has what was answered and told after it, in turns."""
    parts = [{"type": "text", "text": text} for text in user]
    picture = {"type": "image_url", "image_url": {"url": "manyhands:" + "0" * 32}}
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": system},
        {"role": "user", "content": [*parts[:1], picture, *parts[1:]]},
    ]
    messages += [{"role": ("assistant", "user")[turn % 2], "content": text} for turn, text in enumerate(then)]
    return {"messages": messages}


def call_of(role: Role, asked: dict[str, Any], usage: Usage | None = None, repair: bool = False) -> ModelCall:
    return ModelCall(
        role=role,
        server="s",
        request=asked,
        reply="",
        usage=usage or Usage(),
        started_at=0,
        latency_ms=1,
        repair=repair,
    )


def recorded(
    role: Role, asked: dict[str, Any], tokens: int, cached: int = 0, step: int = 0, pictures: int = 1
) -> RecordedCall:
    call = call_of(role, asked, Usage(input_tokens=tokens, cached_tokens=cached))
    return RecordedCall("e", step, 0, call, (SIZE,) * pictures, ReplyContext(size=SIZE))


def four(role: Role, size: Size) -> int:
    return size.width * size.height // 1024


def letters(texts: Sequence[str]) -> str:
    return "".join("".join(texts).split())


# ---------------------------------------------------------------------------- pieces
@given(texts, texts, texts, st.lists(texts, max_size=6), st.booleans())
def test_every_character_is_in_one_piece(system: str, before: str, after: str, then: list[str], repair: bool) -> None:
    then = then[: len(then) // 2 * 2]
    found = pieces(call_of(Role.PLAN, request(system, before, after, then=then), repair=repair and bool(then)))
    assert letters([piece.text for piece in found]) == letters([system, before, after, *then])
    assert all(piece.text for piece in found)


ASKED = (
    f"Rules first.\n\n{heading(Section.ACTIONS)}\nTap(x, y)\n",
    f"{heading(Section.GOAL)}\nGo\n",
    f"Now:\n{heading(Section.TASK)}\nYou are\n### Not ours ###\nstill the task",
)
FIRST = (
    Piece(RULES, "Rules first."),
    Piece("Atomic Actions", "### Atomic Actions ###\nTap(x, y)"),
    Piece("User Instruction", "### User Instruction ###\nGo"),
    Piece(OTHER, "Now:"),
    Piece("Your Task", "### Your Task ###\nYou are\n### Not ours ###\nstill the task"),
)


def test_pieces_are_named() -> None:
    assert pieces(call_of(Role.PLAN, request(*ASKED))) == FIRST


def test_a_repair_is_the_last_answer_and_what_follows_it() -> None:
    asked = request(*ASKED, then=["{", "The answer was no JSON."])
    assert pieces(call_of(Role.PLAN, asked, repair=True)) == (
        *FIRST,
        Piece(REPAIR, "{"),
        Piece(REPAIR, "The answer was no JSON."),
    )


def test_the_turns_of_a_chat_are_no_repair() -> None:
    """As in Mobile-Agent's: what it is asked now is told apart from what was said before."""
    last = f"Again:\n{heading(Section.TASK)}\nIs it done?"
    then = ["I tap.", "The screen after this operation.", "I stop.", last]
    turns = (
        Piece(EARLIER, "I tap."),
        Piece(EARLIER, "The screen after this operation."),
        Piece(EARLIER, "I stop."),
        Piece(OTHER, "Again:"),
        Piece("Your Task", f"{heading(Section.TASK)}\nIs it done?"),
    )
    assert pieces(call_of(Role.DECIDE, request(*ASKED, then=then))) == (*FIRST, *turns)
    repaired = call_of(Role.DECIDE, request(*ASKED, then=[*then, "{", "No JSON."]), repair=True)
    assert pieces(repaired) == (*FIRST, *turns, Piece(REPAIR, "{"), Piece(REPAIR, "No JSON."))


def test_a_second_question_in_a_conversation_has_its_sections() -> None:
    """As of Mobile-Agent-v2's memory unit."""
    question = f"{heading(Section.TASK)}\nKeep it.\n{heading(Section.FORMAT)}\nJSON"
    found = pieces(call_of(Role.NOTE, request(*ASKED, then=["I tap.", question])))
    assert found[len(FIRST) :] == (
        Piece(EARLIER, "I tap."),
        Piece("Your Task", f"{heading(Section.TASK)}\nKeep it."),
        Piece("Output Format", f"{heading(Section.FORMAT)}\nJSON"),
    )


# ---------------------------------------------------------------------------- by role
@given(st.lists(st.tuples(texts.filter(str.strip), st.integers(4, 9999)), min_size=1, max_size=5))
def test_estimated_sections_add_up_to_what_the_server_said(asked: list[tuple[str, int]]) -> None:
    calls = [recorded(Role.NOTE, request("You are", text), tokens) for text, tokens in asked]
    role = prompt_stats(calls, four).roles["note"]
    assert sum(part.tokens for part in role.sections.values()) == pytest.approx(role.input_tokens)
    assert sum(part.share for part in role.sections.values()) == pytest.approx(1)
    assert role.sections[PICTURES].tokens == 4


def test_estimated_by_characters() -> None:
    asked = request("r" * 30, f"{heading(Section.GOAL)}\n" + "g" * (70 - len(heading(Section.GOAL))))
    found = prompt_stats([recorded(Role.PLAN, asked, tokens=104, cached=26)], four)
    tokens = {name: part.tokens for name, part in found.roles["plan"].sections.items()}
    # 71 characters with the line break after the heading.
    assert tokens == pytest.approx({"User Instruction": 7100 / 101, RULES: 3000 / 101, PICTURES: 4})
    assert found.method == "estimated"
    assert found.roles["plan"].cached_share == found.cached_share == 0.25


def test_exact_by_the_tokenizer() -> None:
    asked = request("one two", f"{heading(Section.GOAL)}\nthree")
    calls = [recorded(Role.PLAN, asked, tokens=20)] * 2
    assert texts_of(calls) == ("one two", "### User Instruction ###\nthree")
    found = prompt_stats(calls, four, {text: len(text.split()) for text in texts_of(calls)})
    tokens = {name: part.tokens for name, part in found.roles["plan"].sections.items()}
    assert tokens == {RULES: 2, "User Instruction": 5, PICTURES: 4}
    assert found.method == "exact"
    assert found.roles["plan"].input_tokens == 20


def test_a_call_without_a_count_is_in_no_figure_of_tokens() -> None:
    asked = request("one two")
    found = prompt_stats([recorded(Role.PLAN, asked, tokens=20), recorded(Role.PLAN, asked, tokens=0)], four)
    assert (found.roles["plan"].calls, found.roles["plan"].unreported, found.roles["plan"].input_tokens) == (1, 1, 20)
    nothing = prompt_stats([recorded(Role.PLAN, asked, tokens=0)], four)
    assert nothing.roles["plan"].sections == {}
    assert nothing.cached_share is None


def test_pictures_with_more_tokens_than_the_whole_prompt() -> None:
    with pytest.raises(BadInput, match="--max-pixels"):
        prompt_stats([recorded(Role.PLAN, request("one"), tokens=3)], four)


# ---------------------------------------------------------------------------- by step
def test_steps() -> None:
    asked = request("r", "g")
    roles = (Role.PLAN, Role.DECIDE, Role.REFLECT, Role.NOTE)
    calls = [recorded(role, asked, tokens=100, cached=40, step=0, pictures=1) for role in roles]
    calls += [recorded(role, asked, tokens=100, cached=0, step=1, pictures=2) for role in roles[:3]]
    calls += [recorded(Role.PLAN, asked, tokens=60, step=2)]
    found = prompt_stats(calls, four)
    assert (found.steps.steps, found.successful_steps.steps) == (2, 1)
    assert found.steps.uncached_tokens is not None
    assert found.steps.uncached_tokens.mean == (240 + 300) / 2
    assert found.steps.images is not None
    assert found.steps.images.mean == (4 + 6) / 2
    assert found.successful_steps.input_tokens is not None
    assert found.successful_steps.input_tokens.mean == 400
    # The plan that ended the episode is paid by its steps.
    assert found.uncached_per_step == (240 + 300 + 60) / 2


def test_a_step_of_native_needs_no_plan() -> None:
    asked = request("r", "g")
    calls = [recorded(Role.PLAN, asked, tokens=50)]
    for step in range(3):
        decided = recorded(Role.DECIDE, asked, tokens=100, step=step)
        calls.append(replace(decided, call=decided.call.model_copy(update={"reply_type": "NativeReply"})))
    found = prompt_stats(calls, four)
    assert (found.steps.steps, found.successful_steps.steps) == (3, 3)


def test_what_is_asked_beside_the_steps_is_of_no_step_and_is_paid_by_them() -> None:
    calls = [recorded(Role.DECIDE, request("r"), tokens=100), recorded(Role.PERMIT, request("r"), tokens=30)]
    calls.append(recorded(Role.DECIDE, request("r"), tokens=100, step=1))
    alone = prompt_stats(calls, four)
    calls.append(recorded(Role.LEARN_TIPS, request("r"), tokens=50, step=1, pictures=0))
    found = prompt_stats(calls, four)
    assert found.steps == alone.steps
    assert found.successful_steps == alone.successful_steps
    assert found.successful_steps.steps == 2
    assert found.roles["learn_tips"].input_tokens == 50
    assert found.uncached_per_step == (230 + 50) / 2


def test_no_step_with_a_decision() -> None:
    found = prompt_stats([recorded(Role.PLAN, request("r"), tokens=50)], four)
    assert found.steps.steps == 0
    assert found.steps.input_tokens is None
    assert found.uncached_per_step is None
