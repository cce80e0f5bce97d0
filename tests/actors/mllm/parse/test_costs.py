"""No text costs more than a few passes over it, however it nests or repeats. Patterns: ``test_steps.py``."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from manyhands.actors.mllm import parse
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.role import DecideReply, PlanReply, ReflectReply

UNITS = [
    "{", "{}", "}", '{"a":', "[{", "[", "((", '"', "'", "\\", '{"a": "', "｛“", "{'action': 'wait'", "<tool_call>",
    "<tool_call>{", "<function=a>", "<function=a><parameter=b>", "<parameter=b>", "<think>", "</think>", "###",
    "### Action ###\n", "### Thought\n", "### Plan ###\n1. a ", "#", "Tap(", "Tap(1, 2) ", 'Type("', "Type(a\n",
    "Type (()\n", "Action:", "Thought:", "<conclusion>", "```", "\n", " ", "a", ").",
]  # fmt: skip
STARTS = ["", "### Action ###\n", "### Outcome ###\n", "### Plan ###\n", "<tool_call>", "<think>", "Thought: "]


def calls_made(reply: type[Reply], text: str) -> int:
    """Calls, of Python and of C, that it takes to refuse ``text``."""
    count = 0

    def seen(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(seen)
    try:
        parse(reply, text)
    except ReplyUnusable:
        pass
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("unit", UNITS)
def test_twice_the_text_is_at_most_twice_the_work(unit: str) -> None:
    for start in STARTS:
        for reply in (DecideReply, PlanReply, ReflectReply):
            short, long = (start + (unit * (size // len(unit))) + " x" for size in (12_000, 24_000))
            calls_made(reply, short)  # compiles patterns, which later calls find in a cache
            assert calls_made(reply, long) <= 2 * calls_made(reply, short) + 500, start


WORDS = [
    "", "a", "Tap", "Stop", "Action", "Action:", "Thought: a", "### Plan ###\n1. a", "### Plan ###\n1.",
    "### Outcome ###\nB", "### Outcome ###\nB or", "### Action ###\nStop", "### Action ###\nType (a",
    "### Important Notes ###\na", "### Plan", "<tool_call>", "<tool_call>\n</tool_call>", "<parameter=text>a",
    "<function=mobile_use><parameter=text>a</function>", "<conclusion>a", "<think>a", '{"action": "wait"}',
    '{"notes": "a"}', '{"outcome": "B", "error": "", "progress": ""}', "```json\n", "Action: Tap(1, 2)",
]  # fmt: skip
RUNS = [*" \t\n\r\u3000", "\r\n", *"07\"'`*#＃()（[]{}<>_-.…:,;", "A", " a", "a ", "or ", "</", "\n ", " \n", "｛"]


def test_long_reasoning_is_no_long_answer() -> None:
    answer = '{"thought": "", "action": {"name": "Wait"}, "expectation": ""}'
    assert parse(DecideReply, f"<think>{'so { and so ' * 20_000}</think>{answer}").action.name == "Wait"
