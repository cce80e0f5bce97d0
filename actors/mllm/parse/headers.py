"""Replies under the papers' headers, ``### Thought ###`` and so on.

Mobile-Agent-v2 (section 3), Mobile-Agent-E (section 3.1) and Mobile-Agent-v3 use different headers for the same
roles. A header may lack its closing hashes if it has its line for itself or ends in a colon. What stands under
Thought or Description never decides; an outcome is the letter at the start of its section and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from manyhands.actors.mllm.parse import around, bare_calls
from manyhands.actors.mllm.parse.around import Span
from manyhands.actors.mllm.parse.dictionaries import dictionary, flat
from manyhands.actors.mllm.parse.names import Fields
from manyhands.actors.mllm.parse.values import Found, NotAValue, first_brace, objects, read_object
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles import Role, described

_NAMES = tuple(
    dict.fromkeys(
        (
            *(field.heading for role in Role for reply in role.spec.replies for field in described(reply)),
            *("Operation", "Expectation", "Historical Operations", "Answer", "Important Content"),
        )
    )
)
"""The headings that we ask for, and others of the papers."""
_OPERATOR = frozenset({"Thought", "Action", "Operation", "Description", "Expectation"})
_BY_LOWER = {name.lower(): name for name in _NAMES}
_HEADER = re.compile(
    rf"^[ \t]*[#＃]{{2,4}}[ \t]*({'|'.join(map(re.escape, _NAMES))})[ \t]*(?:[#＃]+[ \t]*[:：]?|[:：]|(?=\r?$))",
    re.IGNORECASE | re.MULTILINE,
)
_LETTER = re.compile(r"([ABC])(?=$|[ \t]*[\r\n]|[.,:;)\-。，、：；）—–…⋯]|[ \t]+(?:[-—–:：…⋯]|\.\.))")
_DRESSED = re.compile(r"(?:\*\*|__|[*_\"'`(（\[“])([ABC])(?:\*\*|__|[*_\"'`)）\]”])|^(?:\*\*|__)(?=[ABC])")
"""A letter in bold, in parentheses, in quotation marks, or the mark of a bold sentence that begins with it."""
_OTHER_LETTER = re.compile(
    r"[\s.,:;)。，、：；）—–…⋯-]*(?:(?:or|and)\s+([BC])(?![A-Za-z])|"
    r"(?:(?:or|and)\s+)?([ABC])(?=\s*(?:$|[\r\n.,:;!?)/|。，、：；！？）—–…⋯-]|(?:or|and)\b)))"
)
"""A second verdict. A letter before another word is none (``A page``), but B and C after ``or`` are."""
_FIRST_STEP = re.compile(r"(?<!\S)1[.)、]\s*")
_SECOND_STEP = re.compile(r"(?<=\s)2[.)、](?!\S)")
_FENCE = re.compile(r"^[ \t]*```[a-z]*[ \t]*$", re.MULTILINE)
_REACHED = {"yes": True, "true": True, "no": False, "false": False, "unknown": None, "null": None}
_FINISHED = frozenset({"finished", "all finished"})

Sections = Mapping[str, str]


def sections(text: str, subject: str = "") -> dict[str, str]:
    """Return the bodies by header, stripped and without a fence around them; empty where there are none.

    ``subject``: what a label before them may call them, beside an answer. Raises ReplyUnusable for a header twice, and
    where words stand before the first one.
    """
    found: dict[str, str] = {}
    marks = _marks(text)
    if marks:
        around.check_before_sections(text, marks[0][0].start(), subject)
    for mark, end in marks:
        name = _BY_LOWER[" ".join(mark[1].split()).lower()]
        body = _without_hashes(_without_fence(text[mark.end() : end].strip()))
        if found.setdefault(name, body) != body:
            raise ReplyUnusable(f"the section {name!r} stands twice")
    return found


def _marks(text: str) -> list[tuple[re.Match[str], int]]:
    """The headings, each with the place where what stands under it ends."""
    marks = list(_HEADER.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return list(zip(marks, ends, strict=False))


def without_empty(text: str) -> str:
    """Return ``text`` with the headings blanked under which no word stands."""
    marks = _marks(text)
    kept = [text[: marks[0][0].start()] if marks else text]
    for mark, end in marks:
        section = text[mark.start() : end]
        said = any(char.isalnum() for char in bare_calls.without_fences(text[mark.end() : end]))
        kept.append(section if said else around.blanked(section))
    return "".join(kept)


def _without_fence(body: str) -> str:
    """Return ``body`` without the fence around it, or the end of one that opened before the first header."""
    fences = list(_FENCE.finditer(body))
    if len(fences) == 2 and fences[0].start() == 0 and fences[1].end() == len(body):
        return body[fences[0].end() : fences[1].start()].strip()
    if len(fences) % 2 and fences[-1].end() == len(body):
        return body[: fences[-1].start()].rstrip()
    return body


def _without_hashes(body: str) -> str:
    """Without the hashes that a model has put at the end of a section."""
    bare = body.rstrip("#＃")
    return bare.rstrip() if len(bare) + 2 <= len(body) else body


# ---------------------------------------------------------------------------- operator
def decision(found: Sections) -> dict[str, Any] | None:
    """The fields of a DecideReply; None without an Action. Raises ReplyUnusable."""
    if "Action" not in found:
        return None
    names = list(found)
    foreign = [name for name in names[: names.index("Action")] if name not in _OPERATOR]
    if foreign:
        raise ReplyUnusable(f"the section {foreign[0]!r}, which is another role's, stands before the action")
    return {
        "thought": found.get("Thought", ""),
        "action": action(found["Action"]),
        "expectation": found.get("Expectation") or found.get("Description") or found.get("Operation", ""),
    }


def action(body: str) -> Fields:
    """Return the one action that an Action section holds. Raises ReplyUnusable."""
    written = bare_calls.without_fences(body)
    if first_brace(written) == 0:
        return _object_action(written)
    calls = bare_calls.calls(written, unquoted=True)
    lines = [bare_calls.word(line) for line in written.split("\n") if any(char.isalnum() for char in line)]
    words = [one for one in lines if one is not None]
    if not (lines and lines[0]) and not bare_calls.begins(written):
        raise ReplyUnusable("the Action section holds no action")
    fields = only([*words, *(call.fields for call in calls)])
    if lines[0] and (len(words) < len(lines) or any(mark in written for mark in around.QUESTION_MARKS)):
        raise ReplyUnusable(f"words follow {fields['name']} in the Action section")
    if not lines[0]:
        around.check(written, [call.span for call in calls])
    return fields


def _object_action(written: str) -> Fields:
    try:
        first = read_object(written, 0)
    except NotAValue as error:
        raise ReplyUnusable(f"the Action section: {error}") from None
    read = _flat_or_called(first)
    if read is None:
        raise ReplyUnusable("the Action section's object is no action")
    found = [first, *(one for one in objects(written) if one.start >= first.end)]
    same = [(fields, one) for one in found if (fields := _flat_or_called(one)) is not None]
    action = only([fields for fields, _ in same])
    around.check(written, [Span(one.start, one.end) for _, one in same])
    return action


def _flat_or_called(found: Found) -> Fields | None:
    """``{"name": ..., "arguments": ...}``, the arguments of mobile_use, or an action as our own JSON has it."""
    read = dictionary(found.value)
    if read is None and isinstance(found.value.get("name"), str) and "arguments" not in found.value:
        return flat(found.value)
    return read


def only(actions: list[Fields]) -> Fields:
    """The action, where all are the same. Raises ReplyUnusable."""
    if any(other != actions[0] for other in actions[1:]):
        raise ReplyUnusable("the answer holds different actions")
    return actions[0]


# ---------------------------------------------------------------------------- any role
def fields(reply: type[Reply], found: Sections) -> dict[str, Any] | None:
    """Return the fields of a reply, each under its own heading; None where none of the headings is there.

    Raises ReplyUnusable for a word that is not one of a field's choices.
    """
    asked = described(reply)
    if not any(field.heading in found for field in asked):
        return None
    read: dict[str, Any] = {field.name: found.get(field.heading, "") for field in asked if not field.choices}
    for field in asked:
        if field.choices == (True, False, None):
            read[field.name] = _REACHED[_choice(found, field.heading, tuple(_REACHED), "unknown")]
        elif field.choices:
            word = _choice(found, field.heading, tuple(map(str.lower, field.choices)), "")
            read[field.name] = next((one for one in field.choices if one.lower() == word), "")
    return read


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
        "thought": found.get("Thought", ""),
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
        error = "" if letter == "A" else found.get("Thought", "")
    return {"outcome": letter, "error": error, "progress": found.get("Progress Status", "")}


def reflection_and_subgoal(found: Sections) -> dict[str, Any] | None:
    """The fields of a ReflectSubgoalReply; a subgoal of which nothing is said is unknown. Raises ReplyUnusable."""
    fields = reflection(found)
    if fields is None:
        return None
    return {**fields, "subgoal_reached": _REACHED[_choice(found, "Subgoal Reached", tuple(_REACHED), "unknown")]}


def outcome(body: str) -> str:
    """Return the letter that stands alone at the start. Raises ReplyUnusable for any other beginning."""
    body = _DRESSED.sub(lambda dressed: dressed[1] or "", body.strip())
    letter = _LETTER.match(body)
    if letter is None:
        raise ReplyUnusable("the outcome does not begin with A, B or C alone")
    other = _OTHER_LETTER.match(body, letter.end())
    if other is not None and (other[1] or other[2]) != letter[1]:
        raise ReplyUnusable("the outcome names several letters")
    return letter[1]


def notes(found: Sections) -> dict[str, Any] | None:
    """The fields of a NoteReply; None without notes."""
    body = found.get("Important Notes", found.get("Important Content"))
    return None if body is None else {"notes": body}
