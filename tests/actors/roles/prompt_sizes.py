"""Prints how long the prompts are: ``python -m tests.actors.roles.prompt_sizes``. Not a test."""

from __future__ import annotations

import sys

from actors.mllm import dialect_named
from actors.prompts import Prompts, parts
from protocol.base import Role
from tests.actors.roles.examples import decide_request, note_request, plan_request, reflect_request


def main() -> None:
    dialect = dialect_named("qwen3-vl")
    texts = [f"A line of text on the screen, {number}" for number in range(45)]
    made = (
        ("plan, first", Role.PLAN, parts.plan_parts(plan_request(first=True), dialect)),
        ("plan, stuck", Role.PLAN, parts.plan_parts(plan_request(stuck=True), dialect)),
        ("decide, 46 elements", Role.DECIDE, parts.decide_parts(decide_request(texts=texts), dialect)),
        ("reflect, 46 elements", Role.REFLECT, parts.reflect_parts(reflect_request(texts=texts), dialect)),
        ("note, 46 elements", Role.NOTE, parts.note_parts(note_request(texts=texts), dialect)),
    )
    for name, role, given in made:
        prompt = Prompts().render(role, (), given)
        sys.stdout.write(f"{name:22} system {len(prompt.system):5}  text {len(prompt.text):6} characters\n")


if __name__ == "__main__":
    main()
