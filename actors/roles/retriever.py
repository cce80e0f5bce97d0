"""The retriever: which of many tips and shortcuts fit a goal (Mobile-Agent-E, section 5.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt
from manyhands.actors.prompts import Prompts
from manyhands.actors.prompts.parts import Parts
from manyhands.actors.roles.base import StepRole
from manyhands.protocol.learners import RecallReply
from manyhands.protocol.roles import Known, RecallRequest, Recollection, Role

_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"[A-Za-z]\w*")


class Retriever(StepRole[RecallRequest, RecallReply, Recollection]):
    """Answers with the places of those that fit; what it names and is not there is left out."""

    role = Role.RECALL
    writes = RecallReply

    @classmethod
    def prompt(cls, prompts: Prompts, request: RecallRequest, images: Sequence[ModelImage]) -> Prompt:
        """Show the goal, the tips with numbers, and the shortcuts with what they are for."""
        own: Parts = {"format": prompts.format(RecallReply, request.size)}
        return prompts.of_text(request, own)

    @classmethod
    def read(cls, reply: RecallReply, known: Known, dialect: Dialect) -> Recollection:
        """Return what a reply chooses. Tips have numbers from 1 in the prompt."""
        places = {one.name: place for place, one in enumerate(known.shortcuts)}
        tips = dict.fromkeys(int(found) - 1 for found in _NUMBER.findall(reply.tips) if len(found) < 6)
        return Recollection(
            tips=tuple(place for place in tips if 0 <= place < known.tips),
            shortcuts=tuple(dict.fromkeys(places[name] for name in _NAME.findall(reply.shortcuts) if name in places)),
        )
