"""``manyhands bench edge``: measure what a broker between a run and its phones adds to a step."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Annotated

import psutil
import typer
from rich.console import Console

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, table, text_console
from manyhands.deploy.fleet.run_files.run_folder import timed_folder
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.models import REHEARSED
from manyhands.evaluation.provenance import Provenance, this_machine
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput, CallError
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:
    from manyhands.actors.edge.link import LinkCounts
    from manyhands.actors.edge.mqtt_gateway import CallLatency
    from manyhands.benchmarks.edge_testbed import EdgeWorld

EXAMPLE = (
    "Example: manyhands bench edge --json. It needs an installed mosquitto. How to read it: docs/edge.md. Exit codes: "
    "0 all tasks verified, 1 some were not or it could not be measured, 2 bad input."
)
MODEL_S = 1.0
"""The least seconds of a model call, as with a real model. With faster calls, this machine's CPU would be the limit."""


@options.with_settings("bench edge")
def command(
    read_settings: options.ReadGiven,
    phones: Annotated[int, typer.Option("--phones", min=1, max=64, help="Virtual phones in all.")] = 4,
    sites: Annotated[int, typer.Option("--sites", min=1, max=16, help="Gateways that have them.")] = 2,
    tasks: Annotated[
        str | None, typer.Option("--tasks", help="Ids of the everyday suite, with commas. Default: all.")
    ] = None,
    lossless: Annotated[bool, typer.Option("--lossless", help="Pictures without loss, instead of JPEG.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Play the everyday suite on virtual phones behind gateways and a broker with TLS, all on this machine."""
    from manyhands.benchmarks.testbed import everyday

    if sites > phones:
        raise BadInput(f"--sites {sites}: more than there are phones ({phones})")
    flags = read_settings()
    folder = flags.pop("out", None) or timed_folder("bench_edge")
    slower = flags.pop("rehearsal", {}).get("latency_s", {})
    flags["rehearsal"] = {"latency_s": {role.value: MODEL_S for role in Role} | slower}
    specs = everyday([] if tasks is None else tasks.split(","))
    load = EdgeLoad(load_settings(flags), specs, phones, sites, lossless, folder)
    carry_out(lambda: _run(load, as_json), as_json)


async def _run(load: EdgeLoad, as_json: bool) -> int:
    from manyhands.deploy.fleet.model_servers.resolution import REHEARSED_SOURCE
    from manyhands.deploy.fleet.phones.virtual import VIRTUAL_SOURCE

    console = text_console(stderr=as_json)
    model = REHEARSED_SOURCE if not load.settings.mllm_url else ", ".join(load.settings.mllm_url)
    provenance = Provenance({"phones": VIRTUAL_SOURCE, "model": model}, this_machine(), load.out)
    figures = await measure(load, lambda line: console.print(line, markup=False))
    if as_json:
        settings = {
            "phones": load.phones,
            "sites": load.sites,
            "size": load.settings.virtual.size,
            "lossless": load.lossless,
            "schedule": load.settings.episode.schedule,
            "latency_s": {role.value: seconds for role, seconds in load.settings.rehearsal.latency_s.items()},
        }
        say_json({**figures.model_dump(mode="json"), "settings": settings, **provenance.as_json()})
    else:
        _show(console, load, figures)
        provenance.print(console)
    return 0 if figures.verified == figures.tasks else EXIT_FAILED


def _show(console: Console, load: EdgeLoad, figures: EdgeFigures) -> None:
    rows = [
        (one.method, str(one.calls), f"{one.ms_p50:.0f}", f"{one.site_ms_p50:.0f}", f"{one.added_ms_p50:.1f}")
        for one in figures.by_method
    ]
    console.print(table("Calls (ms, p50)", ("method", "calls", "in all", "at the site", "added"), rows))
    used = [
        (name, f"{one.cores:.3f}", f"{one.cpu_ms_per_step:.1f}", f"{one.rss_mb_first:.0f}", f"{one.rss_mb_last:.0f}")
        for name, one in figures.processes.items()
    ]
    console.print(table("Processes", ("", "cores", "CPU ms a step", "MB at first", "MB at last"), used))
    console.print(
        f"\n{figures.verified} of {figures.tasks} tasks verified in {figures.seconds:.0f} s"
        f"{': not ' + ', '.join(figures.unverified) if figures.unverified else ''}\n"
        f"a broker adds {figures.added_ms_p50:.1f} ms to a step (p50; p95 {figures.added_ms_p95:.1f}) and carries "
        f"{figures.bytes_per_step / 1000:.0f} kB, {figures.steps} steps on {load.phones} phones of "
        f"{load.settings.virtual.size}\n"
        f"{figures.requests} requests, {figures.repeats} repeated, {figures.refusals} refused, "
        f"{figures.malformed} messages malformed",
        soft_wrap=True,
    )


ACTS = frozenset(("perform", "perform_and_capture"))
"""The calls that send an action. A step has one, or several if its action is a shortcut."""


@dataclass(frozen=True, slots=True)
class ProcessUse:
    """Hold what some processes had used at a moment: CPU seconds and resident bytes, summed up."""

    at: float
    cpu_s: float
    rss: int


def measure_use(pids: Iterable[int]) -> ProcessUse:
    """Return what these processes have used so far."""
    processes = [psutil.Process(pid) for pid in pids]
    times = [process.cpu_times() for process in processes]
    rss = sum(process.memory_info().rss for process in processes)
    return ProcessUse(time.monotonic(), sum(one.user + one.system for one in times), rss)


class ProcessFigures(Message):
    """Hold what the broker, or all gateways, used while the tasks were played."""

    cores: float
    """CPU seconds for each second of the measurement."""
    cpu_ms_per_step: float
    rss_mb_first: float
    rss_mb_last: float

    @classmethod
    def between(cls, first: ProcessUse, last: ProcessUse, steps: int) -> ProcessFigures:
        """Compute the figures of at least one step."""
        cpu_s = last.cpu_s - first.cpu_s
        return cls(
            cores=round(cpu_s / (last.at - first.at), 3),
            cpu_ms_per_step=round(1000 * cpu_s / steps, 2),
            rss_mb_first=round(first.rss / 1e6, 1),
            rss_mb_last=round(last.rss / 1e6, 1),
        )


class CallFigures(Message):
    """Hold the latency of the calls of one method, in milliseconds."""

    method: str
    calls: int
    ms_p50: float
    """From the request to the answer, with the picture decoded."""
    site_ms_p50: float
    """The part of the latency that the gateway itself needs."""
    added_ms_p50: float


class EdgeFigures(Message):
    """Hold the figures of ``bench edge``."""

    tasks: int
    verified: int
    unverified: tuple[str, ...]
    """The tasks that were not verified."""
    seconds: float
    steps: int
    """Steps in which an action was sent."""
    added_ms_p50: float
    """For each call, the round trip minus the gateway's own time; summed over the calls of a step."""
    added_ms_p95: float
    bytes_per_step: float
    """Bytes of all messages in both directions, divided by the steps. Messages that belong to no step count, too."""
    by_method: tuple[CallFigures, ...]
    """The most frequent method first."""
    processes: Mapping[str, ProcessFigures]
    """By name: ``broker`` and ``gateways``."""
    requests: int
    repeats: int
    refusals: int
    malformed: int


def edge_figures(
    took: Sequence[CallLatency],
    counts: Sequence[LinkCounts],
    results: Sequence[EpisodeResult],
    seconds: float,
    used: Mapping[str, tuple[ProcessUse, ProcessUse]],
) -> EdgeFigures:
    """Compute the figures from the calls of all episodes, and from what processes had ``used`` before and after.

    Raises CallError if there was no step.
    """
    added: defaultdict[tuple[str, int], float] = defaultdict(float)
    for call in took:
        added[call.episode, call.step] += call.ms - call.site_ms
    acting = {(call.episode, call.step) for call in took if call.method in ACTS}
    if not acting:
        raise CallError("no step was made: there is nothing to measure")
    steps = [added[step] for step in acting]
    unverified = tuple(result.task for result in results if result.verified is not True)
    return EdgeFigures(
        tasks=len(results),
        verified=len(results) - len(unverified),
        unverified=unverified,
        seconds=seconds,
        steps=len(acting),
        added_ms_p50=median(steps),
        added_ms_p95=quantiles(steps, n=20)[-1] if len(steps) > 1 else steps[0],
        bytes_per_step=sum(one.bytes_in + one.bytes_out for one in counts) / len(acting),
        by_method=_by_method(took),
        processes={name: ProcessFigures.between(*use, len(acting)) for name, use in used.items()},
        requests=sum(one.requests for one in counts),
        repeats=sum(one.repeats for one in counts),
        refusals=sum(one.refusals for one in counts),
        malformed=sum(one.malformed for one in counts),
    )


def _by_method(took: Sequence[CallLatency]) -> tuple[CallFigures, ...]:
    calls: defaultdict[str, list[CallLatency]] = defaultdict(list)
    for call in took:
        calls[call.method].append(call)
    ordered: Mapping[str, list[CallLatency]] = dict(sorted(calls.items(), key=lambda item: -len(item[1])))
    return tuple(
        CallFigures(
            method=method,
            calls=len(of_method),
            ms_p50=median(call.ms for call in of_method),
            site_ms_p50=median(call.site_ms for call in of_method),
            added_ms_p50=median(call.ms - call.site_ms for call in of_method),
        )
        for method, of_method in ordered.items()
    )


Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class EdgeLoad:
    """Say what is played, and where."""

    settings: FleetSettings
    """Settings without phones; the size and seed are those of virtual phones."""
    tasks: tuple[TaskSpec, ...]
    phones: int
    sites: int
    lossless: bool
    out: Path

    def shares(self) -> dict[str, int]:
        """Return how many phones each site has."""
        each, more = divmod(self.phones, self.sites)
        return {f"site-{number + 1}": each + (number < more) for number in range(self.sites)}


async def measure(load: EdgeLoad, say: Say) -> EdgeFigures:
    """Run the measurement. Raises BadInput, also if no broker is installed, and CallError."""
    from manyhands.benchmarks.edge_testbed import edge_world
    from manyhands.deploy.cluster.tokens import environment
    from manyhands.deploy.fleet.fleet import Fleet

    options: Sequence[str] = ("--lossless",) if load.lossless else ()
    async with edge_world(load.settings, load.shares(), load.out, options) as world:
        say(f"{count_noun(load.sites, 'site')} behind {world.broker.url}")
        update = {"out": load.out / "run", "name": "edge", "mllm_url": load.settings.mllm_url or (REHEARSED,)}
        settings = world.settings(load.settings.model_copy(update=update))
        with environment(world.account.variables):
            async with Fleet(settings) as fleet:
                say(f"{count_noun(len(load.tasks), 'task')} on {', '.join(fleet.serials)}")
                began, before = time.monotonic(), _use(world)
                results = await fleet.run_batch(load.tasks)
                seconds, after = time.monotonic() - began, _use(world)
                took = list(chain.from_iterable([await gateway.latencies() for gateway in fleet.linked]))
                counts = [await gateway.counts() for gateway in fleet.linked]
                fleet.summary()
    return edge_figures(took, counts, results, seconds, {name: (use, after[name]) for name, use in before.items()})


def _use(world: EdgeWorld) -> dict[str, ProcessUse]:
    """Return what the broker and the gateways have used so far."""
    gateways = [site.gateway.pid for site in world.sites.values()]
    return {"broker": measure_use([world.broker.pid]), "gateways": measure_use(gateways)}
