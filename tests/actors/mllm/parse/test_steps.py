"""A reply that repeats itself costs steps in proportion to its length. Steps are counted, no clock is read."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from manyhands.actors.mllm import parse
from manyhands.actors.mllm.parse import replies
from manyhands.actors.mllm.request.dialects import dialect_named
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.profiles.native import NativeReply
from manyhands.protocol.roles.replies import in_form
from manyhands.protocol.roles.role import DecideReply, NoteReply, PlanReply, ReflectReply
from tests.actors.mllm.parse.matching_steps import counted_steps
from tests.actors.mllm.parse.test_costs import RUNS, UNITS, WORDS, calls_made
from tests.actors.mllm.parse.test_fuzz import SEEDS
from tests.actors.mllm.parse.test_own_forms import use
from tests.actors.mllm.parse.test_own_forms_damaged import REPLIES

PACKAGE = Path(replies.__file__).parent
MODULES = [
    importlib.import_module(f"{replies.__package__}.{module.name}") for module in pkgutil.iter_modules([str(PACKAGE)])
]
OWN = {dialect: in_form(DecideReply, dialect_named(dialect).form) for dialect in REPLIES}
NATIVE = {dialect: in_form(NativeReply, dialect_named(dialect).form) for dialect in REPLIES}
WHOLE: list[tuple[type[Reply], str]] = [
    *((OWN[dialect], text) for dialect, texts in REPLIES.items() for text in texts),
    *((NATIVE[dialect], f"Change: none\nVerdict: A\n{text}") for dialect, texts in REPLIES.items() for text in texts),
    *((reply, text) for reply, texts in SEEDS.items() for text in texts),
    *((reply, text) for reply in (DecideReply, PlanReply, ReflectReply, NoteReply) for text in WORDS),
]
PIECES = [*RUNS, *UNITS, *"“「『«《", "- ", "* ", "** ", "Verdict: A\n", "Action: ", "</parameter>", "<parameter=a>"]
LENGTH = 150
"""How long a run is. What grows with the square takes some 45,000 steps for a run of twice this length."""
TRIES = 20
"""How often the reading of an object may be tried, each time with one pass over the text."""
Cost = Callable[[type[Reply], str], int]


@pytest.fixture
def cost() -> Iterator[Cost]:
    with counted_steps(MODULES) as steps:

        def count(reply: type[Reply], text: str) -> int:
            steps.take()
            with suppress(ReplyUnusable):
                parse(reply, text)
            return steps.take()

        yield count


def check(cost: Cost, reply: type[Reply], before: str, unit: str, behind: str, length: int = LENGTH) -> None:
    short, long = (before + unit * (size // len(unit)) + behind for size in (length, 2 * length))
    assert cost(reply, long) <= 2.2 * cost(reply, short) + 2 * LENGTH * TRIES, (reply, before, unit, behind)


@pytest.mark.parametrize("seed", range(4))
def test_twice_the_run_in_a_reply_is_at_most_about_twice_the_steps(seed: int, cost: Cost) -> None:
    rng = random.Random(seed)
    for _ in range(150):
        reply, text = rng.choice(WHOLE)
        begin, end = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
        unit = rng.choice(PIECES) + rng.choice(["", "", rng.choice(PIECES)])
        check(cost, reply, text[:begin], unit, text[rng.choice([begin, end]) :])


@pytest.mark.parametrize(
    ("dialect", "before", "unit", "behind"),
    [
        ("ui-tars-1.5", "", "*", ""),
        ("autoglm-phone", "x\n", " ", "x"),
        ("ui-tars-1.5", "Action: click(start_box='", " ", "')"),
        ("ui-tars-1.5", "Action: click(start_box='(1,1)", " ", "x')"),
        ("ui-tars-1.5", "", "*", "\nAction: press_back()"),
        ("qwen3-vl", "-", " ", call := use(action="system_button", button="Menu")),
        ("qwen3-vl", "", "_", call),
    ],
)
def test_replies_that_held_up_all_phones(dialect: str, before: str, unit: str, behind: str, cost: Cost) -> None:
    check(cost, OWN[dialect], before, unit, behind, 600)
    check(cost, NATIVE[dialect], before, unit, behind, 600)


@pytest.mark.parametrize("mark", "“「『«《")
def test_open_quotations_behind_a_verdict(mark: str, cost: Cost) -> None:
    check(cost, ReflectReply, "### Outcome ###\nB. ", mark, "", 600)


@pytest.mark.parametrize(
    "text",
    [
        "<think>" + "Verdict: A\n" * 360_000 + "</think>\nAction: press_back()",
        "<think>" + "Verdict: A\n" * 40_000 + "</think>\nAction: press_back()",
        "Verdict: A\n" * 4_000 + "Action: press_back()",
    ],
)
def test_a_field_that_is_given_without_end_is_refused_before_it_is_read(text: str) -> None:
    reply = NATIVE["ui-tars-1.5"]
    with pytest.raises(ReplyUnusable, match=r"characters long|more than 100 lines begin with 'Verdict'"):
        parse(reply, text)
    assert calls_made(reply, text) < 1000
