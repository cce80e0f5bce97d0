"""Replies under the papers' headers, ``### Thought ###`` and so on.

Mobile-Agent-v2 (section 3), Mobile-Agent-E (section 3.1) and Mobile-Agent-v3 use different headers for the same
roles. A header may lack its closing hashes if it has its line for itself or ends in a colon. What stands under
Thought or Description never decides; an outcome is the letter at the start of its section and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from actors.mllm.parse import bare_calls
from actors.mllm.parse.places import on_own_lines
from actors.mllm.parse.values import Found, NotAValue, first_brace, objects, read_object
from actors.mllm.parse.words import Fields, dictionary
from protocol.errors import ReplyUnusable

_NAMES = (
    "Thought",
    "Action",
    "Operation",
    "Description",
    "Expectation",
    "Plan",
    "Historical Operations",
    "Current Subgoal",
    "Change",
    "Status",
    "Outcome",
    "Answer",
    "Error Description",
    "Progress Status",
    "Subgoal Reached",
    "Important Notes",
    "Important Content",
)
_BY_LOWER = {name.lower(): name for name in _NAMES}
_HEADER = re.compile(
    rf"^[ \t]*[#＃]{{2,4}}[ \t]*({'|'.join(_NAMES)})[ \t]*(?:[#＃]+[ \t]*[:：]?|[:：]|(?=\r?$))",
    re.IGNORECASE | re.MULTILINE,
)
_LETTER = re.compile(r"([ABC])(?=$|[ \t]*[\r\n]|[.,:;)\-。，、：；）—–…⋯]|[ \t]+(?:[-—–:：…⋯]|\.\.))")
_OTHER_LETTER = re.compile(
    r"[\s.,:;)。，、：；）—–…⋯-]*(?:(?:or|and)\s+([BC])(?![A-Za-z])|"
    r"(?:(?:or|and)\s+)?([ABC])(?=\s*(?:$|[\r\n.,:;!?)/|。，、：；！？）—–…⋯-]|(?:or|and)\b)))"
)
"""A second verdict. A letter before another word is none (``A page``), but B and C after ``or`` are."""
_FIRST_STEP = re.compile(r"(?<!\S)1[.)、]\s*")
_SECOND_STEP = re.compile(r"(?<=\s)2[.)、](?!\S)")
_MOST_THOUGHT = 800
_REACHED = {"yes": True, "true": True, "no": False, "false": False, "unknown": None, "null": None}
_FINISHED = frozenset({"finished", "all finished"})

Sections = Mapping[str, str]


def sections(text: str) -> dict[str, str]:
    """The bodies by header, stripped; empty where there are none. Raises ReplyUnusable for a header twice."""
    found: dict[str, str] = {}
    for mark, end in _marks(text):
        name = _BY_LOWER[" ".join(mark[1].split()).lower()]
        body = _without_hashes(text[mark.end() : end].strip())
        if found.setdefault(name, body) != body:
            raise ReplyUnusable(f"the section {name!r} stands twice")
    return found


def _marks(text: str) -> list[tuple[re.Match[str], int]]:
    """The headings, each with the place where what stands under it ends."""
    marks = list(_HEADER.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return list(zip(marks, ends, strict=False))


def without_empty(text: str) -> str:
    """``text`` without the headings under which no word stands."""
    marks = _marks(text)
    kept = [text[: marks[0][0].start()] if marks else text]
    for mark, end in marks:
        if any(char.isalnum() for char in bare_calls.without_fences(text[mark.end() : end])):
            kept.append(text[mark.start() : end])
    return "".join(kept)


def _without_hashes(body: str) -> str:
    """Without the hashes that a model has put at the end of a section."""
    bare = body.rstrip("#＃")
    return bare.rstrip() if len(bare) + 2 <= len(body) else body


def brief(text: str) -> str:
    """A thought as long as our replies hold it."""
    return text.strip()[:_MOST_THOUGHT]


# ---------------------------------------------------------------------------- operator
def decision(found: Sections) -> dict[str, Any] | None:
    """The fields of a DecideReply; None without an Action. Raises ReplyUnusable."""
    if "Action" not in found:
        return None
    return {
        "thought": brief(found.get("Thought", "")),
        "action": action(found["Action"]),
        "expectation": brief(found.get("Expectation") or found.get("Description") or found.get("Operation", "")),
    }


def action(body: str) -> Fields:
    """The one action that an Action section holds. Raises ReplyUnusable."""
    written = bare_calls.without_fences(body)
    if first_brace(written) == 0:
        return _object_action(written)
    calls = [call.fields for call in bare_calls.calls(written, unquoted=True)]
    lines = [bare_calls.word(line) for line in written.split("\n") if any(char.isalnum() for char in line)]
    words = [one for one in lines if one is not None]
    if not (lines and lines[0]) and not bare_calls.begins(written):
        raise ReplyUnusable("the Action section holds no action")
    fields = only([*words, *calls])
    if lines[0] and len(words) < len(lines):
        raise ReplyUnusable(f"words follow {fields['name']} in the Action section")
    return fields


def _object_action(written: str) -> Fields:
    try:
        first = read_object(written, 0)
    except NotAValue as error:
        raise ReplyUnusable(f"the Action section: {error}") from None
    read = _flat_or_called(first)
    if read is None:
        raise ReplyUnusable("the Action section's object is no action")
    found = objects(written)
    later = [fields for one in found[1:] if (fields := _flat_or_called(one)) is not None]
    action = only([read, *later])
    if first.start not in on_own_lines(written, found):
        raise ReplyUnusable("words follow the Action section's object on its line")
    return action


def _flat_or_called(found: Found) -> Fields | None:
    """``{"name": ..., "arguments": ...}``, the arguments of mobile_use, or an action as our own JSON has it."""
    called = dictionary(found.value)
    flat = "name" in found.value and "arguments" not in found.value
    return found.value if called is None and flat else called


def only(actions: list[Fields]) -> Fields:
    """The action, where all are the same. Raises ReplyUnusable."""
    if any(other != actions[0] for other in actions[1:]):
        raise ReplyUnusable("the answer holds different actions")
    return actions[0]


# ---------------------------------------------------------------------------- planner
def plan(found: Sections) -> dict[str, Any] | None:
    """The fields of a PlanReply; None without a Plan.

    The papers' planners say neither what became of the subgoal nor, but for the word Finished, how things stand:
    ``change`` is then ``replan``, which claims nothing to be reached.
    """
    if "Plan" not in found:
        return None
    text, subgoal = found["Plan"], found.get("Current Subgoal")
    finished = _is_finished(text) or (subgoal is not None and _is_finished(subgoal))
    if subgoal is None:
        subgoal = _first_step(text)
    return {
        "thought": brief(found.get("Thought", "")),
        "plan": "" if _is_finished(text) else text,
        "change": _choice(found, "Change", ("keep", "next", "replan"), "replan"),
        "subgoal": "" if _is_finished(subgoal) else subgoal,
        "status": _choice(
            found, "Status", ("continue", "finished", "impossible"), "finished" if finished else "continue"
        ),
    }


def _first_step(plan: str) -> str:
    """The step with the number 1 of a plan, one line at most; all of a plan without numbers."""
    first = _FIRST_STEP.search(plan)
    if first is None:
        return plan
    line = plan[first.end() :].split("\n", 1)[0]
    second = _SECOND_STEP.search(line)
    return (line[: second.start()] if second else line).strip()


def _is_finished(text: str) -> bool:
    return text.strip().strip(".。!\"'*`").lower() in _FINISHED


def _choice(found: Sections, name: str, known: tuple[str, ...], otherwise: str) -> str:
    if name not in found:
        return otherwise
    word = found[name].strip().strip(".。\"'*`").lower()
    if word not in known:
        raise ReplyUnusable(f"{name} is none of {', '.join(known)}")
    return word


# ---------------------------------------------------------------------------- reflector, notetaker
def reflection(found: Sections) -> dict[str, Any] | None:
    """The fields of a ReflectReply; None without an Outcome (or v2's Answer). Raises ReplyUnusable."""
    body = found.get("Outcome", found.get("Answer"))
    if body is None:
        return None
    letter = outcome(body)
    error = found.get("Error Description")
    if error is None:
        error = "" if letter == "A" else brief(found.get("Thought", ""))
    return {"outcome": letter, "error": error, "progress": found.get("Progress Status", "")}


def reflection_and_subgoal(found: Sections) -> dict[str, Any] | None:
    """The fields of a ReflectSubgoalReply; a subgoal of which nothing is said is unknown. Raises ReplyUnusable."""
    fields = reflection(found)
    if fields is None:
        return None
    return {**fields, "subgoal_reached": _REACHED[_choice(found, "Subgoal Reached", tuple(_REACHED), "unknown")]}


def outcome(body: str) -> str:
    """The letter that stands alone at the start. Raises ReplyUnusable for any other beginning."""
    letter = _LETTER.match(body.strip())
    if letter is None:
        raise ReplyUnusable("the outcome does not begin with A, B or C alone")
    other = _OTHER_LETTER.match(body.strip(), letter.end())
    if other is not None and (other[1] or other[2]) != letter[1]:
        raise ReplyUnusable("the outcome names several letters")
    return letter[1]


def notes(found: Sections) -> dict[str, Any] | None:
    """The fields of a NoteReply; None without notes."""
    body = found.get("Important Notes", found.get("Important Content"))
    return None if body is None else {"notes": body}
