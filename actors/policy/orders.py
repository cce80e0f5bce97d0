"""Find texts of a screen that address the agent: whoever wrote them may want it to do what nobody asked for.

These are rules, and a writer who knows them can avoid them. They make the policy ask more; nothing is allowed because
they are silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from manyhands.actors.policy.letters import fold
from manyhands.protocol.roles.sections import has_mark
from manyhands.protocol.screens.screen import Element

_ORDERS = re.compile(
    "|".join(
        (
            r"\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|earlier|all|your|the)\b.{0,30}"
            r"\b(instructions?|prompts?|rules?|goal|task|orders?)\b",
            r"\b(stop|abandon) (what you are doing|your (current |present )?(task|goal|work))\b",
            r"\b(do not|don't|never) (follow|obey|listen to) (the |your )?(user|owner|previous|original)\b",
            r"\b(system|developer|new|important|updated) (prompt|instructions?|message)s?\b.{0,20}:",
            r"\b(ai|llm|language model|phone|gui|mobile|automated)[ -]?(agents?|assistants?|operators?|bots?)\b",
            r"\b(dear|attention|hey|note to|as an?) (the )?(ai|agent|assistant|model|bot|operator)\b",
            r"\byour (new |real |next |actual )?(task|goal|subgoal|instruction|objective) (is|has)\b",
            r"\b(before|instead of|to) (continuing|proceeding|the task|your task|complete your task)\b",
            r"</?(system|user|assistant)\b",
            r"\"(name|action)\"\s*:\s*\"",
            r"(忽略|无视|忘记|不要理会).{0,12}(之前|以上|先前|所有|原来).{0,10}(指令|指示|提示|任务|要求|规则)",
            r"(系统|开发者|新的?)(提示|指令|消息)[::]",
            r"(人工智能|智能|AI|自动化|手机)\s?(助手|代理|助理|体|模型)",
            r"你的(新|真正|实际)?(任务|目标|指令)(是|为|已)",
        )
    ),
    re.IGNORECASE | re.DOTALL,
)


_LINES = 3
"""Over how many texts that follow each other the surest of the orders may reach."""
_OVER_LINES = re.compile(
    r"\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|earlier|your)\b.{0,30}"
    r"\b(instructions?|prompts?|rules?)\b"
    r"|\byour (new |real |next |actual )?(task|goal) is\b"
    r"|(忽略|无视|忘记).{0,12}(之前|以上|先前|所有).{0,10}(指令|指示|提示)",
    re.DOTALL,
)


def find_orders(elements: Iterable[Element]) -> tuple[str, ...]:
    """Return the texts that address the agent; none on an ordinary screen."""
    texts = [one.content for one in elements if one.content]
    orders = [text for text in texts if _gives_order(text, False)]
    runs = [" ".join(texts[first : first + _LINES]) for first in range(len(texts) - 1)]
    return tuple(orders or [run for run in runs if _gives_order(run, True)])


@lru_cache(maxsize=8192)  # most texts are on the next screen, too
def _gives_order(text: str, is_run: bool) -> bool:
    if is_run:
        return _OVER_LINES.search(fold(text)) is not None
    return has_mark(text) or _ORDERS.search(fold(text)) is not None
