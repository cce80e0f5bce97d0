"""Ask once more in the same conversation, after an invalid reply."""

from __future__ import annotations

from dataclasses import replace

from manyhands.actors.mllm.request.bodies import Prompt, Turn
from manyhands.protocol.sections import harmless

LONGEST_ANSWER = 4000
"""Characters of an unusable answer that the model is shown again; what is wrong shows at its beginning or never."""
LONGEST_PROBLEM = 300


def repairing(prompt: Prompt, answer: str, problem: str, cut_off: bool) -> Prompt:
    """Return ``prompt`` with its ``answer`` and what is wrong with it.

    The answer goes back as the model's own turn; ``problem`` is one line of ours, which may quote a few
    words of it. ``cut_off``: the answer ended at its longest.
    """
    shown = answer if len(answer) <= LONGEST_ANSWER else answer[:LONGEST_ANSWER] + " ..."
    mistake = harmless(" ".join(problem.split())[:LONGEST_PROBLEM]).rstrip(".")
    shorter = " and it was cut off because it was too long" if cut_off else ""
    request = (
        f"This is not a valid reply{shorter}: {mistake}. Write the whole reply again in the form that was asked for"
        f"{', much shorter' if cut_off else ''}, and nothing else."
    )
    return replace(prompt, turns=(*prompt.turns, Turn(shown or "(nothing)", (request,))), repairs=True)
