"""Read actions that a model family writes as function calls: ``click(start_box='(5,6)')``, ``do(action="Tap", ...)``.

UI-TARS writes its call behind ``Action:``, AutoGLM-Phone in ``<answer>``, UI-Venus in ``<action>``. A call counts
only at the beginning of a line, behind such a mark or without one. What stands around it is checked as with every other
form. ``own_functions`` says what the functions mean.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from manyhands.actors.mllm.parse.actions import ActionCall, OfferedActions
from manyhands.actors.mllm.parse.own_functions import ENDS_OF_SIDES, FUNCTIONS, CallArguments, Function
from manyhands.actors.mllm.parse.surrounding_text import ACTION_ANYWHERE
from manyhands.actors.mllm.parse.tool_calls import read_arguments
from manyhands.actors.mllm.parse.values import NotAValue, Reader, TextSpan
from manyhands.actors.mllm.vocabulary import GELAB
from manyhands.protocol.errors import ReplyUnusable

_MOST_CALLS = 20
_CALL = re.compile(
    rf"^((?:{ACTION_ANYWHERE}|<(?:answer|action)>|<\|[a-z_]{{1,20}}\|>|```[a-z]*|[ \t`*])*+)"
    r"([A-Za-z][A-Za-z_]*+)[ \t]*(?=[(（])",
    re.MULTILINE | re.IGNORECASE,
)
_MARK = re.compile(rf"{ACTION_ANYWHERE}|<(?:answer|action)>", re.IGNORECASE)


_QUOTING = tuple(
    re.compile(
        r"[(（]\s*+(?:action\s*+=\s*+[\"'](?P<action>[A-Za-z_ ]{1,20})[\"']\s*+,\s*+)?"
        r"(?P<key>text|message|content)\s*+=\s*+"
        rf"{quote}(?P<text>(?:[^{quote}\\\n]{apostrophe}"
        rf"|(?<=[\s(（]){quote}(?=\S)[^{quote}\\\n]++(?<=\S){quote}(?=[\s.,!?;:)）]|{quote}\s*+[)）]))++){quote}\s*+[)）]"
    )
    for quote, apostrophe in (('"', ""), ("'", r"|(?<=\w)'(?=\w)"))
)
"""Match the arguments of a call whose last text holds words in the text's own quotation marks, without escapes.

Each mark inside must open or close a quotation, or be an apostrophe. Any other one may be the text's end.
"""


class OwnCall(NamedTuple):
    """Hold a call that was read: its action and place, and the words with which it ends the task."""

    action: ActionCall
    words: str


def read_own_calls(text: str, offered: OfferedActions) -> list[OwnCall]:
    """Return the calls of the family's functions in ``text``, in order; none if its form has no functions.

    Raises ReplyUnusable for a call that is broken, unknown behind its mark, or not carried out here.
    """
    functions = FUNCTIONS.get(offered.form)
    if functions and offered.form == GELAB:
        return _read_tabbed(text, functions, offered)
    own_calls: list[OwnCall] = []
    line = _CALL.search(text) if functions else None
    while line and functions and len(own_calls) < _MOST_CALLS:
        convert = functions.get(line[2].lower())
        if convert is None and not _MARK.search(line[1]):
            line = _CALL.search(text, line.end())
            continue
        if convert is None:
            raise ReplyUnusable(f"{line[2][:40]!r} is none of the functions {', '.join(functions)}")
        reader = Reader(text, line.end())
        try:
            positional, keywords = read_arguments(reader)
        except NotAValue as error:
            quoting = next(filter(None, (one.match(text, line.end()) for one in _QUOTING)), None)
            if quoting is None:
                raise ReplyUnusable(f"{line[2]}(...) cannot be read: {error}") from None
            reader.position = quoting.end()
            positional, keywords = [], {"action": quoting["action"], quoting["key"]: quoting["text"]}
        if positional:
            raise ReplyUnusable(f"{line[2]}(...): each argument has its name")
        fields, words = convert(CallArguments(line[2], keywords, ENDS_OF_SIDES.get(offered.form)), offered)
        own_calls.append(OwnCall(ActionCall(fields, TextSpan(line.start(2), reader.position)), words))
        line = _CALL.search(text, reader.position)
    return own_calls


def _read_tabbed(text: str, functions: Mapping[str, Function], offered: OfferedActions) -> list[OwnCall]:
    """Return the one call of a text whose parts tabs part, as GELab-Zero writes it; none if no part is an action.

    The summary must end the text: without it, the text may have been cut in an argument. Raises ReplyUnusable.
    """
    parts = [_PART.fullmatch(part) for part in text.strip().split("\t")]
    values = {part[1]: part[2] for part in parts if part}
    if "action" not in values:
        return []
    if None in parts or len(values) < len(parts) or list(values)[-1] != "summary":
        raise ReplyUnusable("its parts are explain, action, the action's arguments and summary, each once, in a line")
    arguments = {
        key: _TABBED_POINT.sub(r"(\1,\2)", value) if key.startswith("point") else value
        for key, value in values.items()
        if key not in ("explain", "action", "summary")
    }
    convert = functions.get(values["action"].lower())
    if convert is None:
        raise ReplyUnusable(f"{values['action'][:40]!r} is none of the actions {', '.join(functions).upper()}")
    fields, words = convert(CallArguments(values["action"], arguments, None), offered)
    return [OwnCall(ActionCall(fields, TextSpan(len(text) - len(text.lstrip()), len(text.rstrip()))), words)]


_PART = re.compile(r"[ \n]*(explain|action|value|return|point[12]?|summary) *: *(.*?) *")
_TABBED_POINT = re.compile(r"\A([0-9]{1,4}) *[ ,] *([0-9]{1,4})\Z")


def find_final_call(text: str, offered: OfferedActions) -> OwnCall | None:
    """Return the call in its tag at the end of reasoning that was never closed; None unless there is exactly one.

    Raises ReplyUnusable for a broken call.
    """
    tag = next((one for one in ("answer>", "action>") if text.rstrip().endswith(f"</{one}")), None)
    if tag is None:
        return None
    calls = read_own_calls(text, offered)
    return calls[0] if len(calls) == 1 and text[: calls[0].action.span.start].endswith(f"<{tag}") else None
