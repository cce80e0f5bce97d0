"""``manyhands suite run --dry-run``: say what a suite would run, on which phones, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import Field

from manyhands.deploy.command_line.output import EXIT_BAD_INPUT, say_json, table, text_console
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.models import REHEARSED
from manyhands.evaluation.suites.coverage import fate
from manyhands.evaluation.suites.instructions import Instruction
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.terminal_text import count_noun

APP = "app:"
"""Begins the label of a phone that names an app."""


class TaskPreview(Message):
    """Say where a task would run."""

    id: str
    goal: str
    scenario: str | None
    """Its scenario, whose tasks run one after another; None if it may run at any time."""
    phones: tuple[str, ...]
    """The phones that have its apps; empty if none has."""
    missing_apps: tuple[str, ...] = ()
    """The apps that no usable phone has by that name."""
    lacks: tuple[str, ...] = ()
    """What the task lacks for figures: ``rubrics`` for SS, ``human_operations`` for CR and RE."""


class SuitePreview(Message):
    """Say what a suite would run, and what is missing."""

    out: str
    seeds: tuple[int, ...]
    """One run for each."""
    profile: str
    model: str
    phones: dict[str, str] = Field(default_factory=dict)
    """By serial: why the phone cannot be used; empty if it can."""
    tasks: tuple[TaskPreview, ...]
    left_out: dict[str, str] = Field(default_factory=dict)
    """Instructions that virtual phones cannot play, and why."""
    missing: tuple[str, ...]
    """What keeps the run from starting, or tasks from being done."""


async def preview_suite(
    settings: FleetSettings,
    instructions: Sequence[Instruction],
    tasks: Sequence[TaskSpec],
    seeds: Sequence[int],
    without_value: Mapping[str, Sequence[str]],
    as_json: bool,
) -> int:
    """Print what ``tasks`` would run on, and what is missing. Return the exit code: 2 if something is.

    ``without_value``: variables without a value, and the instructions that need each.
    """
    labels, phones, problems = await _look_at_phones(settings)
    model, no_model = await _look_at_model(settings)
    previews = tuple(_preview(task, labels) for task in tasks)
    no_value = [f"--set {name}=... for {', '.join(ids)}" for name, ids in without_value.items()]
    no_app = [f"{', '.join(one.missing_apps)} for {one.id}" for one in previews if one.missing_apps]
    virtual = settings.virtual_phones is not None
    preview = SuitePreview(
        out=str(settings.out or f"runs/TIME_{settings.name}"),
        seeds=tuple(seeds),
        profile=settings.episode.profile,
        model=model,
        phones=phones,
        tasks=previews,
        left_out={one.id: fate(one) for one in instructions if one.task is None} if virtual else {},
        missing=(*problems, *no_model, *no_value, *no_app),
    )
    if as_json:
        say_json(preview.model_dump(mode="json"))
    else:
        _tell(preview)
    return EXIT_BAD_INPUT if preview.missing else 0


async def _look_at_phones(settings: FleetSettings) -> tuple[Mapping[str, Sequence[str]], dict[str, str], list[str]]:
    """Return the names of apps of each usable phone, why other phones cannot be used, and what is missing."""
    from manyhands.deploy.doctor.phones import report_phones

    if settings.starts_phones:
        return {settings.phones[0]: ()}, {settings.phones[0]: ""}, []
    try:
        reports = await report_phones(settings, with_labels=True)
    except BadInput as error:
        return {}, {}, [str(error)]
    labels = {
        report.info.serial: [name.removeprefix(APP).casefold() for name in report.labels if name.startswith(APP)]
        for report in reports
        if report.usable
    }
    phones = {report.info.serial: report.why_not for report in reports}
    return labels, phones, [] if labels else ["a phone that can be used; see 'manyhands phones'"]


async def _look_at_model(settings: FleetSettings) -> tuple[str, list[str]]:
    """Return the model that would answer, and what is missing if none would."""
    from manyhands.deploy.doctor.surroundings import find_server

    if REHEARSED in settings.mllm_url:
        return "the rehearsed model, a stand-in", []
    try:
        server = await find_server(settings)
    except BadInput as error:
        return "none", [str(error)]
    return ("none", ["a model server (--mllm-url)"]) if server is None else (f"{server.model} at {server.url}", [])


def _preview(task: TaskSpec, labels: Mapping[str, Sequence[str]]) -> TaskPreview:
    """Return on which phones a task could run. A phone that does not tell its apps may have them all."""
    apps = [app.casefold() for app in task.apps]
    having = [
        serial for serial, apps_of_phone in labels.items() if not apps_of_phone or set(apps) <= set(apps_of_phone)
    ]
    anywhere = {name for apps_of_phone in labels.values() for name in apps_of_phone}
    return TaskPreview(
        id=task.id,
        goal=task.goal,
        scenario=task.memory_scope,
        phones=tuple(having),
        missing_apps=() if having else tuple(app for app in task.apps if app.casefold() not in anywhere),
        lacks=tuple(_lacks(task)),
    )


def _lacks(task: TaskSpec) -> Iterator[str]:
    if not task.rubrics:
        yield "rubrics"
    if not task.human_count:
        yield "human_operations"


def _tell(preview: SuitePreview) -> None:
    console = text_console()
    rows = [
        (one.id, one.goal, ", ".join(one.phones) or "none", one.scenario or "-", ", ".join(one.lacks) or "-")
        for one in preview.tasks
    ]
    console.print(table(None, ("task", "goal", "phones", "scenario", "lacks"), rows))
    seeds = ", ".join(map(str, preview.seeds))
    lines = [
        f"{count_noun(len(preview.tasks), 'task')}, profile {preview.profile}, model: {preview.model}; {preview.out}, "
        f"for the seeds {seeds}",
        *(f"cannot be used: {serial}: {why}" for serial, why in preview.phones.items() if why),
        *(f"left out: {id} {why}" for id, why in preview.left_out.items()),
    ]
    for lacking, figures in (("rubrics", "SS"), ("human_operations", "CR and RE")):
        count = sum(lacking in one.lacks for one in preview.tasks)
        if count:
            lines.append(f"{figures} will be null for {count_noun(count, 'task')} without {lacking.replace('_', ' ')}")
    for line in (*lines, *(f"missing: {what}" for what in preview.missing)):
        console.print(line, soft_wrap=True, markup=False)
    console.print("Nothing was started." if preview.missing else "Nothing is missing, and nothing was started.")
