"""Write the run's page of a report of any size, from generated data: ``python -m tests.web.generated_report FOLDER``.

Only the page of the run is written: it has tasks of every verdict, phones, faults, causes, cost and lessons. Some texts
are hostile: markup, scripts, right-to-left marks and very long words.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from pathlib import Path

import numpy as np

from manyhands.actors.frames import content_id, encode_png
from manyhands.evaluation.markup import small_jpeg
from manyhands.evaluation.report.report_folder import write_application
from manyhands.evaluation.report.report_page import RUN, encode_payload, folder_page, script_of
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.episode_report import KnownLesson
from manyhands.protocol.run_report import (
    EpisodeRow,
    EpisodeTrack,
    FailureCause,
    PhoneTrack,
    ReportedTask,
    RunReport,
    StepMark,
    TaskVerdict,
    TaughtLesson,
    TimelineEvent,
)
from manyhands.protocol.runs.run_summary import AskedModel, Percentiles, RoleUsage, RunSummary, TaskRow

STARTED_AT = 1_767_261_600.0
STEP_S = 6.0
SCREENS = 12
HOSTILE = (
    "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">",
    "left \u202eright to left\u202c again \u2067both\u2069",
    "W" * 10_000,
    "打开设置，把字体调到最大，然后给妈妈发一条消息说我八点到家。",
    "</script></style><!-- {{ 7*7 }} ${7*7} & &amp; \"'`",
)
GOALS = (
    "Turn on dark mode and set the brightness to half.",
    "Find the cheapest wireless headphones in the shop, and put them into the cart.",
    "Send Ben Howard the address from the last note.",
    "What time does the museum close on Sunday?",
    "Set an alarm for 6:45 on weekdays.",
)
APPS = ("Settings", "Shop", "Messages", "Browser", "Notes")
STAGES = (("capture", 0.0, 0.1), ("perceive", 0.1, 0.35), ("verify", 0.1, 0.42), ("plan", 0.42, 0.62))
MORE_STAGES = (("decide", 0.62, 0.84), ("act", 0.84, 1.0), ("note", 0.5, 0.74))
FAILURES = (
    (Ending.STEP_LIMIT, "the limit of 20 steps was reached"),
    (Ending.FAILURE_LIMIT, "3 failed steps in a row; the last: the text was not typed"),
    (Ending.MODEL_FAILED, "the server refused the request: 400 the prompt is longer than 32,768 tokens"),
    (Ending.FINISHED, ""),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tasks", type=int, default=60)
    parser.add_argument("--phones", type=int, default=8)
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    write_generated_report(options.folder, options.tasks, options.phones, options.steps)


def write_generated_report(folder: Path, tasks: int, phones: int, steps: int) -> RunReport:
    """Write ``report.html``, its payload and its pictures into a folder."""
    for name in ("report", "screens", "thumbnails"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    screens = [_write_screen(folder, shade) for shade in range(SCREENS)]
    report = generate_report(tasks, phones, steps, screens)
    (folder / "report" / f"{RUN}.js").write_bytes(script_of(RUN, encode_payload(report.model_dump_json().encode())))
    write_application(folder / "report")
    (folder / "report.html").write_text(folder_page(RUN), encoding="utf-8")
    return report


def generate_report(tasks: int, phones: int, steps: int, screens: list[str]) -> RunReport:
    """Return a report, the same for the same arguments. Every fourth task failed, every ninth is undecided."""
    dice = random.Random(7)
    serials = [f"emulator-{5554 + 2 * number}" for number in range(phones)]
    tracks: dict[str, list[EpisodeTrack]] = defaultdict(list)
    reported = []
    for number in range(tasks):
        serial = serials[number % phones]
        start = tracks[serial][-1].end + 2 if tracks[serial] else dice.random() * 4
        task, track = _task(number, serial, start, steps, screens, dice)
        reported.append(task)
        tracks[serial].append(track)
    end = max((episodes[-1].end for episodes in tracks.values()), default=0.0)
    return RunReport(
        run=f"nightly {HOSTILE[1]}",
        made_at=STARTED_AT + end + 60,
        started_at=STARTED_AT,
        summary=_summary(reported, phones, end),
        tasks=tuple(reported),
        phones=tuple(PhoneTrack(phone=serial, episodes=tuple(tracks[serial])) for serial in serials),
        events=(
            TimelineEvent(kind="outage", at=end * 0.3, end=end * 0.34, text="no server of a model answered"),
            TimelineEvent(kind="fault", at=end * 0.5, phone=serials[0], text=f"cut: {HOSTILE[0]}"),
            TimelineEvent(kind="resumed", at=end * 0.6, text="the run was resumed"),
            TimelineEvent(
                kind="paused",
                at=end * 0.7,
                end=end * 0.75,
                phone=serials[0],
                text=f"ann paused the episode: {HOSTILE[0]}",
            ),
            TimelineEvent(
                kind="taken_over",
                at=end * 0.4,
                end=end * 0.5,
                phone=serials[1 % phones],
                text="ben took the episode over",
            ),
        ),
        causes=_causes(reported),
        lessons=(TaughtLesson(episode="task-1-1", task="task-1", changes=_lessons()),),
    )


def _task(
    number: int, serial: str, start: float, steps: int, screens: list[str], dice: random.Random
) -> tuple[ReportedTask, EpisodeTrack]:
    verdict: TaskVerdict = "failed" if number % 4 == 3 else "undecided" if number % 9 == 8 else "done"
    ending, reason = FAILURES[(number // 4) % len(FAILURES)] if verdict == "failed" else (Ending.FINISHED, "")
    taken = steps if tasks_are_long(number) else dice.randint(max(1, steps // 3), steps)
    goal = HOSTILE[number % len(HOSTILE)] if number % 7 == 3 else GOALS[number % len(GOALS)]
    name, episode = f"task-{number}", f"task-{number}-1"
    marks = tuple(_mark(step, start, taken, verdict, screens, dice) for step in range(taken))
    end = start + taken * STEP_S
    row = TaskRow(
        id=name,
        phone=serial,
        finished=ending,
        verified=None if verdict == "undecided" else verdict == "done",
        verified_by="phone",
        rubrics={},
        steps=taken,
        human_steps=None,
        attempts=1 + (number % 11 == 5),
        reason=reason,
        answer="at 18:00" if number % 5 == 3 and verdict == "done" else None,
        has_check=True,
    )
    failure = taken - 1 if verdict == "failed" else None
    task = ReportedTask(
        row=row,
        goal=goal,
        verdict=verdict,
        apps=(APPS[number % len(APPS)],),
        tags=("smoke",) if number % 3 == 0 else (),
        duration_s=taken * STEP_S,
        cause=f"c{(number // 4) % len(FAILURES)}" if verdict == "failed" else None,
        episodes=(
            EpisodeRow(
                id=episode,
                phone=serial,
                attempt=1,
                started_at=STARTED_AT + start,
                ended_at=STARTED_AT + end,
                ending=ending,
                steps=taken,
                failure_step=failure,
                last_good_step=taken - 2 if taken > 1 else None,
                last_screen=screens[number % len(screens)],
            ),
        ),
    )
    track = EpisodeTrack(episode=episode, task=name, start=start, end=end, ending=ending, verdict=verdict, steps=marks)
    return task, track


def tasks_are_long(number: int) -> bool:
    """Return whether a task takes all steps."""
    return number % 2 == 1


def _mark(
    step: int, start: float, taken: int, verdict: TaskVerdict, screens: list[str], dice: random.Random
) -> StepMark:
    begin = start + step * STEP_S
    stages = tuple(
        (name, round(begin + STEP_S * since * dice.uniform(0.96, 1), 3), round(begin + STEP_S * until, 3))
        for name, since, until in (*STAGES, *MORE_STAGES)
    )
    is_bad = verdict == "failed" and step >= taken - 3
    outcome = (Outcome.B if step % 2 else Outcome.C) if is_bad else Outcome.A
    return StepMark(
        step=step,
        start=round(begin, 3),
        end=round(begin + STEP_S, 3),
        outcome=outcome,
        stages=stages,
        screen=screens[(step + taken) % len(screens)],
    )


def _summary(tasks: list[ReportedTask], phones: int, end: float) -> RunSummary:
    usage = RoleUsage(
        calls=len(tasks) * 12,
        input_tokens=len(tasks) * 31_000,
        output_tokens=len(tasks) * 1_450,
        cached_tokens=len(tasks) * 21_000,
        cached_share=0.677,
        repairs=len(tasks) // 20,
        errors=len(tasks) // 50,
        queue_ms=Percentiles(p50=12, p95=180, mean=40),
        latency_ms=Percentiles(p50=820, p95=2_350, mean=1_050),
    )
    small = usage.model_copy(
        update={"input_tokens": usage.input_tokens // 3, "cached_tokens": usage.cached_tokens // 3, "errors": 0}
    )
    asked = AskedModel(
        model="Qwen3-VL-32B-Instruct",
        servers=("http://10.0.0.7:8000/v1",),
        dialect="qwen3_vl",
        max_pixels=None,
        output="json",
        grammar="json_schema",
        temperature=0.0,
        seed=0,
        max_tokens=2048,
    )
    work = {name: (until - since) * STEP_S * 1000 for name, since, until in (*STAGES, *MORE_STAGES)}
    done = [task for task in tasks if task.verdict == "done"]
    return RunSummary(
        run_id="generated",
        profile="e",
        schedule="overlap",
        phones=phones,
        tasks=len(tasks),
        finished={},
        verified=len(done),
        false_completes=sum(task.verdict == "failed" and task.row.finished is Ending.FINISHED for task in tasks),
        steps=sum(task.row.steps for task in tasks),
        wall_s=end,
        episodes_per_hour=3600 * len(done) / end if end else 0,
        away_s=end * 0.04,
        step_ms=Percentiles(p50=5_900, p95=9_400, mean=6_300),
        stage_ms={name: Percentiles(p50=ms, p95=ms * 2.1, mean=ms * 1.2) for name, ms in work.items()},
        queue_ms={name: Percentiles(p50=ms / 20, p95=ms / 4, mean=ms / 10) for name, ms in work.items()},
        overhead_ms_per_step=3.1,
        model={"planner": usage, "operator": usage, "reflector": small, "notetaker": small},
        servers={"http://10.0.0.7:8000/v1": usage, "http://10.0.0.8:8000/v1": small},
        models=dict.fromkeys(("planner", "operator", "reflector", "notetaker"), asked),
        actions_sent=sum(task.row.steps for task in tasks),
        actions_repeated=0,
        outcomes={},
        by_task=tuple(task.row for task in tasks),
        phones_left_out={"emulator-9998": "unauthorized"},
        versions={"manyhands": "0.1.0", "android": "14"},
        settings={"episode": {"schedule": "overlap", "limits": {"max_steps": 20}}, "phones": ["emulator-5554"]},
    )


def _causes(tasks: list[ReportedTask]) -> tuple[FailureCause, ...]:
    found: dict[str, list[ReportedTask]] = defaultdict(list)
    for task in tasks:
        if task.cause:
            found[task.cause].append(task)
    causes = [
        FailureCause(
            id=name,
            ending=members[0].row.finished,
            app=members[0].apps[0],
            reason=members[0].row.reason or "the check does not hold: expected settings.dark_mode is true; found false",
            tasks=tuple(task.row.id for task in members),
        )
        for name, members in found.items()
    ]
    return tuple(sorted(causes, key=lambda cause: -len(cause.tasks)))


def _lessons() -> tuple[KnownLesson, ...]:
    return (
        KnownLesson(id="tip-1", kind="tip", text="Scroll to the end before you say that it is missing.", way="added"),
        KnownLesson(id="shortcut-2", kind="shortcut", text=HOSTILE[0], way="changed"),
    )


def _write_screen(folder: Path, shade: int) -> str:
    rgb = np.full((240, 108, 3), 235, np.uint8)
    rgb[:18] = (60 + 12 * shade, 90, 190 - 10 * shade)
    rgb[40 + 12 * shade : 60 + 12 * shade, 12:96] = (120, 150, 200)
    name = content_id(rgb)
    png = encode_png(rgb)
    (folder / "screens" / f"{name}.png").write_bytes(png)
    (folder / "thumbnails" / f"{name}.jpg").write_bytes(small_jpeg(png))
    return name


if __name__ == "__main__":
    main()
