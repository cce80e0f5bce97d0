"""``manyhands bench model``: measure a model server with recorded prompts."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, text_console
from manyhands.deploy.fleet.run_files.run_folder import timed_folder
from manyhands.deploy.settings.models import REHEARSED, RehearsalOptions
from manyhands.deploy.settings.values import split_list
from manyhands.protocol.errors import BadInput, store_error
from manyhands.protocol.utilities import secure_files

if TYPE_CHECKING:
    from manyhands.benchmarks.model.questions import ClickTarget
    from manyhands.benchmarks.model.recording import PromptRecording
    from manyhands.benchmarks.model.report import ModelReport

EXAMPLE = (
    "Example: manyhands bench model --mllm-url http://127.0.0.1:8000/v1 --minutes 10. How to read it: "
    "docs/benchmarks.md. Exit codes: 0 measured, 1 no call was answered or most replies are invalid, 2 bad input, 130 "
    "interrupted."
)
MOST_PHONES = 1024
PHONE_S = 3.5
OWN_LABELS = "texts that perception read on the recorded screens"
JSON_FILE, PAGE_FILE = "model.json", "model.html"
ON_STOP = "stopping; what was measured so far is written"


@options.with_settings("bench model")
def command(
    read_settings: options.ReadGiven,
    mllm_url: Annotated[
        list[str], typer.Option("--mllm-url", help="The OpenAI-compatible servers of one model, or rehearsed.")
    ],
    run: Annotated[
        list[Path] | None,
        typer.Option(
            "--run",
            help="A run folder whose prompts are sent, in place of those that ship; repeatable.",
            show_default=False,
        ),
    ] = None,
    profile: Annotated[
        list[str] | None,
        typer.Option(
            "--profile", help="Profiles whose prompts that ship are sent; repeatable. Default: all.", show_default=False
        ),
    ] = None,
    screens: Annotated[
        Path | None,
        typer.Option(
            "--screens", help="Labelled screens (docs/perception.md): where does the model tap?", show_default=False
        ),
    ] = None,
    clicks: Annotated[int, typer.Option("--clicks", min=0, help="Questions about places at most.")] = 100,
    minutes: Annotated[float, typer.Option("--minutes", min=0.1, help="How long the whole measurement takes.")] = 10.0,
    phones: Annotated[
        int, typer.Option("--phones", min=1, max=MOST_PHONES, help="The most phones: 1, 2, 4 and so on up to it.")
    ] = 128,
    phone_s: Annotated[
        float, typer.Option("--phone-s", min=0, help="Seconds of a step in which a phone does not wait for the model.")
    ] = PHONE_S,
    timeout: Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds for one call at most.")] = 120.0,
    out: Annotated[
        Path | None, typer.Option("--out", help="A folder for the page and the JSON.", show_default=False)
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure a model server with the prompts of recorded runs, under a growing number of phones."""
    from manyhands.actors.mllm import LoadingWait, ModelSettings
    from manyhands.benchmarks.model.questions import labelled_targets, recorded_targets
    from manyhands.benchmarks.model.ramp import RampPlan
    from manyhands.benchmarks.model.recording import check_shipped, shipped_profiles
    from manyhands.benchmarks.model.run import LoadLines, Measurement, MeasurementPlan, examine_server
    from manyhands.deploy.fleet.model_servers.resolution import server_address
    from manyhands.deploy.settings.loading import load_settings
    from manyhands.evaluation.recorded_calls import recorded_dialect

    urls = [url for part in mllm_url for url in split_list(part)]
    if REHEARSED in urls and len(urls) > 1:
        raise BadInput("--mllm-url: 'rehearsed' stands alone; it cannot be mixed with servers")
    if REHEARSED not in urls:
        urls = [server_address(url) for url in urls]
    if run and profile:
        raise BadInput("--profile: chooses among the recordings that ship; a run has one profile, so leave it out")
    for name in profile or ():
        check_shipped(name)
    folder = out or timed_folder("bench_model")
    labels = str(screens) if screens is not None else OWN_LABELS
    plan = MeasurementPlan(minutes, RampPlan(doubled(phones), timeout), phone_s, labels)
    labelled = labelled_targets(screens, clicks) if screens is not None else None

    async def measure() -> int:
        flags: dict[str, Any] = read_settings()
        dialect = flags.pop("dialect", None)
        console = text_console(stderr=as_json)
        async with _servers(urls) as own_urls, _recordings(run or (), profile or shipped_profiles()) as recordings:
            settings = ModelSettings(urls=tuple(own_urls), **flags)
            first = recordings[0]
            recorded = recorded_dialect(first.folder, first.calls[0].role)[0]
            wait = LoadingWait(load_settings({}).model_wait_s, console.print)
            server = await examine_server(settings, dialect, recorded, wait)
            console.print(f"Measuring {server.model} at {', '.join(server.urls)} for {_minutes(minutes)} at most")
            if server.stand_in:
                console.print(f"It is {server.stand_in}", style="bold")
            targets = labelled
            if targets is None:
                targets = await asyncio.to_thread(recorded_targets, recordings, clicks)
            lines = LoadLines(console)
            measurement = Measurement(plan, settings, server, recordings, lines, targets)
            try:
                with lines:
                    await measurement.run()
            finally:  # after Ctrl-C as well: what was measured so far is a result
                report = measurement.report()
                write_report(report, targets, folder)
                console.print()
                for figures in report.profiles:
                    lines.result(figures)
                for note in report.notes:
                    console.print(note, soft_wrap=True)
                if as_json:
                    say_json({**report.model_dump(mode="json"), "out": str(folder)})
                else:
                    console.print(f"Written: {folder / PAGE_FILE}, {folder / JSON_FILE}", soft_wrap=True)
        return EXIT_FAILED if report.failed else 0

    carry_out(measure, as_json, ON_STOP)


