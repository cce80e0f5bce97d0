"""Regular expressions of whole replies in the models' own forms, by which a grammar or a generator writes them."""

from __future__ import annotations

from collections.abc import Mapping

_NUMBER = "(?:0|[1-9][0-9]{0,2})"
_WORDS = "[a-z]{1,8}(?: [a-z]{1,8}){0,3}"
_TEXT = "[a-zA-Z0-9 .,!?:;()#/-]{1,20}"
_LINES = f"Change: {_WORDS}\nVerdict: [ABC]\n(?:Progress: {_WORDS}\n)?(?:Notes: {_WORDS}\n)?"
_DIRECTION = "(?:up|down|left|right)"


def _one_of(*patterns: str) -> str:
    return f"(?:{'|'.join(patterns)})"


_POINT = rf"\[{_NUMBER}, {_NUMBER}\]"
_TOOL = _one_of(
    rf'"action": "click", "coordinate": {_POINT}',
    rf'"action": "long_press", "coordinate": {_POINT}, "time": [1-5]',
    rf'"action": "swipe", "coordinate": {_POINT}, "coordinate2": {_POINT}',
    rf'"action": "type", "text": "{_TEXT}"',
    '"action": "system_button", "button": "(?:Back|Home|Menu|Enter)"',
    '"action": "key", "text": "(?:enter|back|home|app_switch)"',
    '"action": "terminate", "status": "success"',
)
_MAI = _one_of(
    rf'"action":"click","coordinate":{_POINT}',
    rf'"action":"swipe","direction":"{_DIRECTION}"(?:,"coordinate":{_POINT})?',
    rf'"action":"drag","start_coordinate":{_POINT},"end_coordinate":{_POINT}',
    rf'"action":"type","text":"{_TEXT}"',
    '"action":"system_button","button":"(?:back|home|menu|enter)"',
)
_BOX = rf"'\({_NUMBER},{_NUMBER}\)'"
_TARS = _one_of(
    rf"click\(start_box={_BOX}\)",
    rf"scroll\(start_box={_BOX}, direction='{_DIRECTION}'\)",
    rf"drag\(start_box={_BOX}, end_box={_BOX}\)",
    rf"type\(content='{_TEXT}(?:\\n)?'\)",
    r"press_(?:home|back)\(\)",
    rf"finished\(content='{_TEXT}'\)",
)
_DO = _one_of(
    rf'do\(action="(?:Tap|Long Press)", element=\[{_NUMBER},{_NUMBER}\]\)',
    rf'do\(action="Swipe", start=\[{_NUMBER},{_NUMBER}\], end=\[{_NUMBER},{_NUMBER}\]\)',
    rf'do\(action="Type", text="{_TEXT}"\)',
    r'do\(action="(?:Back|Home)"\)',
    rf'finish\(message="{_TEXT}"\)',
)
_PAIR = rf"\({_NUMBER}, {_NUMBER}\)"
_VENUS = _one_of(
    rf"(?:Click|LongPress)\(point={_PAIR}\)",
    rf"(?:Swipe|Drag)\(start={_PAIR}, end={_PAIR}\)",
    rf"(?:Type|Answer|Finished)\(content='{_TEXT}'\)",
    rf"LaunchApp\(app='{_WORDS}'\)",
    r"(?:Wait|PressBack|PressHome|PressEnter|PressRecent)\(\)",
)
_AT = rf"{_NUMBER},{_NUMBER}"
_GELAB = _one_of(
    rf"(?:CLICK|LONGPRESS)\tpoint:{_AT}",
    rf"TYPE\tvalue:{_WORDS}\tpoint:{_AT}",
    rf"SLIDE\tpoint1:{_AT}\tpoint2:{_AT}",
    rf"AWAKE\tvalue:{_WORDS}",
    r"WAIT\tvalue:[1-9]",
    rf"COMPLETE\treturn:{_WORDS}",
)
_VENUS_15 = _one_of(
    rf"(?:Click|LongPress)\(box={_PAIR}\)",
    rf"(?:Scroll|Drag)\(start={_PAIR}, end={_PAIR}\)",
    rf"(?:Type|CallUser|Finished)\(content='{_TEXT}'\)",
    rf"Launch\(app='{_WORDS}'\)",
    r"(?:Wait|PressBack|PressHome|PressEnter|PressRecent)\(\)",
)
_HOLO = _one_of(
    rf'"(?:click|long_press)", "element": "{_WORDS}", "x": {_NUMBER}, "y": {_NUMBER}',
    rf'"scroll", "element": "{_WORDS}", "x": {_NUMBER}, "y": {_NUMBER}, "direction": "{_DIRECTION}"',
    rf'"swipe", "x1": {_NUMBER}, "y1": {_NUMBER}, "x2": {_NUMBER}, "y2": {_NUMBER}',
    rf'"write", "content": "{_TEXT}", "press_enter": (?:true|false), "overwrite": (?:true|false)',
    rf'"open_app", "app": "{_WORDS}"',
    '"press", "button": "(?:back|home|enter|recents)"',
    '"wait", "duration": [1-9]',
    rf'"answer", "content": "{_TEXT}"',
)
_ESCAPED_LINES = _LINES.replace("\n", r"\\n")
PATTERNS: Mapping[str, str] = {
    "mobile_use": rf"{_LINES}Thought: {_WORDS}\.\nAction: {_WORDS}\.\n<tool_call>\n"
    rf'\{{"name": "mobile_use", "arguments": \{{{_TOOL}\}}\}}\n</tool_call>',
    "mai_ui": rf"<thinking>\n{_LINES}{_WORDS}\.\n</thinking>\n<tool_call>\n"
    rf'\{{"name":"mobile_use","arguments":\{{{_MAI}\}}\}}\n</tool_call>',
    "ui_tars": rf"{_LINES}Thought: {_WORDS}\.\nAction: {_TARS}",
    "autoglm": rf"<think>{_LINES}{_WORDS}\.</think>\n<answer>{_DO}</answer>",
    "holo": rf'\{{"note": (?:null|"{_WORDS}"), "thought": "{_ESCAPED_LINES}{_WORDS}\.", '
    rf'"tool_call": \{{"tool_name": {_HOLO}\}}\}}',
    "gelab": rf"<THINK>{_LINES}{_WORDS}\.</THINK>\nexplain:{_WORDS}\taction:{_GELAB}\tsummary:{_WORDS}",
    "ui_venus_15": rf"<think>{_LINES}{_WORDS}\.</think>\n<action>{_VENUS_15}</action>\n"
    rf"<conclusion>{_WORDS}\.</conclusion>",
    "ui_venus": rf"<think>{_LINES}{_WORDS}\.</think>\n<action>{_VENUS}</action>",
}
"""By the form of the family (``Dialect.form``): a reply that judges the last action and chooses the next one."""
