"""Write a report with the film of a failed episode: ``python -m tests.web.generated_film FOLDER``.

The episode has a step of every kind: a tap, a swipe, typed text, a key, a person's action, a wrong page, a stage that
failed, an interruption. Some of its texts are hostile: markup, scripts, right-to-left marks and very long words.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

from manyhands.actors.frames import content_id, encode_png
from manyhands.evaluation.report.report_page import payload_of, payload_of_calls, payload_of_log, script_of
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.episode_report import (
    CallContent,
    CallSummary,
    EpisodeReport,
    ReadElement,
    ReportedStep,
    StageBar,
    StepCalls,
)
from manyhands.protocol.roles.role import Role
from manyhands.protocol.service.episodes import EpisodeStatus, ScreenTouch
from manyhands.protocol.tasks.unmet_tests import UnmetTest
from tests.web.generated_report import HOSTILE, STARTED_AT, write_generated_report

EPISODE = "film"
SIZE = (1080, 2400)
FAILURE = 5
"""The step that a person should look at first."""
SUBGOALS = ("Open the message", "Open the message of Ben", "Write 172 dollars to Clara")
"""The subgoals of the first three steps. The first two differ in two words, the third has none of theirs."""
SERVER = "http://10.0.0.7:8000/v1"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--screens", type=int, default=4, help="how many different screens there are")
    parser.add_argument("--repeats", default="", help="let it end by the limit of repeats, for this reason")
    parser.add_argument("--small", action="store_true", help="write small pictures, too")
    options = parser.parse_args()
    write_film(options.folder, options.steps, options.screens, options.small, options.repeats)


def write_film(folder: Path, steps: int, screens: int, has_small: bool, repeats: str = "") -> None:
    """Write ``report.html``, its payloads and its pictures into a folder."""
    write_generated_report(folder, 4, 1, 4)
    names = [_write_screen(folder, number, has_small) for number in range(screens)]
    report = _episode(steps, names, repeats)
    for kind, payload in (
        ("episodes", payload_of(report)),
        ("calls", payload_of_calls([_contents(step) for step in report.steps])),
        ("logs", payload_of_log(_log(report))),
    ):
        (folder / "report" / kind).mkdir(exist_ok=True)
        (folder / "report" / kind / f"{EPISODE}.js").write_bytes(script_of(f"{kind}/{EPISODE}", payload))


def _episode(count: int, screens: list[str], repeats: str) -> EpisodeReport:
    status = EpisodeStatus(
        id=EPISODE,
        task="greet",
        goal=f"Greet Ben. {HOSTILE[0]}",
        attempt=1,
        phone=f"emulator-5554 {HOSTILE[1]}",
        profile="e",
        started_at=STARTED_AT,
        ended_at=STARTED_AT + 6 * count,
        ending=Ending.REPEAT_LIMIT if repeats else Ending.FAILURE_LIMIT,
        reason=repeats or f"3 failed steps in a row; the last: {HOSTILE[4]}",
        steps=count,
        verified=False,
        verified_by="phone",
        unmet=(UnmetTest(expected='messages.sent is "Hello"', found="no message"),),
        answer=HOSTILE[0],
        resumed=1,
    )
    return EpisodeReport(
        episode=status,
        apps=("Messages", HOSTILE[2]),
        tags=("smoke",),
        schedule="speculate",
        stage_order=("capture", "perceive", "plan", "decide", "act", "verify", "note"),
        max_steps=20,
        steps=tuple(_step(number, screens) for number in range(count)),
        sizes=dict.fromkeys(screens, SIZE),
        has_log=True,
    )


def _step(number: int, screens: list[str]) -> ReportedStep:
    kind = number % 8
    actions = ("Tap (318, 319)", "Swipe (540, 1800) to (540, 600)", f"Type “{HOSTILE[0]}”", "Back")
    touches = {
        0: (ScreenTouch(x1=318, y1=319, x2=318, y2=319),),
        1: (ScreenTouch(x1=540, y1=1800, x2=540, y2=600),),
    }
    is_wrong = kind >= FAILURE
    return ReportedStep(
        step=number,
        screen=screens[number % len(screens)],
        width=SIZE[0],
        height=SIZE[1],
        taken_at=STARTED_AT + 6 * number,
        app="com.android.messaging",
        texts=("Messages", HOSTILE[0]),
        plan="1. Open Messages\n2. Write to Ben",
        subgoal=SUBGOALS[min(number, 2)],
        thought="I tap the first message at (294, 133)." if kind == 0 else HOSTILE[number % len(HOSTILE)],
        action=actions[kind % len(actions)],
        expectation="The screen shows the message.",
        touches=touches.get(kind % len(actions), ()),
        problem=HOSTILE[1] if kind == FAILURE + 1 else None,
        outcome=(Outcome.B if kind == FAILURE else Outcome.C) if is_wrong else Outcome.A,
        error=f"The screen shows something else: {HOSTILE[2]}" if kind == FAILURE else "Nothing changed." * is_wrong,
        progress="Opened Messages.",
        notes="" if number < 2 else HOSTILE[3],
        screen_after=screens[(number + 1) % len(screens)],
        times_ms={"plan": 400.0},
        model_calls=2,
        input_tokens=4100,
        output_tokens=90,
        failures=(f"note: {HOSTILE[0]}",) if kind == FAILURE + 2 else (),
        resumed=("the process that ran the episode died",) if kind == 3 else (),
        elements=(
            ReadElement(kind="text", content="Messages", x1=40, y1=120, x2=420, y2=200),
            ReadElement(kind="text", content=HOSTILE[number % len(HOSTILE)], x1=40, y1=300, x2=900, y2=380),
            ReadElement(kind="icon", content="", x1=900, y1=120, x2=1000, y2=200, source="accessibility"),
        ),
        stages=_stages(number),
        calls=(_call(0, "plan", number), _call(1, "plan", number)),
        action_kind=("Tap", "Swipe", "Type", "Back")[kind % 4],
        typed_text=HOSTILE[0] if kind % 4 == 2 else "",
        by_person=HOSTILE[4] if kind == 4 else "",
        wrong_page=screens[(number + 1) % len(screens)] if kind == FAILURE else None,
        went_back=True if kind == FAILURE else None,
        rubrics_held=("opened Messages",) if number else (),
    )


def _stages(number: int) -> tuple[StageBar, ...]:
    begin = STARTED_AT + 6 * number

    def bar(stage: str, start: float, end: float, **more: object) -> StageBar:
        return StageBar.model_validate({"stage": stage, "start": begin + start, "end": begin + end, **more})

    return (
        bar("settle", 0, 0.4),
        bar("capture", 0.4, 0.5),
        bar("perceive", 0.5, 1.1, queue_ms=200),
        bar("plan", 0.5, 1.2, assumed=("verify",), became="dropped", wrong="verify"),
        bar("plan", 1.2, 2.4, away=((begin + 1.5, begin + 1.8),)),
        bar("decide", 2.4, 3.0),
        bar("act", 3.0, 3.1),
        bar("verify", 3.5, 4.4, became="failed", error=HOSTILE[2]),
    )


def _call(number: int, stage: str, step: int) -> CallSummary:
    return CallSummary(
        number=number,
        stage=stage,
        role=Role.PLAN,
        agent=Role.PLAN.spec.agent,
        server=SERVER,
        model=f"Qwen3-VL {HOSTILE[0]}",
        started_at=STARTED_AT + 6 * step + number,
        latency_ms=620,
        input_tokens=2050,
        output_tokens=45,
        cached_tokens=1600,
        attempts=1 + number,
        is_repair=number == 1,
        error=HOSTILE[0] if number == 1 else None,
    )


def _contents(step: ReportedStep) -> StepCalls:
    return StepCalls(step=step.step, calls=tuple(_content(number, step) for number in range(len(step.calls))))


def _content(number: int, step: ReportedStep) -> CallContent:
    parts = [
        {
            "type": "text",
            "text": f"### Instruction ###\nIt's Ben's. {HOSTILE[0]}\n\n### {HOSTILE[2]} ###\n{HOSTILE[4]}",
        },
        {"type": "image_url", "image_url": {"url": f"manyhands:{step.screen}"}},
        {"type": "image_url", "image_url": {"url": f"manyhands:{step.screen}-crop-0.100.500.260-40.120.420.200-3"}},
        {"type": "text", "text": "### Your Task ###\nYou are the planner."},
    ]
    messages = [{"role": "system", "content": "You operate a phone."}, {"role": "user", "content": parts}]
    reply = f'{{"thought": "see {HOSTILE[1]}", "subgoal": "Open"}}' if number == 0 else HOSTILE[0]
    return CallContent.model_validate(
        {"number": number, "request": {"model": "Qwen3-VL", "messages": messages, "temperature": 0}, "reply": reply}
    )


def _log(report: EpisodeReport) -> list[str]:
    return [
        f"{STARTED_AT + 0.5 * number:.3f}  1234  1250 {'VDIWE'[number % 5]} Messages: line {number} {HOSTILE[0]}"
        for number in range(12 * len(report.steps))
    ]


def _write_screen(folder: Path, number: int, has_small: bool) -> str:
    """Write a screen whose lower part differs from the other screens."""
    rgb = np.full((SIZE[1], SIZE[0], 3), 240, np.uint8)
    rgb[:100] = (40, 60, 120)
    rgb[600 + 200 * number : 760 + 200 * number, 100:900] = (90, 130, 220)
    name = content_id(rgb)
    (folder / "screens" / f"{name}.png").write_bytes(encode_png(rgb))
    if has_small:
        (folder / "thumbnails").mkdir(exist_ok=True)
        Image.fromarray(rgb).resize((180, 400)).save(folder / "thumbnails" / f"{name}.jpg")
    return name


if __name__ == "__main__":
    main()
