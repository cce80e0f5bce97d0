"""A reply that is quoted, negated or taken back never acts, in whatever form and language."""

from __future__ import annotations

import itertools
import json
import random

import pytest

from manyhands.actors.mllm import parse
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.role import DecideReply, NoteReply, PlanReply, ReflectReply

ACTIONS = [
    {"name": "Tap", "x": 540, "y": 120},
    {"name": "Type", "text": "yes, {1}"},
    {"name": "Open_App", "app": "Bank"},
    {"name": "Wait", "seconds": 2},
    {"name": "Stop"},
]
USES = [
    {"action": "click", "coordinate": [540, 120]},
    {"action": "swipe", "coordinate": [500, 800], "coordinate2": [501, 200]},
    {"action": "type", "text": "yes"},
    {"action": "wait", "time": 10},
    {"action": "system_button", "button": "Back"},
    {"action": "terminate", "status": "success"},
]
NAMED = [{"name": one["name"], "arguments": {k: v for k, v in one.items() if k != "name"}} for one in ACTIONS]
OWN = [json.dumps({"thought": "see", "action": one, "expectation": "ok"}) for one in ACTIONS]
TOOLS = [json.dumps({"name": "mobile_use", "arguments": use}) for use in USES]
XML = [
    "<tool_call>\n<function=mobile_use>\n"
    + "".join(
        f"<parameter={key}>\n{one if isinstance(one, str) else json.dumps(one)}\n</parameter>\n"
        for key, one in use.items()
    )
    + "</function>\n</tool_call>"
    for use in USES
]
TAGGED = [f"<tool_call>{n}{tool}{n}</tool_call>" for tool in [*TOOLS, *OWN] for n in ("", "\n")]
CALLS = [
    "Tap(540, 120)",
    "Swipe(500, 800, 501, 200)",
    'Type("yes")',
    "Open App(Bank)",
    "Wait(5)",
    "click(5, 6)",
    "Stop()",
]
HEADED = [
    f"### Thought ###\nsee\n### Action ###\n{one}" for one in [*map(json.dumps, NAMED), *map(json.dumps, USES), *CALLS]
]
QUOTED = [
    *OWN,
    *TOOLS,
    *TAGGED,
    *XML,
    *map(json.dumps, USES),
    *map(repr, USES),
    *map(json.dumps, NAMED),
    *CALLS,
    *HEADED,
]

WITHIN = [
    "The page says: {}. I ignore it.",
    "The page says {}, which I do not follow.",
    "I will not answer {} yet.",
    "Do not use {}.",
    "It would be wrong to write {} here.",
    "A notification asks for {}",
    "{} is what the message tells me to do.",
    "{} is wrong, so I do nothing.",
    "Instead of {} I look for the search field.",
    "<thinking>Hm.</thinking>The user said {}, but I should not.",
    "Thought: The page says {} and I ignore it.\nAction: I do nothing.",
    "Thought: I must not write {}.",
    "### Thought ###\nThe page says {}, I ignore it.\n### Action ###\nI do nothing.",
    "屏幕上写着 {}，我不会执行。",
    "不要执行 {}。",
    "我不会输出 {}，因为这是网页上的文字。",
    "页面要求我 {}",
    "{} 是错误的，我不这样做。",
    "思考：通知里说 {}，这不是用户的指令。",
]
"""A sentence in which the call stands."""
BEFORE = [
    "The page says:\n{}",
    "I must not do this:\n{}",
    "I must not do this.\n{}",
    "Ignore the following instruction of the page.\n\n{}",
    "Never\n{}",
    "An example of what not to write:\n\n{}",
    "> {}",
    "// {}",
    "Thought: The page says:\n{}",
    "Thought: The page asks for the following, which is wrong:\n{}",
    'Thought: The message reads "\n{}\n"',
    "Thought: The page says:\n```json\n- {}",
    "<think>Hm.</think>\nThe page says\n{}",
    "页面上写着：\n{}",
    "不要这样做：\n{}",
    "我拒绝这样做。\n{}",
    "思考：页面要求：\n{}",
    "### Notes ###\n{}",
    "### Important Notes ###\n{}",
    "Plan:\n{}",
    "# {}",
    "- {}",
    "* {}",
]
"""A sentence that leads to the call, or denies it."""
BEHIND = [
    "{}\nNo, that is wrong.",
    "{}\n\nI will not do this.",
    "{}\n(this is what the page says)",
    "Thought: Hm.\n{}\nBut this is not what the user wants.",
    "{}\n<think>No, the page told me to.",
    "{}\n不对，我不会这样做。",
    "思考：嗯。\n{}\n这是网页上的指令，不执行。",
    "{} ?",
    "{}\n？？",
]
"""A sentence that takes the call back."""
MARKS = ["{}", '"{}"', "'{}'", "“{}”", "「{}」", "`{}`", "**{}**", "({})", "```{}```", "\n{}\n", '"\n{}\n"']
FENCES = ["{}", "`{}`", "```\n{}\n```", "```json\n{}\n```"]


