"""Writes a large run of generated episodes, to measure reports with: journals as full as those of a real model.

Usage: ``python -m tests.evaluation.report.large_run FOLDER [EPISODES [STEPS]]``. Each step has four calls, whose
prompts have 28,000 characters together, and a screen of 40 texts. One episode in ten fails, for one of four causes.
All steps share 300 pictures.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from manyhands.actors.frames import content_id, encode_png
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.journals.journal import encode
from manyhands.protocol.journals.records import (
    ActionDecided,
    NotesTaken,
    Perceived,
    Planned,
    Record,
    Reflected,
    ScreenCaptured,
)
from manyhands.protocol.messages import ModelCall, Usage
from manyhands.protocol.roles.requests import Decision, Notes, Plan, Reflection, Subgoal
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Tap
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element, Screen, Screenshot, Settling
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.run_records import acted, ended, received, sent, span, started, write_run

SIZE = Size(width=540, height=1200)
PHONES, PICTURES, ELEMENTS = 50, 300, 40
STEP_S = 6.0
INSTRUCTIONS = "You operate a phone. " * 300
"""What begins every prompt, as a model's system prompt does."""
WORDS = (
    *("settings", "notes", "search", "open", "message", "today", "price", "weather", "cart", "train", "天气", "设置"),
    *("购物车", "7:45", "Grace", "milk", "list", "account", "button", "screen", "below", "above", "12:30", "bakery"),
)
CAUSES = (
    "5 failed steps in a row; the last: the button {} did nothing",
    'the model refused the picture "{}"',
    "40 steps without reaching the goal",
    "its planner found no way to page {}",
)


def write_large_run(folder: Path, episodes: int, steps: int) -> Path:
    """Write the run folder and return it."""
    chance = random.Random(1)
    folder.mkdir(parents=True)
    screens = _write_screens(folder / "screens", min(PICTURES, episodes * steps))
    tasks = [
        TaskSpec(id=f"task-{number}", goal=_say(chance, 12), tags=(f"tag{number % 7}",), apps=("Notes",))
        for number in range(episodes)
    ]
    asked = {
        "run_id": "large",
        "profile": "e",
        "schedule": "overlap",
        "phones": [f"phone-{number:02}" for number in range(PHONES)],
        "tasks": [task.model_dump(mode="json", exclude_defaults=True) for task in tasks],
        "model_source": "no model: the journals are generated",
    }
    write_run(folder, asked, {})
    for number, task in enumerate(tasks):
        episode = f"{task.id}-1-{number:06x}"
        write_journal(folder, episode, list(_episode(chance, number, episode, task, steps, screens)))
    return folder


def write_journal(folder: Path, episode: str, records: Sequence[Record]) -> None:
    path = folder / "episodes" / episode / "journal.mh"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(encode(record, episode) for record in records))


def _write_screens(folder: Path, count: int) -> list[str]:
    folder.mkdir()
    found = []
    for number in range(count):
        noise = np.random.default_rng(number)
        rgb = np.full((SIZE.height, SIZE.width, 3), 245, np.uint8)
        for _ in range(60):
            y, x = int(noise.integers(0, SIZE.height - 40)), int(noise.integers(0, SIZE.width - 200))
            rgb[y : y + 30, x : x + 180] = noise.integers(0, 255, 3)
        found.append(content_id(rgb))
        (folder / f"{found[-1]}.png").write_bytes(encode_png(rgb))
    return found


def _episode(
    chance: random.Random, number: int, episode: str, task: TaskSpec, steps: int, screens: Sequence[str]
) -> Iterator[Record]:
    at = 1_700_000_000 + number // PHONES * steps * STEP_S + number % 5
    fails = number % 10 == 3
    yield started(episode, task, at=at, serial=f"phone-{number % PHONES:02}", batch="batch-1", place=number)
    for step in range(steps):
        screen = screens[(number * steps + step) % len(screens)]
        yield from _step(chance, episode, step, at + step * STEP_S, screen, wrong=fails and step > steps - 5)
    reason = CAUSES[number // 10 % len(CAUSES)].format(number) if fails else "everything is done"
    ending = Ending.FAILURE_LIMIT if fails else Ending.FINISHED
    yield ended(at + steps * STEP_S, ending, steps=steps, reason=reason)


def _step(chance: random.Random, episode: str, step: int, at: float, screen: str, wrong: bool) -> Iterator[Record]:
    settling = Settling(ms=900, frames=4, settled=True)
    shot = Screenshot(
        content_id=screen, size=SIZE, serial="p", taken_at=at + 1, capture_ms=80, settling=settling, app="com.app.notes"
    )
    yield ScreenCaptured(step=step, span=span(at, at + 1), screenshot=shot)
    elements = tuple(
        Element(
            kind="text",
            box=Box(x1=20, y1=28 * place + 10, x2=300, y2=28 * place + 34),
            content=_say(chance, 4),
            confidence=0.9,
        )
        for place in range(ELEMENTS)
    )
    seen = Screen(content_id=screen, size=SIZE, elements=elements, keyboard="hidden")
    yield Perceived(step=step, span=span(at + 1, at + 1.8), screen=seen)
    plan = Plan(
        thought=_say(chance, 20),
        text=_say(chance, 60),
        subgoal=Subgoal(id=1 + step // 3, text=_say(chance, 8)),
        change="keep",
        status="continue",
    )
    yield Planned(
        step=step, span=span(at + 1.8, at + 3), plan=plan, calls=(_call(chance, Role.PLAN, at + 1.8, screen),)
    )
    tap = Tap(x=chance.randrange(20, 500), y=chance.randrange(20, 1100))
    decision = Decision(thought=_say(chance, 25), action=tap, expectation=_say(chance, 10))
    decide = (_call(chance, Role.DECIDE, at + 3, screen),)
    yield ActionDecided(step=step, span=span(at + 3, at + 4), decision=decision, calls=decide)
    key = f"{episode}:{step}"
    yield sent(step, key, at=at + 4, action=tap)
    yield received(step, key)
    yield acted(step, span(at + 4, at + 4.2))
    outcome = Outcome.C if wrong else Outcome.A
    verdict = Reflection(
        outcome=outcome, error="nothing changed" if wrong else "", progress=_say(chance, 20), made_by="model"
    )
    reflect = (_call(chance, Role.REFLECT, at + 5, screen),)
    yield Reflected(step=step, span=span(at + 5, at + 5.8), reflection=verdict, calls=reflect)
    note = (_call(chance, Role.NOTE, at + 5.8, screen),)
    yield NotesTaken(step=step, span=span(at + 5.8, at + 6), notes=Notes(text=_say(chance, 15)), calls=note)


def _call(chance: random.Random, role: Role, at: float, screen: str) -> ModelCall:
    picture = {"type": "image_url", "image_url": {"url": f"manyhands:{screen}"}}
    messages = [
        {"role": "system", "content": INSTRUCTIONS},
        {"role": "user", "content": [{"type": "text", "text": _say(chance, 120)}, picture]},
    ]
    return ModelCall(
        role=role,
        server="http://model/v1",
        request={"model": "generated", "messages": messages, "temperature": 0.0},
        reply=_say(chance, 80),
        usage=Usage(input_tokens=4000, output_tokens=150, cached_tokens=2500),
        started_at=at,
        latency_ms=900,
    )


def _say(chance: random.Random, words: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(words))


if __name__ == "__main__":
    episodes, steps = (int(word) for word in (*sys.argv[2:], "1000", "20")[:2])
    write_large_run(Path(sys.argv[1]), episodes, steps)
