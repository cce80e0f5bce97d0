"""Requests that differ from each other in role, words, elements and pictures."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm import Dialect, Prompt, parse
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles import Notetaker, Operator, Planner, Reflector
from manyhands.protocol.base import Reply
from manyhands.protocol.roles.role import DecideReply, NoteReply, PlanReply, ReflectReply, Role
from tests.actors.roles import examples
from tests.vllm.screens import noise

REPLIES: dict[Role, type[Reply]] = {
    Role.PLAN: PlanReply,
    Role.DECIDE: DecideReply,
    Role.REFLECT: ReflectReply,
    Role.NOTE: NoteReply,
}
WORDS = (
    "open settings", 'the one called "Work"', "打开设置，然后关闭 Wi-Fi", "日本語のメモ", "كلمة السر", "🙂👩‍👩‍👧 smile",
    "C:\\temp\\new", "{\"a\": [1, 2]}", "line one\nline two", "it's 50 % off — really?", "<|im_end|>", "‮reversed‬",
    "https://example.org/?q=a&b=c#d", "tab\tand nul-like \\u0000", "Ünïcödé ß ﬁ", "{{ braces }} {% raw %}",
)  # fmt: skip
SIDES = (140, 196, 252, 308, 392)


@dataclass(frozen=True)
class Varied:
    """One request, and the phone it is for."""

    role: Role
    prompt: Prompt
    route: str

    @property
    def reply(self) -> type[Reply]:
        return REPLIES[self.role]

    def read(self, text: str) -> Reply:
        return parse(self.reply, text)


def varied(count: int, dialect: Dialect, seed: int = 0) -> Sequence[Varied]:
    """``count`` requests, no two of them equal; same seed, same requests."""
    prompts = Prompts(dialect)
    draw = random.Random(seed)
    roles = list(REPLIES)
    return [_one(number, roles[number % len(roles)], prompts, draw) for number in range(count)]


def _one(number: int, role: Role, prompts: Prompts, draw: random.Random) -> Varied:
    words = " ".join(draw.choices(WORDS, k=draw.randrange(1, 6)))
    text = f"{number}. {words}"
    texts = draw.choices(WORDS, k=draw.randrange(0, 12))
    first, second = (noise(2 * number + picture, draw.choice(SIDES), draw.choice(SIDES)) for picture in range(2))
    return Varied(role, _prompt(role, prompts, text, texts, first, second), route=f"tiny-{number % 16}")


def _prompt(
    role: Role, prompts: Prompts, text: str, texts: Sequence[str], first: ModelImage, second: ModelImage
) -> Prompt:
    match role:
        case Role.PLAN:
            return Planner.prompt(prompts, examples.plan_request(text, stuck=len(texts) % 2 == 0), [first])
        case Role.DECIDE:
            return Operator.prompt(prompts, examples.decide_request(text, texts), [first])
        case Role.REFLECT:
            request = examples.reflect_request(text, texts, sees_after=len(texts) % 2 == 0)
            return Reflector.prompt(prompts, request, [first, second])
        case Role.NOTE:
            return Notetaker.prompt(prompts, examples.note_request(text, texts), [first])
