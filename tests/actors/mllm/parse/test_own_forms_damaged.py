"""Damaged replies in the models' own forms: each is refused with a typed error, or read as the same action.

Damage is done to all that is form: marks, tags, names, quotation marks, brackets, the end of the reply. The digits of a
number and the letters of a typed text are left alone unless the reply is cut there, because no reader can tell another
digit from the one that was meant.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from manyhands.actors.mllm.request.actions import NotAnAction
from manyhands.actors.mllm.request.dialects import OutsideScreen
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.screens.actions import Action
from tests.actors.mllm.parse.test_own_forms import OWL, QWEN, TARS, action_in, gelab, glm, holo, mai, use, venus
from tests.examples import examples

REPLIES = {
    "qwen3-vl": [
        use(QWEN, action="click", coordinate=[540, 120]),
        use(QWEN, action="swipe", coordinate=[500, 800], coordinate2=[501, 200]),
        use(QWEN, action="type", text="two words"),
        use(QWEN, action="system_button", button="Menu"),
        use(QWEN, action="terminate", status="success"),
    ],
    "gui-owl-1.5": [
        use(OWL, action="long_press", coordinate=[540, 120], time=2),
        use(OWL, action="key", text="back"),
        use(OWL, action="open", text="Clock"),
        use(OWL, action="answer", text="It is five"),
        use(OWL, action="wait", time=2),
    ],
    "mai-ui": [
        mai(action="click", coordinate=[540, 120]),
        mai(action="swipe", direction="up", coordinate=[540, 620]),
        mai(action="drag", start_coordinate=[540, 620], end_coordinate=[140, 620]),
        mai(action="system_button", button="back"),
        mai(action="terminate", status="success"),
    ],
    "ui-tars-1.5": [
        f"{TARS}click(start_box='(540,120)')",
        f"{TARS}click(start_box='<|box_start|>(540,120)<|box_end|>')",
        f"{TARS}click(point='<point>540 120</point>')",
        f"{TARS}scroll(start_box='(540,620)', direction='down')",
        f"{TARS}drag(start_box='(540,620)', end_box='(140,620)')",
        f"{TARS}type(content='two words')",
        f"{TARS}open_app(app_name='Clock')",
        f"{TARS}press_back()",
        f"{TARS}finished(content='It is five')",
    ],
    "autoglm-phone": [
        glm('do(action="Tap", element=[540,120])'),
        glm('do(action="Swipe", start=[500,800], end=[501,200])'),
        glm('do(action="Type", text="two words")'),
        glm('do(action="Launch", app="Clock")'),
        glm('do(action="Home")'),
        glm('do(action="Wait", duration="4 seconds")'),
        glm('finish(message="It is five")'),
    ],
    "gelab-zero": [
        gelab("CLICK\tpoint:540,120", "It is open."),
        gelab("SLIDE\tpoint1:500,800\tpoint2:501,200", "It is open."),
        gelab("TYPE\tvalue:two words\tpoint:540,120", "It is open."),
        gelab("AWAKE\tvalue:Clock", "It is open."),
        gelab("COMPLETE\treturn:It is five", "It is open."),
    ],
    "holo-3.1": [
        holo("click", element="it", x=540, y=120),
        holo("scroll", element="it", x=540, y=620, direction="down"),
        holo("swipe", x1=500, y1=800, x2=501, y2=200),
        holo("write", content="two words", press_enter=True, overwrite=True),
        holo("open_app", app="Clock"),
        holo("press", button="home"),
        holo("answer", content="It is five"),
    ],
    "ui-venus-1.5": [
        f"{venus('Click(box=(540,120))')}\n<conclusion>Tap it.</conclusion>",
        venus("Scroll(start=(500,800), end=(501,200))"),
        venus("Launch(app='Clock')"),
        venus("CallUser(content='It is five')"),
    ],
    "ui-venus-2": [
        venus("Click(point=(540, 120))"),
        venus("Swipe(start=(500, 800), end=(501, 200))"),
        venus("Type(content='two words')"),
        venus("LaunchApp(app='Clock')"),
        venus("PressHome()"),
        venus("Answer(content='It is five')"),
        venus("Finished(content='It is five')"),
    ],
}
MARKS = [
    *"{}[]()<>\"'`,:;=\\/|#*-.?！（）｛｝：，“”\n\t ",
    *(
        "<tool_call>",
        "</tool_call>",
        "<think>",
        "</think>",
        "<answer>",
        "</answer>",
        "<action>",
        "</action>",
        "```",
        "Action:",
        "Thought:",
    ),
    *("user\n", "<|im_end|>", "null", "not ", "e", "_"),
]
_NUMBERS, _TEXTS = re.compile("[0-9]+"), re.compile("two words|It is five|Clock")
"""What a reader must take as it is written."""
REFUSED = (ReplyUnusable, OutsideScreen, NotAnAction)


@st.composite
def damaged(draw: st.DrawFn, dialect: str) -> tuple[str, str]:
    """A reply and the same reply with one to three kinds of damage."""
    whole = draw(st.sampled_from(REPLIES[dialect]))
    text = whole
    for _ in range(draw(st.integers(1, 3))):
        text = draw(st.sampled_from([cut, without, with_mark, exchanged, repeated, alone]))(draw, dialect, text)
    return whole, text


def places(text: str) -> list[int]:
    """Return the places of all characters that are neither of a number nor of a typed text."""
    inside = {at for kind in (_NUMBERS, _TEXTS) for one in kind.finditer(text) for at in range(*one.span())}
    return [at for at in range(len(text)) if at not in inside]


def gaps(text: str) -> list[int]:
    """Return the places between characters where a mark does not become part of a number or a typed text."""
    inside = {at for one in _NUMBERS.finditer(text) for at in range(one.start() + 1, one.end())}
    inside |= {at for one in _TEXTS.finditer(text) for at in range(one.start(), one.end() + 1)}
    return [at for at in range(len(text) + 1) if at not in inside]


def cut(draw: st.DrawFn, dialect: str, text: str) -> str:
    return text[: draw(st.integers(0, len(text)))]


def without(draw: st.DrawFn, dialect: str, text: str) -> str:
    """``text`` without some characters, none of which is left alone."""
    gone = draw(st.lists(st.sampled_from(places(text) or [len(text)]), min_size=1, max_size=4, unique=True))
    return "".join(char for at, char in enumerate(text) if at not in gone)


def with_mark(draw: st.DrawFn, dialect: str, text: str) -> str:
    """``text`` with a mark in it, not within a number or a typed text."""
    at = draw(st.sampled_from(gaps(text)))
    return text[:at] + draw(st.sampled_from(MARKS)) + text[at:]


def exchanged(draw: st.DrawFn, dialect: str, text: str) -> str:
    """``text`` with a mark in the place of another character."""
    free = places(text)
    if not free:
        return text
    at = draw(st.sampled_from(free))
    return text[:at] + draw(st.sampled_from(MARKS)) + text[at + 1 :]


def repeated(draw: st.DrawFn, dialect: str, text: str) -> str:
    """``text`` with a piece of it once more behind it."""
    return text + draw(st.sampled_from(["", "\n", "\nuser\n"])) + text[draw(st.integers(0, len(text))) :]


def alone(draw: st.DrawFn, dialect: str, text: str) -> str:
    """``text`` with words around it."""
    before = draw(st.sampled_from(["", "I would not do this:\n", "The screen says ", "```\n", "Thought: I saw\n"]))
    behind = draw(st.sampled_from(["", "\n```", "\nThat would be wrong.", " or not?", "\n\n\n", "<|im_end|>"]))
    return before + text + behind


def read_or_refused(dialect: str, text: str) -> Action | None:
    try:
        return action_in(dialect, text)
    except REFUSED:
        return None


@pytest.mark.parametrize("dialect", sorted(REPLIES))
@settings(max_examples=examples(2000), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_damaged_replies(dialect: str, data: st.DataObject) -> None:
    whole, text = data.draw(damaged(dialect))
    read = read_or_refused(dialect, text)
    assert read is None or read == action_in(dialect, whole), text


@pytest.mark.parametrize("dialect", sorted(REPLIES))
def test_every_reply_cut_anywhere_is_refused_or_the_same(dialect: str) -> None:
    for whole in REPLIES[dialect]:
        for end in range(len(whole)):
            read = read_or_refused(dialect, whole[:end])
            assert read is None or read == action_in(dialect, whole), whole[:end]


@pytest.mark.parametrize("dialect", sorted(REPLIES))
def test_two_replies_with_different_actions_are_refused(dialect: str) -> None:
    for first in REPLIES[dialect]:
        for second in REPLIES[dialect]:
            if action_in(dialect, first) != action_in(dialect, second):
                assert read_or_refused(dialect, f"{first}\n{second}") is None, (first, second)


@settings(max_examples=examples(500), deadline=None, database=None)
@given(text=st.text(max_size=200), dialect=st.sampled_from(sorted(REPLIES)))
@example(text="do(" * 3000, dialect="autoglm-phone")
@example(text="Action: click(start_box='" * 3000, dialect="ui-tars-1.5")
@example(text='{"tool_call": ' * 3000, dialect="holo-3.1")
@example(text="<action>Click(point=(" * 3000, dialect="ui-venus-2")
@example(text="click(start_box='(1,1)')\n" * 3000, dialect="ui-tars-1.5")
def test_any_text_is_read_or_refused(text: str, dialect: str) -> None:
    read_or_refused(dialect, text)
