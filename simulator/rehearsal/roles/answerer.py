"""Answer as the operator when a task wants information: read the answer off the picture. The schema gives its form."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from manyhands.protocol.roles.replies import AnswerReply
from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal.pages import Page
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.roles.notetaker import running_text
from manyhands.simulator.rehearsal.script import RehearsedAnswer, Scripts

_UNKNOWN = "This is a rehearsed model. It has not rehearsed what to answer to this goal."


def answer(reading: Reading, scripts: Scripts, page: Page | None, before: int) -> AnswerReply:
    """Return what the picture shows of what is wanted. ``before``: how many answers to this request were refused."""
    script = scripts.for_goal(reading.text(Section.GOAL))
    if script is None or script.answer is None or page is None:
        return AnswerReply(answer=_UNKNOWN)
    wanted: dict[str, Any] = json.loads(reading.text(Section.ANSWER))
    listed = wanted.get("type") == "array"
    fields = (wanted["items"] if listed else wanted).get("properties", {})
    found = _found(script.answer, page, fields, as_printed=before < script.answer.wrong_first)
    return AnswerReply(answer=found if listed else next(iter(found), {}))


def _found(told: RehearsedAnswer, page: Page, fields: Mapping[str, Any], as_printed: bool) -> list[dict[str, Any]]:
    matches = list(re.finditer(told.find, running_text(page.lines)))[: told.most]
    return [
        {name: _value(text, fields.get(name, {}), as_printed) for name, text in match.groupdict().items()}
        for match in matches
    ]


def _value(text: str, field: Mapping[str, Any], as_printed: bool) -> str | float:
    """Return a text in the type of its field. With ``as_printed``, leave numbers as texts, like a careless model."""
    words = " ".join(text.split())
    return float(words) if field.get("type") in ("number", "integer") and not as_printed else words
