"""A run to be judged: two episodes of which ten steps have a decision, full of what a page must not take for markup."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from manyhands.actors.frames import content_id, encode_png
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.journals.records import ActionDecided, Record, Reflected, Restored, ScreenCaptured
from manyhands.protocol.roles.requests import Decision, Reflection
from manyhands.protocol.screens.actions import Answer, Stop, Tap
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screen, Screenshot
from manyhands.protocol.tasks.predicates import Value
from manyhands.protocol.tasks.task import Check, Rubric, TaskSpec
from tests.evaluation.run_records import acted, ended, sent, span, started, write_run

HOSTILE = "</script><script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"
SIZE = Size(width=54, height=120)
STEPS = 9
"""Actions of the first episode, before it stops; the second one has this one step."""
RESTORED, WRONG = 5, 250
"""The step whose action led to a wrong page of this shade, which was restored."""
OPENED, FOUND = "opened <b>Settings</b>", "found the switch"
OPERATIONS = ("open Settings", "tap Display", "tap Dark mode")
FIRST, SECOND, LOST = "hostile-1-a", "short-2-b", "short-1-b"


def hostile_task() -> TaskSpec:
    holds = Value(path="settings.dark_mode", equals=True)
    return TaskSpec(
        id="hostile",
        goal=f"Turn on dark mode {HOSTILE}",
        check=Check(source="content://manyhands.simulator/state", holds=holds),
        rubrics=(Rubric(name=OPENED, holds=holds), Rubric(name=FOUND, holds=holds)),
        human_operations=OPERATIONS,
    )


def screen(shade: int) -> tuple[str, bytes]:
    rgb = np.full((SIZE.height, SIZE.width, 3), shade, np.uint8)
    return content_id(rgb), encode_png(rgb)


def captured_screen(step: int, shade: int) -> ScreenCaptured:
    shot = Screenshot(content_id=screen(shade)[0], size=SIZE, serial="p", taken_at=step, capture_ms=1)
    return ScreenCaptured(step=step, span=span(step, step), screenshot=shot)


def restored_screen(step: int, shade: int) -> Restored:
    shot = captured_screen(step, shade).screenshot
    seen = Screen(content_id=shot.content_id, size=SIZE, elements=(), keyboard="hidden")
    return Restored(step=step, span=span(step, step), backs=1, restored=True, screenshot=shot, screen=seen)


def hostile_episode() -> list[Record]:
    """Nine taps with verdicts, an answer among what was said, and a Stop that nobody judges."""
    records: list[Record] = [started(FIRST, hostile_task(), at=1)]
    for step in range(STEPS):
        tap = Tap(x=10 + step, y=20)
        reflection = Reflection(outcome=Outcome.A, error="", progress=f"p {HOSTILE}", made_by="model")
        records += [
            *([] if step == RESTORED + 1 else [captured_screen(step, 20 * step)]),
            ActionDecided(
                step=step,
                span=span(step, step),
                decision=Decision(thought=f"t {HOSTILE}", action=tap, expectation=HOSTILE),
            ),
            sent(step, f"k{step}", action=tap),
            acted(step, span(step, step)),
            Reflected(step=step, span=span(step, step), reflection=reflection),
        ]
        if step == RESTORED:
            records += [captured_screen(step + 1, WRONG), restored_screen(step, 20 * (step + 1))]
    stop = Decision(thought="", action=Stop(), expectation="")
    records += [
        captured_screen(STEPS, 20 * STEPS),
        ActionDecided(step=STEPS, span=span(9, 9), decision=stop),
        ended(20, steps=STEPS + 1, answer=f"It is on {HOSTILE}", verified=True, rubrics={OPENED: True, FOUND: False}),
    ]
    return records


def short_episode(episode: str, attempt: int, ending: Ending) -> list[Record]:
    answer = Decision(thought="", action=Answer(text=f"5 {HOSTILE}"), expectation="")
    return [
        started(episode, TaskSpec(id="short", goal="Say five"), at=30 + attempt, attempt=attempt),
        captured_screen(0, 240),
        ActionDecided(step=0, span=span(30, 30), decision=answer),
        ended(40 + attempt, ending, steps=1),
    ]


def write_judged_run(folder: Path) -> Path:
    """Write the run folder, with the screenshots and an attempt that lost its phone, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    tasks = [hostile_task(), TaskSpec(id="short", goal="Say five")]
    asked = {
        "run_id": "the run",
        "tasks": [task.model_dump(mode="json") for task in tasks],
        "model_source": "a stand-in for a model",
        "phones_source": f"stand-ins {HOSTILE}",
    }
    journals = {
        FIRST: hostile_episode(),
        LOST: short_episode(LOST, 1, Ending.PHONE_LOST),
        SECOND: short_episode(SECOND, 2, Ending.FINISHED),
    }
    write_run(folder, asked, journals)
    (folder / "screens").mkdir()
    for shade in [*(20 * step for step in range(STEPS + 1)), 240, WRONG]:
        name, png = screen(shade)
        (folder / "screens" / f"{name}.png").write_bytes(png)
    return folder


if __name__ == "__main__":
    write_judged_run(Path(sys.argv[1]))
