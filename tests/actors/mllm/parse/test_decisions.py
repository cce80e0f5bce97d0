"""Answers of operators as models write them: each case says why it is there, and what is read or why nothing is.

The forms and their damages are those that public repositories and threads show; the texts are our own.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from manyhands.actors.mllm import parse
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.role import DecideReply

TAP = {"name": "Tap", "x": 540, "y": 120}
SWIPE = {"name": "Swipe", "x1": 500, "y1": 800, "x2": 500, "y2": 200}
STOP = {"name": "Stop"}
OWN = '{"thought": "there", "action": {"name": "Tap", "x": 540, "y": 120}, "expectation": "it opens"}'
CLICK = '{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [540, 120]}}'
OTHER_CLICK = CLICK.replace("540", "77")
CALL = f"<tool_call>\n{CLICK}\n</tool_call>"


OWN_STOP = '{"thought": "", "action": {"name": "Stop"}, "expectation": ""}'


def plain(name: str) -> dict[str, Any]:
    return {"name": name}


def typed(text: str, clear: bool = False) -> dict[str, Any]:
    return {"name": "Type", "text": text, "clear": clear}


def shortcut(name: str, **arguments: str) -> dict[str, Any]:
    given = [{"name": key, "value": value} for key, value in arguments.items()]
    return {"name": "Shortcut", "shortcut": name, "arguments": given}


def use(**arguments: Any) -> str:
    call = json.dumps({"name": "mobile_use", "arguments": arguments}, ensure_ascii=False)
    return f"<tool_call>\n{call}\n</tool_call>"


def xml(name: str = "mobile_use", **parameters: str) -> str:
    body = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in parameters.items())
    return f"<tool_call>\n<function={name}>\n{body}</function>\n</tool_call>"


def under(action: str, thought: str = "there", description: str = "Tap it.") -> str:
    return f"### Thought ###\n{thought}\n\n### Action ###\n{action}\n\n### Description ###\n{description}"


def check(text: str, expected: dict[str, Any] | str) -> None:
    """``expected``: the action that is read, or words of the reason why none is."""
    if isinstance(expected, str):
        with pytest.raises(ReplyUnusable) as unusable:
            parse(DecideReply, text)
        assert expected in str(unusable.value), unusable.value
        assert "\n" not in str(unusable.value)
        assert len(str(unusable.value)) <= 300
    else:
        assert parse(DecideReply, text).action.model_dump(mode="json", exclude_none=True) == expected


def cases(*table: tuple[str, str, dict[str, Any] | str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("text", "expected"), [pytest.param(t, e, id=why) for why, t, e in table])


# ---------------------------------------------------------------------------- our JSON, damaged
@cases(
    ("as asked", OWN, TAP),
    ("in a fence", f"```json\n{OWN}\n```", TAP),
    ("prose around it", f"I see it.\n{OWN}\nThat opens it.", "words follow the reply"),
    ("single quotes", OWN.replace('"', "'"), TAP),
    ("single quotes and None elsewhere", OWN.replace('"', "'").replace("'there'", "None"), TAP),
    ("Python truth", "{'thought': '', 'action': {'name': 'Type', 'text': 'a', 'clear': True}, 'expectation': ''}",
     typed("a", clear=True)),
    ("trailing comma", OWN[:-1] + ",}", TAP),
    ("trailing comma in the action", OWN.replace("120}", "120,}"), TAP),
    ("last brace missing", OWN[:-1], TAP),
    ("a brace too many", OWN + "}", TAP),
    ("rubbish after it", OWN + " ⊿⚗;;", TAP),
    ("full-width punctuation", OWN.replace('": ', '"：').replace(", ", "，").replace("{", "｛"), TAP),
    ("curly quotes", "{“thought”: “there”, “action”: {“name”: “Tap”, “x”: 540, “y”: 120}, “expectation”: “”}", TAP),
    ("a URL in a string", '{"thought": "see http://a.b/#c // no comment", "action": {"name": "Type", "text": '
     '"https://a.b//c # d,}"}, "expectation": "",}', typed("https://a.b//c # d,}")),
    ("text byte for byte", '{"thought": "", "action": {"name": "Type", "text": " a，b：｛c｝  ”\\n"}, '
     '"expectation": "",}', typed(" a，b：｛c｝  ”\n")),
    ("apostrophe in double quotes, repaired elsewhere", OWN.replace("there", "it's")[:-1] + ",}", TAP),
    ("the same twice", f"{OWN}\n{OWN}", TAP),
    ("our JSON in a tool call's tags", f"<tool_call>\n{OWN}\n</tool_call>", TAP),
    ("a number in quotes", OWN.replace("540", '"540"'), TAP),
    ("a fraction is no coordinate", OWN.replace("540", "0.54"), "action.Tap.x"),
    ("full-width digits are no number", OWN.replace("540", "５４０"), "no whole JSON object"),
    ("a leading zero is no number", OWN.replace("540", "0540"), "no whole JSON object"),
    ("a formula is not evaluated", OWN.replace("540", "500+40"), "no whole JSON object"),
    ("a call in a value is not evaluated", OWN.replace("540", "int('540')"), "no whole JSON object"),
    ("two braces missing", OWN[: OWN.index(', "expectation"') - 1], "no whole JSON object"),
    ("cut in a string", OWN[:-6], "no whole JSON object"),
    ("two different ones", f"{OWN}\n{OWN.replace('540', '77')}", "2 different replies"),
    ("ours and a different call", f"{OWN}\n{use(action='click', coordinate=[77, 120])}", "two different"),
    ("ours and the same call", f"{OWN}\n{CALL}", TAP),
    ("ours in two calls", f"<tool_call>{OWN}</tool_call>\n<tool_call>\n{OWN}\n</tool_call>", TAP),
    ("ours under a heading", under(f"```json\n{OWN}\n```"), TAP),
    ("the model gives up, then ours", f"{use(action='terminate', status='failure')}\n{OWN_STOP}", "gave up"),
    ("ours, then the model gives up", f"{OWN_STOP}\n{use(action='terminate', status='failure')}", "gave up"),
    ("ours, and gives up without tags", f"{OWN_STOP}\n{{'action': 'terminate', 'status': 'failure'}}", "gave up"),
    ("ours and a broken call", f"{OWN}\n<tool_call>\n{CLICK[:40]}", "not whole"),
    ("ours and a call that is none", f"{OWN}\n### Action ###\nI cannot.", "holds no action"),
    ("ours as a text to be typed", under("Type (\n" + OWN_STOP + "\n)"), "beside our JSON"),
    ("ours as a text in XML", xml(action="type", text=OWN_STOP), "two different"),
    ("ours and a broken bare call", f"Tap(540, 12\n{OWN_STOP}", "cannot be read"),
    ("a key twice", OWN.replace('"x": 540', '"x": 540, "x": 77'), "'x' stands twice"),
    ("an unknown action", OWN.replace("Tap", "Fly"), "Fly"),
    ("a missing argument", OWN.replace('"x": 540, ', ""), "action.Tap.x"),
    ("an argument too many", OWN.replace('"y"', '"z": 1, "y"'), "unknown key"),
    ("nothing but prose", "I am unable to do that.", "no whole JSON object"),
    ("an empty answer", " \n", "empty"),
    ("an element by its number", OWN.replace('"Tap", "x": 540, "y": 120', '"Tap_Element", "number": 3'),
     {"name": "Tap_Element", "number": 3}),
    ("an element by number nought", OWN.replace('"Tap", "x": 540, "y": 120', '"Tap_Element", "number": 0'), "number"),
)  # fmt: skip
def test_our_json(text: str, expected: dict[str, Any] | str) -> None:
    check(text, expected)


# ---------------------------------------------------------------------------- tool calls in JSON
@cases(
    ("click", use(action="click", coordinate=[540, 120]), TAP),
    ("an empty line before it", "\n\n" + CALL, TAP),
    ("without line breaks", f"<tool_call>{CLICK}</tool_call>", TAP),
    ("closing tag missing", f"<tool_call>\n{CLICK}", TAP),
    ("other symbols where it closes", f"<tool_call>\n{CLICK}\n⊿⚗", TAP),
    ("opening tag missing", f"{CLICK}\n</tool_call>", TAP),
    ("no tags", CLICK, TAP),
    ("no tags, in a fence", f"```json\n{CLICK}\n```", TAP),
    ("in a fence in the tags", f"<tool_call>\n```json\n{CLICK}\n```\n</tool_call>", TAP),
    ("a brace too many", f"<tool_call>\n{CLICK}}}\n</tool_call>", TAP),
    ("last brace missing", f"<tool_call>\n{CLICK[:-1]}\n</tool_call>", TAP),
    ("last brace missing and other symbols", f"<tool_call>\n{CLICK[:-1]}⊿", TAP),
    ("two braces missing", f"<tool_call>\n{CLICK[:-2]}\n</tool_call>", "not whole"),
    ("cut in the coordinate", f"<tool_call>\n{CLICK[: CLICK.index('120') + 1]}", "not whole"),
    ("single quotes", f"<tool_call>\n{CLICK.replace(chr(34), chr(39))}\n</tool_call>", TAP),
    ("trailing comma", f"<tool_call>\n{CLICK.replace(']}', '],}')}\n</tool_call>", TAP),
    ("full-width punctuation", f"<tool_call>\n{CLICK.replace(', ', '，').replace(': ', '：')}\n</tool_call>", TAP),
    ("numbers with .0", use(action="click", coordinate=[540.0, 120.0]), TAP),
    ("the next turn and the same call again", f"{CALL}\nuser\nThe user query: go on\n{CALL}", TAP),
    ("the same call again, cut", f"{CALL}\n<tool_call>\n{CLICK[:40]}", TAP),
    ("two different calls", f"{CALL}\n<tool_call>{OTHER_CLICK}</tool_call>", "different actions"),
    ("the first broken, the second whole", f"<tool_call>\n{CLICK[:40]}\n{CALL}", "not whole"),
    ("thought, action and call", f'Thought: It is there.\nAction: "Tap it"\n{CALL}', TAP),
    ("a thought that names another action", f"Thought: Not Tap(1, 2), not Stop().\nAction: Stop\n{CALL}", TAP),
    ("a conclusion after it", f"<thinking>there</thinking>\n{CALL}\n<conclusion>Tapped.</conclusion>", TAP),
    ("long press", use(action="long_press", coordinate=[540, 120], time=2),
     {**TAP, "name": "Long_Press", "seconds": 2}),
    ("swipe", use(action="swipe", coordinate=[500, 800], coordinate2=[500, 200]), SWIPE),
    ("type", use(action="type", text="a }}\n </tool_call> b"), typed("a }}\n </tool_call> b")),
    ("type a call", use(action="type", text="<tool_call>" + OTHER_CLICK), typed("<tool_call>" + OTHER_CLICK)),
    ("back", use(action="system_button", button="Back"), plain("Back")),
    ("home in small letters", use(action="system_button", button="home"), plain("Home")),
    ("enter", use(action="system_button", button="Enter"), plain("Enter")),
    ("menu is the list of apps", use(action="system_button", button="Menu"), plain("Switch_App")),
    ("an unknown button", use(action="system_button", button="Power"), "no system button"),
    ("open", use(action="open", text="Settings"), {"name": "Open_App", "app": "Settings"}),
    ("wait", use(action="wait", time=2), {"name": "Wait", "seconds": 2}),
    ("answer", use(action="answer", text="42"), {"name": "Answer", "text": "42"}),
    ("terminate with success", use(action="terminate", status="success"), STOP),
    ("terminate with failure gives up", use(action="terminate", status="failure"), "gave up"),
    ("terminate without status is no finish", use(action="terminate"), "needs 'status'"),
    ("key is no action here", use(action="key", text="volume_up"), "no action 'key'"),
    ("interact is no action here", use(action="interact", text="which?"), "no action 'interact'"),
    ("finish is no action", use(action="finish"), "no action 'finish'"),
    ("no coordinate", use(action="click"), "needs 'coordinate'"),
    ("a box", use(action="click", coordinate=[500, 100, 580, 140]), "two numbers"),
    ("boxed point", use(action="click", coordinate=[[540, 120]]), "two numbers"),
    ("numbers in quotes", use(action="click", coordinate=["540", "120"]), TAP),
    ("a text", use(action="click", coordinate="540, 120"), "two numbers"),
    ("0 to 1", use(action="click", coordinate=[0.54, 0.12]), "not a whole number"),
    ("percent", use(action="click", coordinate=["54%", "12%"]), "not a whole number"),
    ("truth values", use(action="click", coordinate=[True, True]), "not a whole number"),
    ("not found", use(action="click", coordinate=[-1, -1]), "action.Tap"),
    ("a swipe with one end", use(action="swipe", coordinate=[1, 2]), "needs 'coordinate2'"),
    ("a swipe by direction", use(action="swipe", direction="up"), "takes no 'direction'"),
    ("a click with two places", use(action="click", coordinate=[1, 2], coordinate2=[3, 4]), "takes no 'coordinate2'"),
    ("type with a place", use(action="type", coordinate=[1, 2], text="a"), "takes no 'coordinate'"),
    ("type without text", use(action="type"), "needs 'text'"),
    ("type a number", use(action="type", text=5), "needs 'text'"),
    ("no action", use(coordinate=[1, 2]), "no action"),
    ("the arguments alone", '<tool_call>\n{"action": "click", "coordinate": [540, 120]}\n</tool_call>', TAP),
    ("arguments as a text", "<tool_call>" + json.dumps({"name": "mobile_use", "arguments": '{"action": "wait"}'}),
     plain("Wait")),
    ("parameters of another family", '<tool_call>{"name": "mobile_use", "parameters": {"action": "wait"}}</tool_call>',
     "no name with arguments"),
    ("an empty call", "<tool_call>\n\n</tool_call>", "holds no object"),
    ("our tool for elements", '<tool_call>{"name": "tap_element", "arguments": {"number": 4}}</tool_call>',
     {"name": "Tap_Element", "number": 4}),
    ("our tool for shortcuts", '<tool_call>{"name": "run_shortcut", "arguments": {"shortcut": "Find", "arguments": '
     '{"x": 1, "text": "a"}}}</tool_call>', shortcut("Find", x="1", text="a")),
)  # fmt: skip
def test_tool_calls(text: str, expected: dict[str, Any] | str) -> None:
    check(text, expected)


# ---------------------------------------------------------------------------- tool calls in XML
@cases(
    ("click", xml(action="click", coordinate="[540, 120]"), TAP),
    ("in one line", "<tool_call><function=mobile_use><parameter=action>click</parameter>"
     "<parameter=coordinate>[540, 120]</parameter></function></tool_call>", TAP),
    ("opening tag missing", xml(action="click", coordinate="[540, 120]").removeprefix("<tool_call>\n"), TAP),
    ("last parameter not closed", xml(action="click", coordinate="[540, 120]").replace(
        "\n</parameter>\n</function>", "\n</function>"), TAP),
    ("stray closing tags", xml(action="wait").replace("</function>", "</parameter>\n</function>") + "\n</tool_call>",
     plain("Wait")),
    ("function not closed", xml(action="wait").replace("</function>\n", ""), plain("Wait")),
    ("a text keeps its own line breaks", xml(action="type", text="\n a \n\n"), typed("\n a \n\n")),
    ("a text that looks like JSON stays a text", xml(action="type", text="[1, 2]"), typed("[1, 2]")),
    ("a text with markup", xml(action="type", text="<b>a</b>"), typed("<b>a</b>")),
    ("a text with the call's end in it", xml(action="type", text="say </tool_call> now"), "ends after the function"),
    ("a text with the function's end in it", xml(action="type", text="say </function> now"), "ends after the function"),
    ("a text with a parameter's end in it", xml(action="type", text="say </parameter> now"), "does not end"),
    ("a text with both ends in it", xml(action="type", text="</parameter></function> now"), "ends after the function"),
    ("a text with a call in it", xml(action="type", text="</tool_call><tool_call>"), "ends after the function"),
    ("a text with a parameter in it", xml(action="type", text="</tool_call><parameter=clear>"), "ends after the"),
    ("the next turn and the same call", xml(action="wait") + "\nuser\n" + xml(action="wait"), plain("Wait")),
    ("a place that is not closed", xml(action="click", coordinate="[540, 120"), "not whole"),
    ("a parameter that ends nowhere", "<function=mobile_use>\n<parameter=action>\nclick", "does not end"),
    ("a parameter in another", "<function=mobile_use>\n<parameter=text>\na\n<parameter=action>\ntype\n</parameter>\n"
     "</function>", "does not end before the next"),
    ("a parameter twice", xml(action="wait").replace(
        "</function>", "<parameter=action>\ntype\n</parameter>\n</function>"), "stands twice"),
    ("a function with an unknown parameter", xml("click", point="1 2"), "Tap takes no 'point'"),
    ("two different", xml(action="wait") + xml(action="type", text="a"), "different actions"),
    ("our tool for elements", xml("tap_element", number="4"), {"name": "Tap_Element", "number": 4}),
    ("our tool for shortcuts", xml("run_shortcut", shortcut="Find", arguments='{"text": "a"}'),
     shortcut("Find", text="a")),
)  # fmt: skip
def test_xml_calls(text: str, expected: dict[str, Any] | str) -> None:
    check(text, expected)


# ---------------------------------------------------------------------------- reasoning
@cases(
    ("before a call", f"<think>Perhaps {OTHER_CLICK}?</think>\n{CALL}", TAP),
    ("only its end", f"Perhaps {OTHER_CLICK}?\n</think>\n\n{CALL}", TAP),
    ("in capitals", f"<THINK>{OTHER_CLICK}</THINK>{CALL}", TAP),
    ("thinking that ends as think", f"<thinking>{OTHER_CLICK}</think>{CALL}", TAP),
    ("grounding", f"<grounding_think>{OTHER_CLICK}</grounding_think>{OWN}", TAP),
    ("closed twice on end", f"<think>there</think>\n</think>\n{CALL}", TAP),
    ("never closed, a whole call at its end", f"<think>I tap it.\n{CALL}", TAP),
    ("never closed, a call that is not closed", f"<think>I tap it.\n<tool_call>\n{CLICK}", "no whole JSON object"),
    ("never closed, two calls", f"<think>First {CALL} or {CALL.replace('540', '77')}", "no whole JSON object"),
    ("never closed, our JSON", f"<think>I tap it.\n{OWN}", "no whole JSON object"),
    ("nothing after it", f"<think>{CALL}</think>", "no whole JSON object"),
    ("two ends", f"<think>a</think>{OTHER_CLICK}</think>{CALL}", "ends twice"),
    ("more after the call", f"{CALL}\n<think>or {OTHER_CLICK}", "reasoning follows the reply"),
    ("its tags in a typed text", OWN.replace('"Tap", "x": 540, "y": 120', '"Type", "text": "</think>"'),
     typed("</think>")),
)  # fmt: skip
def test_reasoning(text: str, expected: dict[str, Any] | str) -> None:
    check(text, expected)


# ---------------------------------------------------------------------------- dictionaries
@cases(
    ("v3 in JSON", '{"action": "click", "coordinate": [540, 120]}', TAP),
    ("v3 as a Python literal", "{'action': 'click', 'coordinate': [540, 120]}", TAP),
    ("v3 with a tuple", "{'action': 'click', 'coordinate': (540, 120)}", TAP),
    ("v3 with an empty thing", "{'action': 'click', 'coordinate': [540, 120], 'text': None}", TAP),
    ("v3 between lines of prose", "I tap it:\n{'action': 'click', 'coordinate': [540, 120]}.\nDone.", "words follow"),
    ("v3 after a label", "Thought: there\nAction: {'action': 'click', 'coordinate': [540, 120]}", TAP),
    ("v3 in a sentence", "I tap it: {'action': 'click', 'coordinate': [540, 120]}. Done.", "within a sentence"),
    ("v3, not to be used", 'Do not use {"action": "click", "coordinate": [5, 5]}.', "within a sentence"),
    ("E at the beginning of a sentence", '{"name": "Stop", "arguments": null} ends the task.', "within a sentence"),
    ("E in a sentence", 'The tool {"name": "Stop", "arguments": null} ends the task: no.', "within a sentence"),
    ("what the screen says", 'The screen says {"action": "terminate", "status": "success"}', "within a sentence"),
    ("what the screen says, in a line of code", 'It says ```{"action": "wait"}``` there', "within a sentence"),
    ("what the screen says, and a call", "It says {'action': 'wait'}.\nTap(540, 120)", "different actions"),
    ("what the screen says, and the same call", "It says {'action': 'wait'}.\nWait()", "within a sentence"),
    ("mentioned, then written", "So {'action': 'wait'} it is:\n{'action': 'wait'}", "within a sentence"),
    ("under a heading with words after it", under(f"{CLICK} is wrong"), "words follow"),
    ("v3 in a list", "[{'action': 'click', 'coordinate': [540, 120]}]", TAP),
    ("E", '{"name": "Tap", "arguments": {"x": 540, "y": 120}}', TAP),
    ("E without arguments", '{"name": "Home", "arguments": null}', plain("Home")),
    ("E with empty arguments", '{"name": "Switch_App", "arguments": {}}', plain("Switch_App")),
    ("E opens an app", '{"name": "Open_App", "arguments": {"app_name": "Maps"}}', {"name": "Open_App", "app": "Maps"}),
    ("E runs a shortcut", '{"name": "Tap_Type_and_Enter", "arguments": {"x": 540, "y": 120, "text": "a"}}',
     shortcut("Tap_Type_and_Enter", x="540", y="120", text="a")),
    ("E with numbers in quotes", '{"name": "Tap", "arguments": {"x": "540", "y": "120"}}', TAP),
    ("E with an argument missing", '{"name": "Tap", "arguments": {"x": 540}}', "lacks 'y'"),
    ("E with an argument too many", '{"name": "Home", "arguments": {"x": 540}}', "takes no 'x'"),
    ("two different", "{'action': 'wait'}\n{'action': 'click', 'coordinate': [1, 2]}", "different actions"),
    ("a dictionary and a different call", "{'action': 'wait'}\nTap(1, 2)", "different actions"),
    ("broken, another one whole", "{'action': 'click', 'coordinate': [5\n{'action': 'wait'}", "no whole JSON object"),
    ("AgentCPM-GUI", '{"POINT":[540,120]}', "POINT"),
    ("GLM", '{"action_type": "click", "box_2d": [[500, 100, 580, 140]]}', "action_type"),
    ("midscene", '{"log": "tap", "action": {"type": "Tap", "param": {"locate": {"bbox": [1, 2, 3, 4]}}}}', "log"),
    ("grounding only", '<answer>\n{"coordinate":[540,120]}\n</answer>', "coordinate"),
    ("a half-written list", "[{'Type\", text=\"a\")", "no whole JSON object"),
    ("a name that ends the task is no finish", '{"name": "finish!", "arguments": null}', "is no action"),
)  # fmt: skip
def test_dictionaries(text: str, expected: dict[str, Any] | str) -> None:
    check(text, expected)


# ---------------------------------------------------------------------------- bare calls
@cases(
    ("tap", "Tap(540, 120)", TAP),
    ("tap, named", "Tap(x=540, y=120)", TAP),
    ("tap a pair", "Tap((540, 120))", TAP),
    ("in backticks", "`Tap(540, 120)`", TAP),
    ("in a fence", "```\nTap(540, 120)\n```", TAP),
    ("after a label", "Thought: There.\nAction: Tap(540, 120)", TAP),
    ("after a full-width label", "Thought：There.\nAction：Tap(540, 120)", TAP),
    ("full-width parentheses", "Tap（540，120）。", TAP),
    ("swipe", "Swipe(500, 800, 500, 200)", SWIPE),
    ("swipe between pairs", "Swipe((500, 800), (500, 200))", SWIPE),
    ("swipe in two parentheses", "Swipe (500, 800), (500, 200)", SWIPE),
    ("type", 'Type("a, (b) \\"c\\"")', typed('a, (b) "c"')),
    ("type, named", "Type(text='a', clear=True)", typed("a", clear=True)),
    ("type a call", 'Type("Tap(1, 2)")', typed("Tap(1, 2)")),
    ("open", "Open_App('Maps')", {"name": "Open_App", "app": "Maps"}),
    ("back", "Back()", plain("Back")),
    ("an element", "Tap_Element(7)", {"name": "Tap_Element", "number": 7}),
    ("the same twice", "Tap(540, 120)\nTap(540, 120)", TAP),
    ("two different", "Tap(540, 120)\n\nType('a')", "different actions"),
    ("words before and after it", "Instead of\nTap(540, 120)\nI will wait", "words follow"),
    ("words after it", "Tap(540, 120)\nThis opens it.", "words follow"),
    ("words between it and itself", "Tap(540, 120)\nor rather\nTap(540, 120)", "words follow"),
    ("words after it that look like a call", "Tap(540, 120)\nSlide(1, 2)", "words follow"),
    ("a call by another family's name after it", "Tap(540, 120)\nClick(1, 2)", "different actions"),
    ("in a fence with words before it", "So I tap:\n```python\nTap(540, 120)\n```\n\n", "not marked as a thought"),
    ("in a tag", "Thought: there\n<answer>\nTap(540, 120)\n</answer>", TAP),
    ("in a sentence", "I would Tap(540, 120) here.", "no whole JSON object"),
    ("more on its line", "Tap(540, 120) or Tap(1, 2)", "cannot be read"),
    ("one number", "tap(5)", "lacks 'y'"),
    ("four numbers", "Tap(1, 2, 3, 4)", "takes 2 arguments"),
    ("cut", "Tap(540, 12", "cannot be read"),
    ("a text without quotes", "Type(hello)", "cannot be read"),
    ("a word alone", "Stop", "no whole JSON object"),
    ("UI-TARS", "Thought: x\nAction: click(start_box='(540,120)')", "Tap takes no 'start_box'"),
    ("UI-TARS, a damaged place", "Action: click(start_box='=')", "Tap takes no 'start_box'"),
    ("Doubao's box", "Action: click(start_box='<bbox>1 2 3 4</bbox>')", "Tap takes no 'start_box'"),
    ("UI-TARS types otherwise", "Action: type(content='a')", "takes no 'content'"),
    ("AutoGLM", '<think>x</think>\n<answer>do(action="Tap", element=[540,120])', "no whole JSON object"),
    ("AutoGLM ends", '<answer>finish(message="done")</answer>', "no whole JSON object"),
    ("AppAgent ends", "Action: FINISHED", "no whole JSON object"),
    ("hosted GUI-Owl", "Click (540, 120, 540, 120)", "it takes 2 arguments"),
    ("GELab", "explain: x\taction: CLICK\tpoint: 540,120", "no whole JSON object"),
    ("UI-Venus", "<action>Click(box=(540,120))</action>", "no whole JSON object"),
)  # fmt: skip
def test_bare_calls(text: str, expected: dict[str, Any] | str) -> None:
    check(text, expected)


# ---------------------------------------------------------------------------- headers
E_TAP = '{"name": "Tap", "arguments": {"x": 540, "y": 120}}'


@cases(
    ("E", under(E_TAP), TAP),
    ("E in a fence", under(f"```json\n{E_TAP}\n```"), TAP),
    ("E, tabs and the hashes after the fence", under(f"```json\n\t{E_TAP}\n``` ###"), TAP),
    ("E as a Python literal", under(E_TAP.replace('"', "'")), TAP),
    ("closing hashes missing", under(E_TAP).replace(" ###", ""), TAP),
    ("a full-width colon", under(E_TAP).replace(" ###", "："), TAP),
    ("small letters and more hashes", under(E_TAP).lower().replace("tap\"", 'Tap"').replace("###", "####"), TAP),
    ("full-width hashes", under(E_TAP).replace("###", "＃＃＃"), TAP),
    ("text on the header's line", under(E_TAP).replace("###\n", "### "), TAP),
    ("flat, as our JSON has it", under('{"name": "Tap", "x": 540, "y": 120}'), TAP),
    ("E runs a shortcut", under('{"name": "Find_It", "arguments": {"text": "a"}}'), shortcut("Find_It", text="a")),
    ("E types a URL", under('{"name": "Type", "arguments": {"text": "http://a.b/#x  y"}}'), typed("http://a.b/#x  y")),
    ("E types a header", under('{"name": "Type", "arguments": {"text": "### Action ###"}}'), typed("### Action ###")),
    ("v3", under('{"action": "click", "coordinate": [540, 120]}'), TAP),
    ("v3 as a Python literal", under("{'action': 'system_button', 'button': 'Back'}"), plain("Back")),
    ("v2 taps", under("Tap (540, 120)"), TAP),
    ("v2 without a blank", under("Tap(540,120)"), TAP),
    ("v2 swipes", under("Swipe (500, 800), (500, 200)"), SWIPE),
    ("v2 types", under("Type (What's on (today)?)"), typed("What's on (today)?")),
    ("v2 types a word that stops", under("Type (Stop)"), typed("Stop")),
    ("v2 opens an app", under("Open app (One Stop Shop)"), {"name": "Open_App", "app": "One Stop Shop"}),
    ("v2 goes home", under("Home"), plain("Home")),
    ("v2 goes back", under("Back."), plain("Back")),
    ("v2 stops", under("Stop"), STOP),
    ("words after a word", under("Stop\n\nThe goal is reached."), "words follow Stop"),
    ("words after a word take it back", under("Stop\n is wrong"), "words follow Stop"),
    ("words after a word with parentheses", under("Home()\nor not"), "words follow Home"),
    ("a word in a fence, with rubbish", under("```\nHome.\n```\n⊿⚗"), plain("Home")),
    ("a word twice", under("Home\n\nHome()"), plain("Home")),
    ("two words", under("Home\nStop"), "different actions"),
    ("a word and a call", under("Home\nTap (1, 2)"), "different actions"),
    ("an action word in the thought", under("Home", thought="I could Stop or Tap (1, 2)."), plain("Home")),
    ("words after the call", under("Tap (540, 120)\nThis opens it."), "words follow the reply"),
    ("two calls", under("Tap (540, 120)\nTap (1, 2)"), "different actions"),
    ("two objects", under(E_TAP + "\n" + E_TAP.replace("540", "1")), "different actions"),
    ("two action sections", under(E_TAP) + "\n### Action ###\nHome", "stands twice"),
    ("a sentence", under("I tap the icon"), "holds no action"),
    ("a sentence before the call", under("Let me see.\nTap (540, 120)"), "holds no action"),
    ("an unquoted text that does not end", under("Type (abc"), "does not end"),
    ("an unquoted text with half its quotes", under('Type (abc")'), "quotation mark"),
    ("two unquoted texts", under("Type (a) or (b)"), "does not end"),
    ("an object that is cut", under('{"name": "Tap", "arguments": {"x": 5'), "Action section"),
    ("an unknown object", under('{"POINT": [540, 120]}'), "no action"),
    ("four numbers", under("Tap (1, 2, 3, 4)"), "takes 2 arguments"),
    ("no action section", "### Thought ###\nTap (540, 120)", "no whole JSON object"),
)  # fmt: skip
def test_headers(text: str, expected: dict[str, Any] | str) -> None:
    check(text, expected)


# ---------------------------------------------------------------------------- what contradicts itself
CLICKS = {"action": "click", "coordinate": [540, 120]}
STOPS = {"action": "terminate", "status": "success"}


def own(action: dict[str, Any]) -> str:
    return json.dumps({"thought": "", "action": action, "expectation": ""})


def tagged(call: dict[str, Any]) -> str:
    return f"<tool_call>{json.dumps(call)}</tool_call>"


@pytest.mark.parametrize("written", [tagged, own, json.dumps, lambda call: under(json.dumps(call))])
@pytest.mark.parametrize(
    "call",
    [
        {"name": "mobile_use", "arguments": CLICKS, "action": "terminate"},
        {"name": "mobile_use", **STOPS, "arguments": CLICKS},
        {"name": "mobile_use", "arguments": CLICKS, "coordinate": [1, 2]},
        {"name": "mobile_use", "arguments": STOPS, "action": "click"},
        {"name": "terminate", "arguments": CLICKS},
        {"name": "terminate", "arguments": {**STOPS, **CLICKS}},
        {**STOPS, "arguments": CLICKS},
        {**STOPS, "coordinate": [540, 120]},
        {"name": "Tap", "arguments": {"x": 540, "y": 120}, "action": "Stop"},
        {"name": "Home", "arguments": {}, "action": "Back"},
    ],
)
def test_a_call_that_contradicts_itself_is_refused(written: Callable[[Any], str], call: dict[str, Any]) -> None:
    with pytest.raises(ReplyUnusable):
        parse(DecideReply, written(call))


@pytest.mark.parametrize(
    "call",
    [
        {"name": "mobile_use", "arguments": CLICKS, "action": "click"},
        {"name": "mobile_use", "arguments": CLICKS, "action": None, "text": ""},
        {"name": "mobile_use", "arguments": json.dumps(CLICKS), "action": "click"},
        {"name": "click", "arguments": CLICKS},
        {"name": "Tap", "arguments": CLICKS},
        {"name": "mobile_use", "arguments": CLICKS, "id": "call_1", "type": "function"},
    ],
)
def test_a_call_that_repeats_itself_is_read(call: dict[str, Any]) -> None:
    assert parse(DecideReply, tagged(call)).action.model_dump(mode="json") == TAP


# ---------------------------------------------------------------------------- the words around
@pytest.mark.parametrize(
    ("text", "thought", "expectation"),
    [
        (f'Thought: It is there.\nAction: "Tap it"\n{CALL}', "It is there.", "Tap it"),
        (f"<thinking>\nthere\n</thinking>{CALL}<conclusion>\nIt opens.\n</conclusion>", "there", "It opens."),
        (CALL, "", ""),
        ("Thought: there\nAction: Tap(540, 120)", "there", ""),
        (under(E_TAP), "there", "Tap it."),
        (f"<think>{'long ' * 1000}</think>{CALL}", ("long " * 1000)[:800], ""),
    ],
)
def test_thought_and_expectation_are_what_stands_around(text: str, thought: str, expectation: str) -> None:
    read = parse(DecideReply, text)
    assert (read.thought, read.expectation) == (thought, expectation)
