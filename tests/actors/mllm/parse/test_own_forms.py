"""Replies in the forms that model families were trained on, as their cookbooks, papers and users show them.

Each is read into our action in pixels of the screen, or refused with a reason.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from manyhands.actors.mllm import parse, read
from manyhands.actors.mllm.parse.phone_tool import ASKS
from manyhands.actors.mllm.request.actions import NotAnAction, read_action
from manyhands.actors.mllm.request.dialects import DIALECTS, OutsideScreen, dialect_named, dialect_of
from manyhands.actors.mllm.vocabulary import AUTOGLM, HOLO, MAI_UI, MOBILE_USE, UI_TARS, UI_VENUS
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.profiles.native import NativeFirstReply
from manyhands.protocol.roles.replies import OUR_ACTIONS, in_form, without_actions
from manyhands.protocol.roles.role import DecideReply, NoteReply
from manyhands.protocol.screens.actions import (
    ASK,
    Action,
    Answer,
    AskPerson,
    Back,
    Enter,
    Home,
    LongPress,
    OpenApp,
    Stop,
    Swipe,
    SwitchApp,
    Tap,
    Type,
    Wait,
)
from manyhands.protocol.screens.geometry import Size

SIZE = Size(width=1000, height=2000)
"""UI-TARS sees this screen in 1008 x 1988 pixels. The others write 0 to 1000."""
MIDDLE = Tap(x=500, y=1000)


def read_reply(dialect: str, text: str) -> DecideReply:
    return parse(in_form(DecideReply, dialect_named(dialect).form), text)


def action_in(dialect: str, text: str) -> Action:
    return read_action(read_reply(dialect, text).action, dialect_named(dialect), SIZE, ())


def check(dialect: str, text: str, expected: Action | str) -> None:
    """``expected``: what is read, or words of the reason why nothing is."""
    if isinstance(expected, str):
        with pytest.raises((ReplyUnusable, OutsideScreen, NotAnAction)) as refused:
            action_in(dialect, text)
        assert expected in str(refused.value)
    else:
        assert action_in(dialect, text) == expected


def cases(*table: tuple[str, str, Action | str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("text", "expected"), [pytest.param(t, e, id=why) for why, t, e in table])


def use(before: str = "", **arguments: Any) -> str:
    return f"{before}<tool_call>\n{json.dumps({'name': 'mobile_use', 'arguments': arguments})}\n</tool_call>"


QWEN = "Thought: The list is open.\nAction: Tap the first entry.\n"
OWL = "Action: Tap the first entry.\n"


# ---------------------------------------------------------------------------- mobile_use
@pytest.mark.parametrize("dialect", ["qwen3-vl", "qwen3.5", "gui-owl-1.5"])
@cases(
    ("click", use(QWEN, action="click", coordinate=[500, 500]), MIDDLE),
    ("the action in quotation marks and the past",
     use('Thought: I see it.\nAction: "Tapped the entry."\n', action="click", coordinate=[500, 500]), MIDDLE),
    ("neither thought nor action", use(action="click", coordinate=[500, 500]), MIDDLE),
    ("the action line alone", use(OWL, action="click", coordinate=[500, 500]), MIDDLE),
    ("no thought, an empty line first", "\n" + use(action="click", coordinate=[500, 500]), MIDDLE),
    ("a call in one line", OWL + '<tool_call>{"name": "mobile_use", "arguments": {"action": "click", '
     '"coordinate": [500, 500]}}</tool_call>', MIDDLE),
    ("reasoning with only its end", "The entry is there.</think>\n\n" + use(QWEN, action="click",
     coordinate=[500, 500]), MIDDLE),
    ("thinking before and conclusion after, as GUI-Owl had them", "<thinking>I tap it.</thinking>\n"
     + use(action="click", coordinate=[500, 500]) + "\n<conclusion>Tapped.</conclusion>", MIDDLE),
    ("another symbol for the closing tag", use(OWL, action="click", coordinate=[500, 500]).replace("</tool_call>", "⚗"),
     MIDDLE),
    ("no closing tag", use(OWL, action="click", coordinate=[500, 500]).replace("\n</tool_call>", ""), MIDDLE),
    ("the next turn and the same call", use(OWL, action="click", coordinate=[500, 500]) + "\nuser\n"
     + use(action="click", coordinate=[500, 500]), MIDDLE),
    ("the next turn and another call", use(OWL, action="click", coordinate=[500, 500]) + "\nuser\n"
     + use(action="click", coordinate=[1, 1]), "different actions"),
    ("long_press", use(OWL, action="long_press", coordinate=[500, 500], time=2), LongPress(x=500, y=1000, ms=2000)),
    ("swipe", use(OWL, action="swipe", coordinate=[500, 750], coordinate2=[500, 250]),
     Swipe(x1=500, y1=1500, x2=500, y2=500)),
    ("scroll, which GUI-Owl's own runner takes for swipe",
     use(OWL, action="scroll", coordinate=[500, 750], coordinate2=[500, 250]), Swipe(x1=500, y1=1500, x2=500, y2=500)),
    ("type with braces and a line break at its end", use(OWL, action="type", text="{a: {b}}\n"),
     Type(text="{a: {b}}\n")),
    ("Back", use(OWL, action="system_button", button="Back"), Back()),
    ("Home", use(OWL, action="system_button", button="Home"), Home()),
    ("Enter", use(OWL, action="system_button", button="Enter"), Enter()),
    ("Menu", use(OWL, action="system_button", button="Menu"), SwitchApp()),
    ("open", use(OWL, action="open", text="Clock"), OpenApp(app="Clock")),
    ("wait", use(OWL, action="wait", time=2), Wait(seconds=2)),
    ("answer does not end the episode", use(OWL, action="answer", text="It is 5."), Answer(text="It is 5.")),
    ("terminate", use(OWL, action="terminate", status="success"), Stop()),
    ("terminate with failure", use(OWL, action="terminate", status="failure"), "gave up"),
    ("key enter", use(OWL, action="key", text="enter"), Enter()),
    ("key by adb's name", use(OWL, action="key", text="KEYCODE_APP_SWITCH"), SwitchApp()),
    ("key volume_up", use(OWL, action="key", text="volume_up"), "'volume_up' is not pressed here"),
    ("key clear", use(OWL, action="key", text="clear"), "'clear' is not pressed here"),
    ("key without its name", use(OWL, action="key"), "needs 'text'"),
    ("key with a place", use(OWL, action="key", text="back", coordinate=[1, 1]), "takes no 'coordinate'"),
    ("interact", use(OWL, action="interact", text="Please log in."), AskPerson(text="Please log in.")),
    ("ask_user, MobileWorld's addition", use(OWL, action="ask_user", text="Which one?"), AskPerson(text="Which one?")),
    ("call_user", use(OWL, action="call_user"), AskPerson(text=ASKS)),
    ("interact with no text", use(OWL, action="interact", text=5), "no text"),
    ("interact with a place", use(OWL, action="interact", text="a", coordinate=[1, 1]), "takes no 'coordinate'"),
    ("clear_text, MadeAgents' addition", use(OWL, action="clear_text"), "no action 'clear_text'"),
    ("take_note", use(OWL, action="take_note", text="a"), "no action 'take_note'"),
    ("a box", use(OWL, action="click", coordinate=[490, 490, 510, 510]), "a list of two numbers"),
    ("four numbers of the hosted GUI-Owl", "Operation: Click (500, 500, 510, 510)", "no whole JSON object"),
    ("pixels where 0 to 1000 was asked", use(OWL, action="click", coordinate=[540, 1900]), "outside the screen"),
    ("not found", use(OWL, action="click", coordinate=[-1, -1]), "must be at least 0"),
    ("999, the far edge of the prompt", use(OWL, action="click", coordinate=[999, 999]), Tap(x=999, y=1998)),
    ("1000, the far edge", use(OWL, action="click", coordinate=[1000, 1000]), Tap(x=999, y=1999)),
    ("prose alone", "I would tap the first entry at (500, 500).", "no whole JSON object"),
    ("a script", "from selenium import webdriver\ndriver.click(500, 500)", "no whole JSON object"),
    ("nothing", "", "empty"),
    ("cut off", use(OWL, action="click", coordinate=[500, 500])[:-24], "not whole"),
)  # fmt: skip
def test_mobile_use(dialect: str, text: str, expected: Action | str) -> None:
    check(dialect, text, expected)


@cases(
    ("XML", "<tool_call>\n<function=mobile_use>\n<parameter=action>\nclick\n</parameter>\n<parameter=coordinate>\n"
     "[500, 500]\n</parameter>\n</function>\n</tool_call>", MIDDLE),
    ("XML key", "<function=mobile_use>\n<parameter=action>\nkey\n</parameter>\n<parameter=text>\nback\n</parameter>\n"
     "</function>", Back()),
    ("XML without the opening tag", "<function=mobile_use>\n<parameter=action>\nclick\n</parameter>\n"
     "<parameter=coordinate>[500, 500]</parameter>\n</function>\n</tool_call>", MIDDLE),
    ("reasoning that never ends before the call", "<think>I tap it.\n" + use(action="click", coordinate=[500, 500]),
     MIDDLE),
)  # fmt: skip
def test_mobile_use_of_qwen35(text: str, expected: Action | str) -> None:
    check("qwen3.5", text, expected)


def test_pixels_of_the_resized_picture_become_pixels_of_the_screen() -> None:
    call = use(action="click", coordinate=[504, 994])
    assert action_in("qwen2.5-vl", call) == action_in("gui-owl", call) == MIDDLE


# ---------------------------------------------------------------------------- MAI-UI
def mai(thinking: str = "I tap it.", **arguments: Any) -> str:
    call = json.dumps({"name": "mobile_use", "arguments": arguments}, separators=(",", ":"))
    return f"<thinking>\n{thinking}\n</thinking>\n<tool_call>\n{call}\n</tool_call>"


@cases(
    ("click", mai(action="click", coordinate=[500, 500]), MIDDLE),
    ("a box, whose centre its own code taps", mai(action="click", coordinate=[490, 480, 510, 520]), MIDDLE),
    ("a box with its sides exchanged", mai(action="click", coordinate=[510, 480, 490, 520]), "neither a point nor a"),
    ("three numbers", mai(action="click", coordinate=[510, 480, 490]), "a list of two numbers"),
    ("</think> in the place of </thinking>", mai(action="click", coordinate=[500, 500]).replace("</thinking>",
     "</think>"), MIDDLE),
    ("no thinking", mai(action="click", coordinate=[500, 500]).partition("</thinking>\n")[2], MIDDLE),
    ("long_press", mai(action="long_press", coordinate=[500, 500]), LongPress(x=500, y=1000)),
    ("type", mai(action="type", text='a "b"\n'), Type(text='a "b"\n')),
    ("swipe up", mai(action="swipe", direction="up"), Swipe(x1=500, y1=1000, x2=500, y2=600)),
    ("swipe down", mai(action="swipe", direction="down"), Swipe(x1=500, y1=1000, x2=500, y2=1400)),
    ("swipe left at a place", mai(action="swipe", direction="left", coordinate=[900, 250]),
     Swipe(x1=900, y1=500, x2=500, y2=500)),
    ("swipe right near the edge", mai(action="swipe", direction="right", coordinate=[900, 250]),
     Swipe(x1=900, y1=500, x2=999, y2=500)),
    ("swipe off the screen", mai(action="swipe", direction="right", coordinate=[1000, 250]), "leaves the screen"),
    ("swipe without a direction", mai(action="swipe", coordinate=[500, 250]), "needs 'coordinate2'"),
    ("swipe somewhere", mai(action="swipe", direction="forward"), "no direction 'forward'"),
    ("a direction and an end", mai(action="swipe", direction="up", coordinate2=[1, 1]), "takes no 'coordinate2'"),
    ("drag", mai(action="drag", start_coordinate=[500, 500], end_coordinate=[100, 500]),
     Swipe(x1=500, y1=1000, x2=100, y2=1000)),
    ("drag without its end", mai(action="drag", start_coordinate=[500, 500]), "needs 'end_coordinate'"),
    ("drag to nowhere", mai(action="drag", start_coordinate=[5, 5], end_coordinate=[5, 5]), "two different points"),
    ("open", mai(action="open", text="Clock"), OpenApp(app="Clock")),
    ("back", mai(action="system_button", button="back"), Back()),
    ("home", mai(action="system_button", button="home"), Home()),
    ("menu", mai(action="system_button", button="menu"), SwitchApp()),
    ("enter", mai(action="system_button", button="enter"), Enter()),
    ("wait", mai(action="wait"), Wait()),
    ("answer", mai(action="answer", text="It's 5."), Answer(text="It's 5.")),
    ("terminate", mai(action="terminate", status="success"), Stop()),
    ("terminate with fail", mai(action="terminate", status="fail"), "gave up"),
    ("double_click", mai(action="double_click", coordinate=[500, 500]), "a double tap is none of the actions"),
    ("ask_user", mai(action="ask_user", text="Which?"), AskPerson(text="Which?")),
    ("a tool of its own name", '<thinking>x</thinking>\n<tool_call>\n{"name":"calendar_add","arguments":{"day":5}}\n'
     "</tool_call>", "no action or shortcut 'calendar_add'"),
    ("the grounding form", "<grounding_think>It is there.</grounding_think>\n<answer>\n{\"coordinate\":[500,500]}\n"
     "</answer>", "unknown key 'coordinate'"),
)  # fmt: skip
def test_mai_ui(text: str, expected: Action | str) -> None:
    check("mai-ui", text, expected)


# ---------------------------------------------------------------------------- UI-TARS
TARS = "Thought: 我点它。\nAction: "


@cases(
    ("click, 1.5", TARS + "click(start_box='(504,994)')", MIDDLE),
    ("click with the box's tokens", TARS + "click(start_box='<|box_start|>(504,994)<|box_end|>')", MIDDLE),
    ("a box, whose centre is meant", TARS + "click(start_box='(494,984,514,1004)')", MIDDLE),
    ("a box in square brackets", TARS + "click(start_box='[494, 984, 514, 1004]')", MIDDLE),
    ("a point in square brackets", TARS + "click(start_box='[504, 994]')", MIDDLE),
    ("the same with the box's tokens", TARS + "click(start_box='<|box_start|>[504,994]<|box_end|>')", MIDDLE),
    ("brackets that do not fit", TARS + "click(start_box='[504,994)')", "is no point"),
    ("three numbers in square brackets", TARS + "click(start_box='[504,994,3]')", "is no point"),
    ("Doubao's box", TARS + "click(start_box='<bbox>504 994 504 994</bbox>')", MIDDLE),
    ("Seed's point", TARS + "click(point='<point>504 994</point>')", MIDDLE),
    ("double quotation marks", TARS + 'click(start_box="(504, 994)")', MIDDLE),
    ("a full-width colon", "Thought: x\nAction： click(start_box='(504,994)')", MIDDLE),
    ("no thought", "Action: click(start_box='(504,994)')", MIDDLE),
    ("the call alone", "click(start_box='(504,994)')", MIDDLE),
    ("a damaged place", TARS + "click(start_box='=')", "is no point"),
    ("a place with one number", TARS + "click(start_box='(504)')", "is no point"),
    ("a place without its end", TARS + "click(start_box='(504,99')", "is no point"),
    ("no place", TARS + "click()", "lacks 'start_box'"),
    ("two places", TARS + "click(start_box='(504,994)', point='<point>1 1</point>')", "is given 'start_box' and"),
    ("outside", TARS + "click(start_box='(504,2100)')", "outside the screen"),
    ("long_press", TARS + "long_press(start_box='(504,994)', time='')", LongPress(x=500, y=1000)),
    ("type", TARS + "type(content='Bob\\'s \"5\"')", Type(text="Bob's \"5\"")),
    ("type and submit", TARS + "type(content='cats\\n')", Type(text="cats\n")),
    ("type with an apostrophe", TARS + "type(content='Bob's')", Type(text="Bob's")),
    ("a call in what is typed", TARS + "type(content='Action: press_home()')", Type(text="Action: press_home()")),
    ("scroll down shows what is below", TARS + "scroll(start_box='(504,994)', direction='down')",
     Swipe(x1=500, y1=1000, x2=500, y2=600)),
    ("scroll by a point", TARS + "scroll(point='<point>504 994</point>', direction='left')",
     Swipe(x1=500, y1=1000, x2=900, y2=1000)),
    ("scroll of 1.0", TARS + "scroll(start_box='(504,994)', end_box='(504,497)')",
     Swipe(x1=500, y1=1000, x2=500, y2=500)),
    ("scroll without a direction", TARS + "scroll(start_box='(504,994)')", "no direction"),
    ("scroll both ways", TARS + "scroll(start_box='(504,994)', end_box='(1,1)', direction='up')", "or in a direction"),
    ("open_app", TARS + "open_app(app_name='Clock')", OpenApp(app="Clock")),
    ("drag", TARS + "drag(start_box='(504,994)', end_box='(504,497)')", Swipe(x1=500, y1=1000, x2=500, y2=500)),
    ("drag between points", TARS + "drag(start_point='<point>504 994</point>', end_point='<point>504 497</point>')",
     Swipe(x1=500, y1=1000, x2=500, y2=500)),
    ("press_home", TARS + "press_home()", Home()),
    ("press_back", TARS + "press_back()", Back()),
    ("wait", TARS + "wait()", Wait()),
    ("finished", TARS + "finished(content='It is 5.')", Stop()),
    ("finished without words", TARS + "finished()", Stop()),
    ("call_user", TARS + "call_user()", AskPerson(text=ASKS)),
    ("a computer's function", TARS + "hotkey(key='ctrl c')", "'hotkey' is none of the functions"),
    ("several calls", TARS + "click(start_box='(504,994)')\n\nclick(start_box='(5,9)')", "different actions"),
    ("a second call after the end of the message", TARS + "click(start_box='(504,994)')<|im_end|>\npress_home()",
     "different actions"),
    ("a leftover token", TARS + "click(start_box='(504,994)')<|im_end|>", MIDDLE),
    ("the call quoted", "Thought: I must not write\nclick(start_box='(504,994)')\nhere.", "words follow"),
    ("words without a mark", "I click it.\nclick(start_box='(504,994)')", "not marked as a thought"),
    ("newer Seed models' wrapper", '<tool_call>\n{"name": "gui", "parameters": {"action": "click(point=\'<point>5 5'
     "</point>')\"}}\n</tool_call>", "no name with arguments"),
)  # fmt: skip
def test_ui_tars(text: str, expected: Action | str) -> None:
    check("ui-tars-1.5", text, expected)


# ---------------------------------------------------------------------------- AutoGLM-Phone
def glm(call: str, thought: str = "我点它。") -> str:
    return f"<think>{thought}</think>\n<answer>{call}</answer>"


@cases(
    ("Launch", glm('do(action="Launch", app="Clock")'), OpenApp(app="Clock")),
    ("Tap", glm('do(action="Tap", element=[500,500])'), MIDDLE),
    ("Tap on what is sensitive", glm('do(action="Tap", element=[500,500], message="Pay")'), MIDDLE),
    ("the stop token in the place of </answer>", glm('do(action="Tap", element=[500,500])').removesuffix("</answer>"),
     MIDDLE),
    ("on lines of their own", '<think>\nx\n</think>\n<answer>\ndo(action="Tap", element=[500,500])\n</answer>', MIDDLE),
    ("in GLM's box tokens", '<think>x</think><|begin_of_box|>do(action="Tap", element=[500,500])<|end_of_box|>',
     MIDDLE),
    ("the answer alone", 'do(action="Tap", element=[500,500])', MIDDLE),
    ("think is never closed", '<think>x\n<answer>do(action="Tap", element=[500,500])</answer>', MIDDLE),
    ("think is never closed, nor the answer", '<think>x\n<answer>do(action="Tap", element=[500,500])', "no whole JSON"),
    ("the placeholder", glm('do(action="Tap", element=[x,y])'), "cannot be read"),
    ("one number", glm('do(action="Tap", element=[500])'), "is no point"),
    ("outside", glm('do(action="Tap", element=[500,1200])'), "outside the screen"),
    ("Type clears the field first", glm('do(action="Type", text="a b")'), Type(text="a b", clear=True)),
    ("Type_Name", glm('do(action="Type_Name", text="王")'), Type(text="王", clear=True)),
    ("Type with a line break", glm('do(action="Type", text="a\nb")'), Type(text="a\nb", clear=True)),
    ("Type with quotation marks", glm('do(action="Type", text="say "hi" to")'),
     Type(text='say "hi" to', clear=True)),
    ("forms mixed", "<think>x</think>\n<answer>[{'Type', text=\"a\")</answer>", "no whole JSON object"),
    ("Swipe", glm('do(action="Swipe", start=[500,750], end=[500,250])'), Swipe(x1=500, y1=1500, x2=500, y2=500)),
    ("Swipe without an end", glm('do(action="Swipe", start=[500,750])'), "lacks 'end'"),
    ("Long Press", glm('do(action="Long Press", element=[500,500])'), LongPress(x=500, y=1000)),
    ("Double Tap", glm('do(action="Double Tap", element=[500,500])'), "a double tap is none of the actions"),
    ("Back", glm('do(action="Back")'), Back()),
    ("Home", glm('do(action="Home")'), Home()),
    ("Wait", glm('do(action="Wait", duration="4 seconds")'), Wait(seconds=4)),
    ("Wait for x seconds", glm('do(action="Wait", duration="x seconds")'), "no number of seconds"),
    ("Take_over", glm('do(action="Take_over", message="Log in")'), AskPerson(text="Log in")),
    ("Interact", glm('do(action="Interact")'), AskPerson(text=ASKS)),
    ("Note", glm('do(action="Note", message="True")'), "a note is no action"),
    ("Call_API", glm('do(action="Call_API", instruction="Sum up")'), "no such service"),
    ("an unknown action", glm('do(action="Fly")'), "no action 'Fly'"),
    ("an argument too many", glm('do(action="Home", app="Clock")'), "takes no 'app'"),
    ("finish", glm('finish(message="Done.")'), Stop()),
    ("finish with a call in its words", glm('finish(message="I used\ndo(action=\\"Home\\")")'), Stop()),
    ("two calls", glm('do(action="Home")\ndo(action="Back")'), "different actions"),
    ("an unreadable answer is no finish", glm("I am done."), "no whole JSON object"),
)  # fmt: skip
def test_autoglm_phone(text: str, expected: Action | str) -> None:
    check("autoglm-phone", text, expected)


# ---------------------------------------------------------------------------- UI-Venus-2
def venus(call: str, thought: str = "我点它。") -> str:
    return f"<think>{thought}</think>\n<action>{call}</action>"


ALBUM = "content='已打开酷我音乐，播放内容为“我的收藏”。'"
"""Words of the last reply in the example of the makers."""


@cases(
    # models/mobile/examples/example_output.json of UI-Venus's repository, commit 81945ac
    ("launch", venus("LaunchApp(app='酷我音乐')", "The first step is to open Kuwo Music."), OpenApp(app="酷我音乐")),
    ("click", venus("Click(point=(897, 937))", "I should enter the My page."), Tap(x=897, y=1874)),
    ("click near the edge", venus("Click(point=(666, 76))"), Tap(x=666, y=152)),
    ("finished", venus(f"Finished({ALBUM})", "The screen confirms 07:30."), Stop()),
    # Venus_framework/Venus_plugin_browser's tests, same commit
    ("on one line", "<think>The box is visible.</think><action>Click(point=(500,500))</action>", MIDDLE),
    ("without the tag that opens the thought", "The box.</think><action>Click(point=(500,500))</action>", MIDDLE),
    # mobile_example.py and ui_venus_2_policy.py, same commit: the functions, and what their parsers take and refuse
    ("a box", venus("Click(box=(500, 500))"), MIDDLE),
    ("a point and a box", venus("Click(point=(500, 500), box=(5, 5))"), "is given 'point' and 'box'"),
    ("a list", venus("Click(point=[500, 500])"), MIDDLE),
    ("a fraction", venus("Click(point=(500.4, 499.6))"), MIDDLE),
    ("the last unit", venus("Click(point=(999, 999))"), Tap(x=999, y=1998)),
    ("beyond the last unit", venus("Click(point=(1000, 500))"), "coordinates end at 999"),
    ("rounded beyond it", venus("Click(point=(500, 999.7))"), "coordinates end at 999"),
    ("below zero", venus("Click(point=(-1, 500))"), "at least 0"),
    ("one number", venus("Click(point=(500))"), "is no point"),
    ("four numbers", venus("Click(box=(400, 400, 600, 600))"), "is no point"),
    ("a truth value", venus("Click(point=(True, 500))"), "True"),
    ("the placeholder", venus("Click(point=(x1, y1))"), "cannot be read"),
    ("a formula", venus("Click(point=(250 + 250, 500))"), "cannot be read"),
    ("no name", venus("Click((500, 500))"), "each argument has its name"),
    ("no point", venus("Click()"), "lacks 'point'"),
    ("a double click", venus("DoubleClick(point=(500, 500))"), "a double tap is none of the actions"),
    ("a long press", venus("LongPress(point=(500, 500))"), LongPress(x=500, y=1000)),
    ("a swipe", venus("Swipe(start=(500, 750), end=(500, 250))"), Swipe(x1=500, y1=1500, x2=500, y2=500)),
    ("a drag", venus("Drag(start=(500, 750), end=(500, 250))"), Swipe(x1=500, y1=1500, x2=500, y2=500)),
    ("a swipe beyond", venus("Swipe(start=(500, 750), end=(500, 1000))"), "coordinates end at 999"),
    ("a swipe without an end", venus("Swipe(start=(500, 750))"), "lacks 'end'"),
    ("what is typed replaces the field's text", venus("Type(content='a b')"), Type(text="a b", clear=True)),
    ("a line break in what is typed", venus("Type(content='a\nb')"), Type(text="a\nb", clear=True)),
    ("an escape", venus(r"Type(content='it\'s (5)')"), Type(text="it's (5)", clear=True)),
    ("an apostrophe", venus("Type(content='it's')"), Type(text="it's", clear=True)),
    ("double quotation marks", venus('Type(content="a b")'), Type(text="a b", clear=True)),
    ("nothing to type", venus("Type(content='')"), "needs 'content', a text"),
    ("a call in what is typed", venus("Type(content='PressHome()')"), Type(text="PressHome()", clear=True)),
    ("wait", venus("Wait()"), Wait()),
    ("call a person", venus("CallUser(content='Which one?')"), AskPerson(text="Which one?")),
    ("a picture for the album", venus("GetScreenshot()"), "into the phone's album"),
    ("back", venus("PressBack()"), Back()),
    ("home", venus("PressHome()"), Home()),
    ("enter", venus("PressEnter()"), Enter()),
    ("recent apps", venus("PressRecent()"), SwitchApp()),
    ("answer", venus("Answer(content='It is 5.')"), Answer(text="It is 5.")),
    ("finished without words", venus("Finished()"), Stop()),
    ("a function of version 1.5", venus("Launch(app='Clock')"), "'Launch' is none of the functions"),
    ("an argument too many", venus("PressHome(app='Clock')"), "takes no 'app'"),
    ("blanks inside the tags", "<think> x </think>\n<action> PressHome() </action>", Home()),
    ("the last tag is missing", "<think>x</think>\n<action>PressHome()", Home()),
    ("think is never closed", "<think>x\n<action>PressHome()</action>", Home()),
    ("think is never closed, nor the action", "<think>x\n<action>PressHome()", "no whole JSON object"),
    ("version 1.5's conclusion", f"{venus('PressHome()')}\n<conclusion>Go home.</conclusion>", Home()),
    ("two calls", venus("PressHome()\nPressBack()"), "different actions"),
    ("two tags", f"{venus('PressHome()')}\n<action>PressBack()</action>", "different actions"),
    ("thought after the action", f"{venus('PressHome()')}<think>No.</think>", "the reasoning ends twice"),
    ("a quoted action", "<think>x</think>\nI must not write <action>PressHome()</action> now.", "no whole JSON object"),
    ("an unreadable answer is no end", venus("I am done."), "no whole JSON object"),
)  # fmt: skip
def test_ui_venus_2(text: str, expected: Action | str) -> None:
    check("ui-venus-2", text, expected)


@cases(
    # models/navigation/utils.py and Venus_framework of UI-Venus's repository, commit c3a1442: prompts and parsers
    ("click", f"{venus('Click(box=(500,500))')}\n<conclusion>Open it.</conclusion>", MIDDLE),
    ("without a conclusion", venus("Click(box=(500,500))"), MIDDLE),
    ("scroll", venus("Scroll(start=(500,750), end=(500,250))"), Swipe(x1=500, y1=1500, x2=500, y2=500)),
    ("a computer's scroll", venus("Scroll(direction='down')"), "lacks 'start'"),
    ("drag", venus("Drag(start=(500,750), end=(500,250))"), Swipe(x1=500, y1=1500, x2=500, y2=500)),
    ("launch", venus("Launch(app='Clock')"), OpenApp(app="Clock")),
    ("a page", venus("Launch(url='a.b')"), "needs 'app', a text"),
    ("tell the user", venus("CallUser(content='It is 5.')"), Answer(text="It is 5.")),
    ("type", venus("Type(content='a b')"), Type(text="a b", clear=True)),
    ("finished", venus("Finished(content='')"), Stop()),
    ("a function of version 2", venus("LaunchApp(app='Clock')"), "'LaunchApp' is none of the functions"),
    ("a computer's function", venus("Hover(box=(500,500))"), "'Hover' is none of the functions"),
    ("outside", venus("Click(box=(500,1001))"), "outside the screen"),
)  # fmt: skip
def test_ui_venus_15(text: str, expected: Action | str) -> None:
    check("ui-venus-1.5", text, expected)


# ---------------------------------------------------------------------------- GELab-Zero
def gelab(action: str, summary: str = "点了开关。", think: str = "我点它。") -> str:
    return f"<THINK> {think} </THINK>\nexplain:点击开关\taction:{action}\tsummary:{summary}\n"


@cases(
    # copilot_tools/parser_0920_summary.py of gelab-zero, commit 19465cf: prompt, action2str and str2action
    ("click", gelab("CLICK\tpoint:500,500"), MIDDLE),
    ("a blank in the point", gelab("CLICK\tpoint:500 500"), MIDDLE),
    ("small tags", gelab("CLICK\tpoint:500,500").replace("THINK", "think"), MIDDLE),
    ("no tags", "explain:x\taction:CLICK\tpoint:500,500\tsummary:y", MIDDLE),
    ("the prompt's placeholder", gelab("CLICK\tpoint:x,y"), "is no point"),
    ("type", gelab("TYPE\tvalue:a b: c\tpoint:500,500"), Type(text="a b: c")),
    ("type without a place", gelab("TYPE\tvalue:a b"), "lacks 'point'"),
    ("a tab is missing", gelab("TYPE\tvalue:a bpoint:500,500"), "lacks 'point'"),
    ("type what looks like a point", gelab("TYPE\tvalue:12,30\tpoint:500,500"), Type(text="12,30")),
    ("complete", gelab("COMPLETE\treturn:It is 5."), Stop()),
    ("wait", gelab("WAIT\tvalue:2"), Wait(seconds=2)),
    ("awake", gelab("AWAKE\tvalue:Clock"), OpenApp(app="Clock")),
    ("ask", gelab("INFO\tvalue:Which one?"), AskPerson(text="Which one?")),
    ("abort", gelab("ABORT\tvalue:No way."), "gave up"),
    ("slide", gelab("SLIDE\tpoint1:500,750\tpoint2:500,250"), Swipe(x1=500, y1=1500, x2=500, y2=500)),
    ("long press", gelab("LONGPRESS\tpoint:500,500"), LongPress(x=500, y=1000)),
    ("outside", gelab("CLICK\tpoint:500,1001"), "outside the screen"),
    ("a fraction", gelab("CLICK\tpoint:500.5,500"), "is no point"),
    ("no point", gelab("CLICK"), "lacks 'point'"),
    ("an argument too many", gelab("WAIT\tvalue:2\tpoint:1,1"), "takes no 'point'"),
    ("an unknown action", gelab("HOT_KEY\tvalue:back"), "'HOT_KEY' is none of the actions"),
    ("a part twice", gelab("CLICK\tpoint:500,500\tpoint:5,5"), "each once"),
    ("an unknown part", gelab("CLICK\tplace:500,500"), "each once"),
    ("no summary", "<THINK>x</THINK>\nexplain:x\taction:CLICK\tpoint:500,500", "and summary"),
    ("words behind", gelab("CLICK\tpoint:500,500") + "That would be wrong.", "each once, in a line"),
    ("words before", "<THINK>x</THINK>\nDo not: explain:x\taction:WAIT\tsummary:y", "each once"),
    ("two lines", f"{gelab('WAIT')}explain:x\taction:WAIT\tsummary:y", "each once"),
    ("blanks for tabs", gelab("CLICK\tpoint:500,500").replace("\t", " "), "no whole JSON object"),
)  # fmt: skip
def test_gelab_zero(text: str, expected: Action | str) -> None:
    check("gelab-zero", text, expected)


# ---------------------------------------------------------------------------- Holo
def holo(tool: str, note: str | None = None, thought: str = "Act carefully.", **arguments: Any) -> str:
    return json.dumps({"note": note, "thought": thought, "tool_call": {"tool_name": tool, **arguments}})


AT = {"element": "the switch", "x": 500, "y": 500}


@cases(
    # second hand: the test of NeMo Gym's scaffold for Holo3 (test_holo3_agent.py), which follows H's guide
    ("click", holo("click", note="Settings is visible.", element="Settings button", x=500, y=250, button="left"),
     Tap(x=500, y=500)),
    ("write", holo("write", content="hello", press_enter=True, overwrite=True), Type(text="hello\n", clear=True)),
    ("scroll", holo("scroll", **AT, direction="down"), Swipe(x1=500, y1=1000, x2=500, y2=600)),
    ("a size of scroll", holo("scroll", **AT, direction="down", scroll_size=7), "scroll takes element"),
    ("a desktop's keys", holo("hotkey", keys=["ctrl", "s"], repeat_count=2), "'hotkey' is none of the tools"),
    ("wait", holo("wait", duration=1), Wait(seconds=1)),
    ("answer", holo("answer", content="Completed."), Stop()),
    ("no tool", '{"thought":"missing tool"}', "missing"),
    # by our schema
    ("under thoughts", f"<think>I see.</think>\n{holo('click', **AT)}", MIDDLE),
    ("in a fence", f"```json\n{holo('click', **AT)}\n```", MIDDLE),
    ("the far corner", holo("click", element="it", x=1000, y=1000), Tap(x=999, y=1999)),
    ("outside", holo("click", element="it", x=1001, y=500), "outside the screen"),
    ("no place", holo("click", element="it"), "lacks 'x'"),
    ("another button", holo("click", **AT, button="right"), "takes no 'button'"),
    ("hold", holo("long_press", **AT), LongPress(x=500, y=1000)),
    ("swipe", holo("swipe", x1=500, y1=750, x2=500, y2=250), Swipe(x1=500, y1=1500, x2=500, y2=500)),
    ("write alone", holo("write", content="a b"), Type(text="a b")),
    ("a word for a flag", holo("write", content="a", overwrite="yes"), "of another type"),
    ("nothing to write", holo("write"), "a text that is not empty"),
    ("open", holo("open_app", app="Clock"), OpenApp(app="Clock")),
    ("press", holo("press", button="recents"), SwitchApp()),
    ("another thing to press", holo("press", button="power"), "no button 'power'"),
    ("a scroll without a place", holo("scroll", direction="down"), "scroll takes element"),
    ("a tool's arguments apart", '{"note": null, "thought": "t", "tool_call": {"tool_name": "click", "arguments": '
     '{"x": 500, "y": 500}}}', "takes no 'arguments'"),
    ("a key too many", '{"thought": "t", "tool_call": {"tool_name": "wait"}, "x": 5}', '"tool_call" only'),
    ("a call in the note", holo("wait", note='{"tool_call": {"tool_name": "click"}}'), Wait()),
    ("two calls", f"{holo('press', button='back')}\n{holo('press', button='home')}", "different actions"),
    ("the call again", f"{holo('press', button='back')}\n{holo('press', button='back')}", Back()),
    ("two thoughts", f"{holo('wait')}\n{holo('wait', thought='Or not.')}", "two different objects"),
    ("quoted", f"I must not write {holo('press', button='back')} now.", "within a sentence"),
    ("a broken object before it", '{"note": 5 6}\n' + holo("wait"), "a broken object"),
    ("cut", holo("write", content="two words")[:-9], "no whole JSON object"),
)  # fmt: skip
def test_holo(text: str, expected: Action | str) -> None:
    check("holo-3.1", text, expected)


def test_holos_note_is_kept_and_its_answer_is_for_the_user() -> None:
    reply = parse(in_form(NativeFirstReply, HOLO), holo("answer", note="Price: 5", content="It is 5."))
    assert (reply.notes, reply.thought, reply.final_words) == ("Price: 5", "Act carefully.\nIt is 5.", "It is 5.")
    thought = "Notes: Price: 6\nI see."
    assert parse(in_form(NativeFirstReply, HOLO), holo("wait", note="Price: 5", thought=thought)).notes == "Price: 6"


# ---------------------------------------------------------------------------- all of them
def test_what_ends_a_task_keeps_its_words_as_a_thought_and_for_the_user() -> None:
    reply = read_reply("ui-tars-1.5", "Thought: All is done.\nAction: finished(content='It is 5.')")
    assert (reply.thought, reply.final_words) == ("All is done.\nIt is 5.", "It is 5.")
    reply = read_reply("autoglm-phone", glm('finish(message="It is 5.")', ""))
    assert (reply.thought, reply.final_words) == ("It is 5.", "It is 5.")
    assert read_reply("autoglm-phone", '<think>All is done.\n<answer>finish(message="5")</answer>').final_words == "5"
    assert not read_reply("ui-tars-1.5", f"{TARS}finished()").final_words
    assert read_reply("ui-venus-2", venus("Finished(content='5')")).final_words == "5"
    with pytest.raises(ReplyUnusable, match="two different texts"):
        read_reply("ui-tars-1.5", f"{TARS}finished(content='5')\nfinished(content='6')")


def test_thought_and_expectation_come_from_the_marks() -> None:
    reply = read_reply("qwen3-vl", use(QWEN, action="click", coordinate=[500, 500]))
    assert (reply.thought, reply.expectation) == ("The list is open.", "Tap the first entry.")
    assert read_reply("mai-ui", mai("I tap it.", action="wait")).thought == "I tap it."
    assert read_reply("autoglm-phone", glm('do(action="Home")', "I go home.")).thought == "I go home."
    assert read_reply("autoglm-phone", '<think>x\n<answer>do(action="Home")</answer>').thought == "x"
    assert read_reply("ui-venus-2", "<think>x\n<action>PressHome()</action>").thought == "x"


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("qwen3-vl", TARS + "click(start_box='(504,994)')"),
        ("qwen3-vl", glm('do(action="Tap", element=[500,500])')),
        ("qwen3-vl", mai(action="swipe", direction="up")),
        ("ui-tars-1.5", glm('do(action="Tap", element=[500,500])')),
        ("autoglm-phone", venus("Click(point=(500, 500))")),
        ("ui-venus-2", glm('do(action="Tap", element=[500,500])')),
        ("ui-venus-2", TARS + "press_home()"),
        ("ui-venus-2", holo("wait")),
        ("holo-3.1", venus("Wait()")),
        ("gelab-zero", venus("Wait()")),
        ("autoglm-phone", TARS + "press_home()"),
    ],
)
def test_another_familys_form_is_refused(dialect: str, text: str) -> None:
    with pytest.raises(ReplyUnusable):
        read_reply(dialect, text)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_every_family_may_answer_in_our_json(dialect: str) -> None:
    action = {"name": "Tap", "x": 504, "y": 994}
    text = json.dumps({"thought": "t", "action": action, "expectation": "e"})
    assert read_reply(dialect, text).action.model_dump() == action


@pytest.mark.parametrize(
    ("model", "dialect", "form"),
    [
        ("Tongyi-MAI/MAI-UI-8B", "mai-ui", MAI_UI),
        ("zai-org/AutoGLM-Phone-9B", "autoglm-phone", AUTOGLM),
        ("inclusionAI/UI-Venus-2-27B", "ui-venus-2", UI_VENUS),
        ("ByteDance-Seed/UI-TARS-1.5-7B", "ui-tars-1.5", UI_TARS),
        ("mPLUG/GUI-Owl-1.5-8B-Instruct", "gui-owl-1.5", MOBILE_USE),
        ("Qwen/Qwen3-VL-8B-Instruct", "qwen3-vl", MOBILE_USE),
    ],
)
def test_the_model_tells_the_form(model: str, dialect: str, form: str) -> None:
    found = dialect_of(model)
    assert found is not None
    assert (found.name, found.form) == (dialect, form)


@pytest.mark.parametrize("text", ["Hello!", "{'x': 1", '{"coordinate": [5, 6]}'])
@pytest.mark.parametrize(
    ("dialect", "missing"),
    [
        ("qwen3-vl", "no <tool_call> of mobile_use"),
        ("gui-owl-1.5", "no <tool_call> of mobile_use"),
        ("mai-ui", "no <tool_call> of mobile_use"),
        ("ui-tars-1.5", "no line Action: with a function"),
        ("autoglm-phone", "no do(action=...) and no finish(message=...) in <answer>"),
        ("ui-venus-2", "no function in <action>"),
        ("holo-3.1", 'no object with a "tool_call"'),
        ("gelab-zero", "no line of parts that tabs part"),
    ],
)
def test_the_error_names_the_form_in_which_the_model_was_asked(dialect: str, missing: str, text: str) -> None:
    kind = in_form(DecideReply, dialect_named(dialect).form)
    with pytest.raises(ReplyUnusable) as refused:
        read(kind, text, own_form=True)
    assert str(refused.value).startswith(f"the answer holds {missing}")
    with pytest.raises(ReplyUnusable) as refused:
        read(kind, text)
    assert missing not in str(refused.value)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("gui-owl-1.5", use(action="interact", text="Please log in.")),
        ("mai-ui", use(action="ask_user", text="Which?")),
        ("ui-tars-1.5", "Thought: a\nAction: call_user()"),
        ("autoglm-phone", '<answer>do(action="Take_over", message="Log in")</answer>'),
        ("ui-venus-2", "<action>CallUser(content='Which one?')</action>"),
    ],
)
def test_where_nobody_answers_a_person_cannot_be_asked(dialect: str, text: str) -> None:
    reply = without_actions(in_form(DecideReply, dialect_named(dialect).form), frozenset({ASK}))
    with pytest.raises(ReplyUnusable, match="no person answers"):
        parse(reply, text)


def test_a_form_changes_only_replies_that_choose_an_action() -> None:
    assert in_form(NoteReply, UI_TARS) is NoteReply
    kind = in_form(DecideReply, UI_TARS)
    assert kind is in_form(DecideReply, UI_TARS)
    assert issubclass(kind, DecideReply)
    assert kind.__name__ == "DecideReply"
    assert DecideReply.form == ""
    assert not OUR_ACTIONS.scrolls


def test_a_direction_without_both_coordinates_is_refused() -> None:
    text = '{"thought": "", "action": {"name": "Scroll", "direction": "up", "x": 5}, "expectation": ""}'
    check("mai-ui", text, "both x and y, or neither")


# ---------------------------------------------------------------------------- marks inside what is typed
@pytest.mark.parametrize(
    ("written", "text"),
    [
        ('say "hi" now', 'say "hi" now'), ('say "hi"', 'say "hi"'), ('print("hi")', 'print("hi")'),
        ("it's", "it's"), ('"hi" he said', None), ('two words"', None), ('a" or "b', None), ('"', None),
        ('C:\\new "x" y', None), ('say "hi', None), ('a"b"c', None),
    ],
)  # fmt: skip
def test_a_text_with_quotation_marks_of_its_own(written: str, text: str | None) -> None:
    reply = glm(f'do(action="Type", text="{written}")')
    check("autoglm-phone", reply, "cannot be read" if text is None else Type(text=text, clear=True))


@cases(
    ("an apostrophe", TARS + "type(content='it's five')", Type(text="it's five")),
    ("a quotation", TARS + "type(content='say 'hi' now')", Type(text="say 'hi' now")),
    ("one of two texts", TARS + "type(content='a' or 'b')", "cannot be read"),
    ("two calls in a line", TARS + "type(content='a') or type(content='b')", "words follow"),
    ("an apostrophe and an escape", TARS + r"type(content='it's\n')", "cannot be read"),
    ("an apostrophe and another call", TARS + "type(content='it's') or press_back()", "words follow"),
)
def test_a_text_with_single_quotation_marks_of_its_own(text: str, expected: Action | str) -> None:
    check("ui-tars-1.5", text, expected)


def typing(end: str) -> str:
    return f"<function=mobile_use>\n<parameter=action>\ntype\n</parameter>\n<parameter=text>\nhello{end}"


@cases(
    ("no bracket", typing("\n</parameter\n</function>\n</tool_call>"), Type(text="hello")),
    (
        "no bracket, then the whole tag",
        typing("</parameter\n</parameter>\n</function>\n</tool_call>"),
        Type(text="hello"),
    ),
    ("a short name", typing("\n</param>\n</function>"), Type(text="hello")),
    ("a short name, then the whole tag", typing("</param>\n</parameter>\n</function>"), Type(text="hello")),
    ("the parameter's name", typing("\n</parameter=text>\n</function>"), Type(text="hello")),
    ("a tag within the text", typing(" </param> you\n</parameter>\n</function>"), "does not end"),
    ("the text goes on behind the function", typing("</param></function> you</param></function>"), "ends after the"),
    ("cut in the tag", typing("\n</parameter"), "does not end"),
    ("in JSON", use(action="type", text="hello</parameter>"), "which is markup"),
    ("in JSON, cut", use(action="type", text="hello\n</param"), "which is markup"),
    ("in the middle in JSON", use(action="type", text="a </param> tag"), Type(text="a </param> tag")),
)
def test_a_leaked_tag_is_not_typed(text: str, expected: Action | str) -> None:
    check("qwen3.5", text, expected)
