"""How the rehearsed model answers the agent: Home first, then it stops."""

from __future__ import annotations

from manyhands.protocol.base import Reply
from manyhands.simulator.rehearsal.profiles.rehearsals import Question, Rehearsal
from tiny_paper.declaration import TinyReply


class TinyRehearsal(Rehearsal):
    """Answers as the one agent of the paper."""

    writes = (TinyReply,)

    def is_asked(self, question: Question) -> bool:
        return question.wanted is not None and issubclass(question.wanted, self.writes)

    def reply(self, question: Question) -> Reply:
        pressed = any("Step 0: Home" in text for text in question.reading.sections.values())
        thought = "It was pressed." if pressed else "Home is where to begin."
        return TinyReply.model_validate({"thought": thought, "action": {"name": "Stop" if pressed else "Home"}})
