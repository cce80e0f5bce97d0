"""Read replies under the papers' headers, such as ``### Thought ###``, of all roles but the operator.

Mobile-Agent-v2 (section 3), Mobile-Agent-E (section 3.1) and Mobile-Agent-v3 use different headers for the same roles.
A header may lack its closing hashes if it is alone on its line or ends in a colon. The text under Thought or
Description never decides. An outcome is the letter at the start of its section, and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from manyhands.actors.mllm.parse import surrounding_text
from manyhands.actors.mllm.parse.surrounding_text import remove_fences
from manyhands.actors.mllm.parse.values import find_objects
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.field_description import describe_fields
from manyhands.protocol.roles.learners import LearnShortcutsReply
from manyhands.protocol.roles.replies import AnswerReply, VerdictReply
from manyhands.protocol.roles.role import (
    AddedNotesReply,
    NoteReply,
    PlanReply,
    ReflectChangeReply,
    ReflectChangeSubgoalReply,
    ReflectReply,
    ReflectSubgoalReply,
)

_OTHERS = ("Operation", "Expectation", "Historical Operations", "Answer", "Important Content", "New Shortcuts")
"""Headings of the papers that our prompts do not ask for."""

Sections = Mapping[str, str]


def read_sections(text: str, subject: str = "") -> dict[str, str]:
    """Return the text of each section by its heading, stripped and without a fence around it.

    The result is empty if there are no sections. ``subject``: a pattern of words, beside ``answer``, by which a label
    before the sections may name them. Raises ReplyUnusable if two sections of one heading differ, or if words come
    before the first heading.
    """
    sections: dict[str, str] = {}
    marks = _find_headings(text)
    if marks:
        surrounding_text.check_before_sections(text, marks[0][0].start(), subject)
    for mark, end in marks:
        name = _headings()[" ".join(mark[1].split()).lower()]
        body = _without_hashes(_without_fence(text[mark.end() : end].strip()))
        if sections.setdefault(name, body) != body:
            raise ReplyUnusable(f"the section {name!r} stands twice")
    return sections


@cache
def _headings() -> Mapping[str, str]:
    """Return the headings that any profile asks for, and others of the papers, by their lower case."""
    replies = [reply for profile_replies in registered_profiles().replies.values() for reply in profile_replies]
    names = (*(field.heading for reply in replies for field in describe_fields(reply)), *_OTHERS)
    return {name.lower(): name for name in names}


@cache
def _header() -> re.Pattern[str]:
    """Return the pattern of a heading line."""
    names = "|".join(map(re.escape, _headings().values()))
    return re.compile(
        rf"^[ \t]*[#＃]{{2,4}}[ \t]*({names})[ \t]*(?:[#＃]+[ \t]*[:：]?|[:：]|(?=\r?$))",
        re.IGNORECASE | re.MULTILINE,
    )


def _find_headings(text: str) -> list[tuple[re.Match[str], int]]:
    """Return the headings, each with the end of its section."""
    marks = list(_header().finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return list(zip(marks, ends, strict=False))


def remove_empty_sections(text: str) -> str:
    """Return ``text`` with blanks in the place of sections that hold no word."""
    marks = _find_headings(text)
    parts = [text[: marks[0][0].start()] if marks else text]
    for mark, end in marks:
        section = text[mark.start() : end]
        has_text = any(char.isalnum() for char in surrounding_text.remove_fences(text[mark.end() : end]))
        parts.append(section if has_text else surrounding_text.blank(section))
    return "".join(parts)


def _without_fence(body: str) -> str:
    """Return ``body`` without the fence around it, or without the end of a fence that opened before the header."""
    fences = list(surrounding_text.FENCE.finditer(body))
    if len(fences) == 2 and fences[0].start() == 0 and fences[1].end() == len(body):
        return body[fences[0].end() : fences[1].start()].strip()
    if len(fences) % 2 and fences[-1].end() == len(body):
        return body[: fences[-1].start()].rstrip()
    return body


def _without_hashes(body: str) -> str:
    """Return ``body`` without the hashes at its end, if there are at least two."""
    bare = body.rstrip("#＃")
    return bare.rstrip() if len(bare) + 2 <= len(body) else body


_LETTER = re.compile(r"([ABC])(?=$|[ \t]*[\r\n]|[.,:;)\-。，、：；）—–…⋯]|[ \t]+(?:[-—–:：…⋯]|\.\.))")
_DRESSED = re.compile(r"(?:\*\*|__|[*_\"'`(（\[“])([ABC])(?:\*\*|__|[*_\"'`)）\]”])|^(?:\*\*|__)(?=[ABC])")
"""A letter in bold, in brackets or in quotation marks, or the bold mark before a sentence that begins with a letter."""
_OTHER_LETTER = re.compile(
    r"[\s.,:;)。，、：；）—–…⋯-]*(?:(?:or|and)\s+([BC])(?![A-Za-z])|"
    r"(?:(?:or|and)\s+)?([ABC])(?=\s*(?:$|[\r\n.,:;!?)/|。，、：；！？）—–…⋯-]|(?:or|and)\b)))"
)
"""Matches a second verdict after the first letter. A letter before another word is no verdict (``A page``), but B or C
after ``or`` or ``and`` is one."""
_LETTER_AGAIN = re.compile(
    r"(?<![A-Za-z0-9_])(?<![A-Za-z0-9]-)"
    r"(?!A[ \t]+(?!(?:is|was|or|and|but|because|instead|after|then|not)\b)[A-Za-z])"
    r"([ABC])(?![A-Za-z0-9_+#]|-[A-Za-z0-9])"
)
"""Matches a letter alone behind the first one, which may take that one back (``A, but rather C``), but no article."""
_QUOTATION = re.compile('"[^"]*+"|“[^“”]*+”|「[^「」]*+」|『[^『』]*+』|«[^«»]*+»|《[^《》]*+》')
"""A quotation without another of its kind in it, so that a search does not begin again for each mark that is open."""
_FIRST_STEP = re.compile(r"(?<!\S)1[.)、]\s*")
_SECOND_STEP = re.compile(r"(?<=\s)2[.)、](?!\S)")
_REACHED = {"yes": True, "true": True, "no": False, "false": False, "unknown": None, "null": None}
_FINISHED = frozenset({"finished", "all finished"})
_Reading = Callable[[Sections], Mapping[str, Any] | None]


# ---------------------------------------------------------------------------- any role
def read_fields(reply: type[Reply], sections: Sections) -> dict[str, Any] | None:
    """Return the fields of a reply, each from its own section; None if none of the sections exists.

    Raises ReplyUnusable for a word that is not one of a field's choices.
    """
    fields = describe_fields(reply)
    if not any(field.heading in sections for field in fields):
        return None
    read: dict[str, Any] = {field.name: sections.get(field.heading, "") for field in fields if not field.choices}
    for field in fields:
        if field.choices == (True, False, None):
            read[field.name] = _REACHED[_choice(sections, field.heading, tuple(_REACHED), "unknown")]
        elif field.choices:
            word = _choice(sections, field.heading, tuple(map(str.lower, field.choices)), "")
            read[field.name] = next((one for one in field.choices if one.lower() == word), "")
    return read


# ---------------------------------------------------------------------------- planner
def read_plan(sections: Sections) -> dict[str, Any] | None:
    """Return the fields of a PlanReply; None without a Plan.

    The papers' planners do not say what became of the subgoal, and report the status only by the word Finished. If the
    reply says nothing about the subgoal, ``change`` is ``replan``, which does not claim that anything was reached.
    """
    if "Plan" not in sections:
        return None
    text, subgoal = sections["Plan"], sections.get("Current Subgoal")
    finished = _is_finished(text) or (subgoal is not None and _is_finished(subgoal))
    if subgoal is None:
        subgoal = _first_step(text)
    return {
        "thought": sections.get("Thought", ""),
        "plan": "" if _is_finished(text) else text,
        "change": _choice(sections, "Change", ("keep", "next", "replan"), "replan"),
        "subgoal": "" if _is_finished(subgoal) else subgoal,
        "status": _choice(
            sections, "Status", ("continue", "finished", "impossible"), "finished" if finished else "continue"
        ),
    }


def _first_step(plan: str) -> str:
    """Return step 1 of a numbered plan, at most one line. Return the whole plan if it has no numbers."""
    first = _FIRST_STEP.search(plan)
    if first is None:
        return plan
    line = plan[first.end() :].split("\n", 1)[0]
    second = _SECOND_STEP.search(line)
    return (line[: second.start()] if second else line).strip()


def _is_finished(text: str) -> bool:
    return text.strip().strip(".。!\"'*`").lower() in _FINISHED


def _choice(sections: Sections, name: str, choices: tuple[str, ...], otherwise: str) -> str:
    if name not in sections:
        return otherwise
    word = sections[name].strip().strip(".。\"'*`").lower()
    if word not in choices:
        raise ReplyUnusable(f"{name} is none of {', '.join(choices)}")
    return word


# ---------------------------------------------------------------------------- reflector, notetaker
def read_reflection(sections: Sections) -> dict[str, Any] | None:
    """Return the fields of a ReflectReply; None without an Outcome (or v2's Answer). Raises ReplyUnusable."""
    body = sections.get("Outcome", sections.get("Answer"))
    if body is None:
        return None
    letter = read_outcome(body)
    error = sections.get("Error Description")
    if error is None:
        error = "" if letter == "A" else sections.get("Thought", "")
    return {"outcome": letter, "error": error, "progress": sections.get("Progress Status", "")}


def read_change_and_reflection(sections: Sections) -> dict[str, Any] | None:
    """Return the fields of a ReflectChangeReply; None without an Outcome. Raises ReplyUnusable."""
    fields = read_reflection(sections)
    return None if fields is None else {"change": sections.get("Screen Change", ""), **fields}


def read_letter(sections: Sections) -> dict[str, Any] | None:
    """Return the fields of a VerdictReply; None without an Answer (or E's Outcome). Raises ReplyUnusable."""
    body = sections.get("Answer", sections.get("Outcome"))
    return None if body is None else {"thought": sections.get("Thought", ""), "outcome": read_outcome(body)}


def _with_subgoal(reading: _Reading, sections: Sections) -> dict[str, Any] | None:
    """Return the fields that ``reading`` finds, and whether the subgoal is reached.

    Without a section for it this is unknown. Raises ReplyUnusable.
    """
    fields = reading(sections)
    if fields is None:
        return None
    return {**fields, "subgoal_reached": _REACHED[_choice(sections, "Subgoal Reached", tuple(_REACHED), "unknown")]}


def read_outcome(body: str) -> str:
    """Return the outcome's letter, alone at the start of ``body``.

    Raises ReplyUnusable for any other beginning, and if another letter stands alone in the same line, outside
    quotations.
    """
    body = _DRESSED.sub(lambda dressed: dressed[1] or "", body.strip())
    letter = _LETTER.match(body)
    if letter is None:
        raise ReplyUnusable("the outcome does not begin with A, B or C alone")
    other = _OTHER_LETTER.match(body, letter.end())
    line = _QUOTATION.sub("", body[letter.end() :].split("\n", 1)[0])
    named = {again[1] for again in _LETTER_AGAIN.finditer(line)} | ({other[1] or other[2]} if other else set())
    if named - {letter[1]}:
        raise ReplyUnusable("the outcome names several letters")
    return letter[1]


def read_notes(sections: Sections) -> dict[str, Any] | None:
    """Return the fields of a NoteReply; None without notes."""
    body = sections.get("Important Notes", sections.get("Important Content"))
    return None if body is None else {"notes": body}


# ---------------------------------------------------------------------------- the learner of shortcuts
_NO_SHORTCUT = frozenset({"", "none", "null", "[]"})


def read_new_shortcuts(sections: Sections) -> dict[str, Any] | None:
    """Return the fields of a LearnShortcutsReply; None without its section.

    Raises ReplyUnusable without a JSON object.
    """
    body = sections.get("New Shortcut", sections.get("New Shortcuts"))
    if body is None:
        return None
    if body.strip().strip(".").casefold() in _NO_SHORTCUT:
        return {"shortcuts": []}
    shortcuts = [one.value for one in find_objects(body)]
    if not shortcuts:
        raise ReplyUnusable("New Shortcut has to hold a JSON object for each shortcut, and holds none")
    return {"shortcuts": [one for place, one in enumerate(shortcuts) if one not in shortcuts[:place]]}


# ---------------------------------------------------------------------------- the answer of a task
def read_task_answer(sections: Sections) -> dict[str, Any] | None:
    """Return the fields of an AnswerReply: the JSON in its section, or else the section's text.

    None without the section.
    """
    body = sections.get("Answer")
    if body is None:
        return None
    try:
        return {"answer": json.loads(remove_fences(body))}
    except (ValueError, RecursionError):
        return {"answer": body.strip()}


# ---------------------------------------------------------------------------- by the type of the reply
_OWN: dict[type[Reply], tuple[str, _Reading]] = {
    PlanReply: ("plan", read_plan),
    ReflectReply: ("outcome", read_reflection),
    ReflectSubgoalReply: ("outcome", partial(_with_subgoal, read_reflection)),
    ReflectChangeReply: ("outcome", read_change_and_reflection),
    ReflectChangeSubgoalReply: ("outcome", partial(_with_subgoal, read_change_and_reflection)),
    NoteReply: ("notes", read_notes),
    AddedNotesReply: ("notes", read_notes),
    VerdictReply: ("answer", read_letter),
    LearnShortcutsReply: ("shortcut", read_new_shortcuts),
    AnswerReply: ("answer", read_task_answer),
}
"""Replies for which the papers have their own form: a regular expression for a label that names the reply, and the
function that reads it."""


def label_of(reply: type[Reply]) -> str:
    """Return a regular expression of the words, beside ``answer``, by which a label may name this reply;
    empty if there are none.
    """
    label, _ = _form(reply)
    return label


def read_reply(reply: type[Reply], sections: Sections) -> Mapping[str, Any] | None:
    """Return the fields of a reply from its sections, in the papers' form if the papers have one for this reply.

    Return None if the sections do not hold the reply. Raises ReplyUnusable.
    """
    _, reading = _form(reply)
    return reading(sections)


def _form(reply: type[Reply]) -> tuple[str, _Reading]:
    """Return the papers' form of this type of reply, or of a type it is based on, else the general form."""
    own = (_OWN[kind] for kind in reply.__mro__ if kind in _OWN)
    return next(own, ("", partial(read_fields, reply)))
