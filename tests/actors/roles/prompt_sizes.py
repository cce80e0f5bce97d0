"""Prints how long the prompts are: ``python -m tests.actors.roles.prompt_sizes``. Not a test."""

from __future__ import annotations

import sys

from manyhands.actors.mllm import dialect_named
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles import Notetaker, Operator, Planner, Reflector
from tests.actors.roles.examples import (
    AFTER,
    BEFORE,
    decide_request,
    note_request,
    plan_request,
    reflect_request,
    text_of,
)


def main() -> None:
    prompts = Prompts(dialect_named("qwen3-vl"))
    texts = [f"A line of text on the screen, {number}" for number in range(45)]
    made = (
        ("plan, first", Planner.prompt(prompts, plan_request(first=True), [BEFORE])),
        ("plan, stuck", Planner.prompt(prompts, plan_request(stuck=True), [BEFORE])),
        ("decide, 46 elements", Operator.prompt(prompts, decide_request(texts=texts), [BEFORE])),
        ("reflect, 46 elements", Reflector.prompt(prompts, reflect_request(texts=texts), [BEFORE, AFTER])),
        ("note, 46 elements", Notetaker.prompt(prompts, note_request(texts=texts), [AFTER])),
    )
    for name, prompt in made:
        sys.stdout.write(f"{name:22} system {len(prompt.system):5}  text {len(text_of(prompt)):6} characters\n")


if __name__ == "__main__":
    main()