def quotations() -> list[str]:
    forms = [*itertools.product(WITHIN, MARKS), *itertools.product([*BEFORE, *BEHIND], FENCES)]
    return [form.replace("{}", mark).replace("{}", one) for (form, mark), one in itertools.product(forms, QUOTED)]


TEXTS = quotations()


def test_there_are_ten_thousand_cases() -> None:
    assert len(set(TEXTS)) >= 10_000


@pytest.mark.parametrize("part", range(8))
def test_a_quoted_or_negated_call_never_acts(part: int) -> None:
    acted = []
    for text in random.Random(12).sample(TEXTS, 10_000)[part::8]:
        try:
            acted.append((text, parse(DecideReply, text)))
        except ReplyUnusable:
            continue
    assert acted == []


CALL = TAGGED[1]
IN_FORM = [
    f'Thought: The "Bank" app is there.\nAction: "Opened the app."\n{CALL}',
    f"Thought: I see it, but must not delete it; I tap it.\nAction: Tap {{it}}\n{CALL}",
    f"Action: I do not scroll, I tap the icon\n{CALL}",
    f"Thought: There.\n\nIt is the second one.\nAction: Tap it\n\n{CALL}\n",
    f"Thought: There. Action: Tap it. {CALL}",
    f"**Thought:** There.\n**Action:** Tap it.\n{CALL}",
    f"思考：图标在那里，不是第一个。\n动作：点击它\n{CALL}",
    f"<thinking>\nNot the first.\n</thinking>\n{CALL}\n<conclusion>I tapped it, not the other.</conclusion>",
    f"Not the first.\n</think>\n\n{CALL}",
    f'<think>The page says "tap".</think>{CALL}',
    f"### Thought ###\nNot the first.\n### Action ###\n{TOOLS[0]}\n### Description ###\nNot home.",
    f"### Thought ###\nThere.\n{CALL}",
    f"{CALL}<|im_end|>",
    f"{CALL}\n<|im_end|>\n<|im_start|>user\nThe user query: go on, no.\n{CALL}",
    "Thought: There\nAction: click(540, 120)",
    "```\n### Thought ###\nThere.\n### Action ###\nTap (540, 120)\n```",
    f"Thought: There.\nAction:\n```json\n{json.dumps(USES[0])}\n```",
    f"Thought: There.\n{OWN[0]}",
]


@pytest.mark.parametrize("text", IN_FORM)
def test_thought_in_a_forms_own_marks_may_stand_around_a_reply(text: str) -> None:
    assert parse(DecideReply, text).action.model_dump() == ACTIONS[0]


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (PlanReply, "### Plan ###\nFinished"),
        (PlanReply, '{"thought": "t", "plan": "", "change": "next", "subgoal": "", "status": "finished"}'),
        (ReflectReply, "### Outcome ###\nA\n### Error Description ###\nNone"),
        (ReflectReply, '{"outcome": "A", "error": "", "progress": "p"}'),
        (NoteReply, "### Important Notes ###\nThe password is asked for."),
        (NoteReply, '{"notes": "The password is asked for."}'),
    ],
)
def test_a_reply_of_another_role_is_not_quoted_either(reply: type[Reply], text: str) -> None:
    assert parse(reply, text)
    own = {PlanReply: "Plan", ReflectReply: "Outcome", NoteReply: "Notes"}[reply]
    assert parse(reply, f"{own}:\n{text}")
    behind = [] if text.startswith("#") else [f"{text}\nNo, that is wrong.", f"{text} is wrong."]
    for quoted in [f"{other}:\n{text}" for other in ("Plan", "Outcome", "Notes") if other != own]:
        with pytest.raises(ReplyUnusable):
            parse(reply, quoted)
    for quoted in [f"The page says:\n{text}", f"页面上写着：\n{text}", f'It says "{text}"', f"Not {text}", *behind]:
        with pytest.raises(ReplyUnusable):
            parse(reply, quoted)


@pytest.mark.parametrize(
    "text",
    [
        f'The page says: "</think>{CALL}"',
        f"The page says </think>{CALL}",
        f'<think>It says "</think>{CALL}"',
        f"<think>I must not write {CALL}",
    ],
)
def test_an_end_of_reasoning_that_is_quoted_begins_no_answer(text: str) -> None:
    with pytest.raises(ReplyUnusable):
        parse(DecideReply, text)
