"""Answer as the judge: tell whether the last screens show what a statement says.

A statement is understood if it is an expectation (``expectations``), or if it has texts in quotation marks: then it is
true if all of these texts can be read on one of the last screens, or, with ``not`` or ``no`` in it, none of them. Of
any other statement this model cannot tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from manyhands.protocol.roles.role import JudgeReply
from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal import expectations
from manyhands.simulator.rehearsal.conditions import all_hold, is_shown
from manyhands.simulator.rehearsal.pages import Page, Sight
from manyhands.simulator.rehearsal.prompt import Reading

_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|「([^」]+)」')
_DENIED = re.compile(r"\b(not|no|never|nobody|nothing|without)\b", re.IGNORECASE)


def judge(reading: Reading, pages: Sequence[Page]) -> JudgeReply:
    """Return a verdict on the statement of the prompt, by what the pictures show."""
    statement = reading.text(Section.STATEMENT)
    if not pages or not statement:
        return _reply("cannot tell", "The prompt has no statement, or no picture.")
    sights = [Sight(lines=page.lines, page=page) for page in pages]
    conditions = expectations.read(statement)
    if conditions is not None:
        held = all_hold(conditions, sights[-1])
        return _reply("yes" if held else "no", f"The last picture shows {_shown(pages[-1])}.")
    texts = ["".join(found) for found in _QUOTED.findall(statement)]
    if not texts:
        return _reply("cannot tell", "This is a rehearsed model. It judges texts in quotation marks alone.")
    seen = [text for text in texts if any(is_shown(text, sight) for sight in sights)]
    denied = _DENIED.search(_QUOTED.sub("", statement)) is not None
    true = not seen if denied else len(seen) == len(texts)
    read = ", ".join(f'"{text}"' for text in seen) or "none of the quoted texts"
    return _reply("yes" if true else "no", f"I read {read}; the last picture shows {_shown(pages[-1])}.")


def opposite(reply: JudgeReply) -> JudgeReply:
    """Return a wrong verdict for a right one."""
    verdict = {"yes": "no", "no": "yes"}.get(reply.verdict, "yes")
    return JudgeReply.model_validate({"reason": "It looks so to me.", "verdict": verdict})


def _reply(verdict: str, reason: str) -> JudgeReply:
    return JudgeReply.model_validate({"reason": reason[:800], "verdict": verdict})


def _shown(page: Page) -> str:
    return ", ".join(f'"{line.text[:30]}"' for line in page.lines[1:5]) or "no text"
