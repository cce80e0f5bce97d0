"""Read the replies of all roles but the operator under headers, as the papers write them and as ours ask for them.

What stands under Thought or Description never decides; an outcome is the letter at the start of its section and
nothing else.
"""

from __future__ import annotations

import re
from typing import Any

from manyhands.actors.mllm.parse.sections import Sections
from manyhands.actors.mllm.parse.values import objects
from manyhands.protocol.base import Reply
from manyhands.protocol.described import described
from manyhands.protocol.errors import ReplyUnusable

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
_REACHED = {"yes": True, "true": True, "no": False, "false": False, "unknown": None, "null": None}
_FINISHED = frozenset({"finished", "all finished"})


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
    """Return the fields of a PlanReply; None without a Plan.

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
    """Return the step with the number 1 of a plan, one line at most; all of a plan without numbers."""
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
    """Return the fields of a ReflectReply; None without an Outcome (or v2's Answer). Raises ReplyUnusable."""
    body = found.get("Outcome", found.get("Answer"))
    if body is None:
        return None
    letter = outcome(body)
    error = found.get("Error Description")
    if error is None:
        error = "" if letter == "A" else found.get("Thought", "")
    return {"outcome": letter, "error": error, "progress": found.get("Progress Status", "")}


def letter(found: Sections) -> dict[str, Any] | None:
    """Return the fields of a LetterReply; None without an Answer (or E's Outcome). Raises ReplyUnusable."""
    body = found.get("Answer", found.get("Outcome"))
    return None if body is None else {"thought": found.get("Thought", ""), "outcome": outcome(body)}


def reflection_and_subgoal(found: Sections) -> dict[str, Any] | None:
    """Return the fields of a ReflectSubgoalReply; without its section the subgoal is unknown. Raises ReplyUnusable."""
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
    """Return the fields of a NoteReply; None without notes."""
    body = found.get("Important Notes", found.get("Important Content"))
    return None if body is None else {"notes": body}


# ---------------------------------------------------------------------------- the learner of shortcuts
_NO_SHORTCUT = frozenset({"", "none", "null"})


def new_shortcut(found: Sections) -> dict[str, Any] | None:
    """Return the fields of a LearnShortcutsReply; None without its section. Raises ReplyUnusable for no JSON object."""
    body = found.get("New Shortcut")
    if body is None:
        return None
    if body.strip().strip(".").casefold() in _NO_SHORTCUT:
        return {"shortcut": None}
    candidates = objects(body)
    if len(candidates) != 1:
        raise ReplyUnusable(f"New Shortcut has to hold one JSON object, and holds {len(candidates)}")
    return {"shortcut": candidates[0].value}
