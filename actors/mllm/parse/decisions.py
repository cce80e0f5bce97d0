"""The operator's reply in other formats than our JSON: tool calls, headers, dictionaries, bare calls."""

from __future__ import annotations

import re
from typing import Any

from actors.mllm.parse import bare_calls, headers, tool_calls
from actors.mllm.parse.places import on_own_lines
from actors.mllm.parse.reasoning import Answer
from actors.mllm.parse.values import first_brace, objects
from actors.mllm.parse.words import Fields, dictionary
from protocol.errors import ReplyUnusable

_CONCLUSION = re.compile(r"<conclusion>(.*?)(?:</conclusion>|$)", re.DOTALL)
_THOUGHT = re.compile(r"^[ \t]*Thought[ \t]*[:：](.*?)(?=^[ \t]*Action[ \t]*[:：]|\Z)", re.DOTALL | re.MULTILINE)
_ACTION = re.compile(r"^[ \t]*Action[ \t]*[:：][ \t]*(.*)$", re.MULTILINE)


def decision(answer: Answer) -> dict[str, Any] | None:
    """The fields of a DecideReply; None where ``answer`` holds an action in none of the formats.

    Raises ReplyUnusable where it holds a broken one, or two that differ.
    """
    text = answer.text
    if not text.strip() and answer.endless:
        call = tool_calls.whole_call_at_end(answer.endless)
        return None if call is None else _with_words(call, "", "", answer.endless)
    if tool_calls.has_tags(text):
        call = headers.only(tool_calls.tagged_calls(text))
        return _with_words(call, tool_calls.before_calls(text), text, answer.reasoning)
    under = headers.sections(text)
    if under:
        return headers.decision(under)
    written = _dictionary(text)
    if written is not None:
        return _with_words(written, text[: first_brace(text)], text, answer.reasoning)
    calls = bare_calls.calls(text)
    if not calls:
        return None
    action = headers.only([call.fields for call in calls])
    if bare_calls.words_follow(text, calls):
        raise ReplyUnusable("words follow the call, and nothing says what they mean for it")
    return _with_words(action, _before_action(text), "", answer.reasoning)


def _dictionary(text: str) -> Fields | None:
    """The action that the first object of ``text`` is, if any; another one after it must be the same.

    Raises ReplyUnusable where it stands within a sentence.
    """
    found = objects(text)
    if not found or found[0].start != first_brace(text) or dictionary(found[0].value) is None:
        return None
    read = [(one.start, action) for one in found if (action := dictionary(one.value)) is not None]
    around = text[: found[0].start] + "\n" + text[found[0].end :]
    only = headers.only([*(action for _, action in read), *(call.fields for call in bare_calls.calls(around))])
    if on_own_lines(text, found).isdisjoint(start for start, _ in read):
        raise ReplyUnusable("the action stands within a sentence, not on lines of its own")
    return only


def _before_action(text: str) -> str:
    found = _ACTION.search(text)
    return text[: found.start()] if found else ""


def _with_words(action: Fields, before: str, whole: str, reasoning: str) -> dict[str, Any]:
    """Thought and expectation from what stands around an action."""
    thought = _THOUGHT.search(before)
    said = _ACTION.search(before)
    concluded = _CONCLUSION.search(whole)
    hope = concluded[1] if concluded else (said[1] if said else "")
    return {
        "thought": headers.brief(thought[1] if thought else reasoning),
        "action": action,
        "expectation": headers.brief(hope.strip().strip('"')),
    }