def _minutes(minutes: float) -> str:
    return "1 minute" if minutes == 1 else f"{minutes:g} minutes"


def doubled(most: int) -> tuple[int, ...]:
    """Return 1, 2, 4 and so on, and ``most`` as the last number."""
    counts = [1]
    while 2 * counts[-1] < most:
        counts.append(2 * counts[-1])
    return (*counts, most) if most > counts[-1] else tuple(counts)


@asynccontextmanager
async def _servers(urls: list[str]) -> AsyncIterator[list[str]]:
    """Yield the addresses to ask. Serve the rehearsed model meanwhile if it is asked for."""
    from manyhands.deploy.stand_ins import rehearsed_server

    if urls != [REHEARSED]:
        yield urls
        return
    with tempfile.TemporaryDirectory(prefix="manyhands-") as logs:
        async with rehearsed_server(RehearsalOptions(), 0, Path(logs)) as model:
            yield [model.ready["url"]]


@asynccontextmanager
async def _recordings(runs: Sequence[Path], profiles: Sequence[str]) -> AsyncIterator[tuple[PromptRecording, ...]]:
    """Yield the recordings of runs; if there are none, those that ship."""
    from manyhands.benchmarks.model.recording import read_recording, unpack

    if runs:
        yield tuple([await asyncio.to_thread(read_recording, run) for run in runs])
        return
    with tempfile.TemporaryDirectory(prefix="manyhands-") as folder:
        paths = [await asyncio.to_thread(unpack, profile, Path(folder)) for profile in profiles]
        yield tuple([await asyncio.to_thread(read_recording, path) for path in paths])


def write_report(report: ModelReport, targets: Sequence[ClickTarget], folder: Path) -> None:
    """Write a report as JSON and as a page. Raises StoreError."""
    from manyhands.benchmarks.model.page import to_html

    try:
        secure_files.make_folder(folder)
        secure_files.replace_text(folder / JSON_FILE, report.model_dump_json(indent=2) + "\n")
        secure_files.replace_text(folder / PAGE_FILE, to_html(report, targets))
    except OSError as error:
        raise store_error(error, f"{folder} cannot be written") from error
