"""``manyhands bench settle``: is the captured screen the final one, and how long after the end is it taken?"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from deploy import options
from deploy.adb import AdbServer
from deploy.bench.settle import APPS, ROUND, Plan, measure
from deploy.commands.bench.footer import tell_footer
from deploy.output import EXIT_FAILED, carry_out, counted, fail, say_json, table, text_console
from deploy.settings import load_settings
from deploy.stand_ins import VIRTUAL_SOURCE
from evaluation.bench.machine import Machine, this_machine
from evaluation.bench.plots import check_plots
from evaluation.bench.settle import (
    FINAL_SHARE,
    LOSS_P90_MS,
    WITHIN_VISITS,
    SettledAction,
    SettleFigures,
    after_learning,
    by_visit,
    draw_settle,
    settle_figures,
)
from protocol.errors import BadInput, ManyhandsError
from protocol.phones import SettleSpec

EXAMPLE = (
    "Example: manyhands bench settle --plot plots, about 15 minutes. Exit codes: 0 all that was measured meets the "
    "targets, 1 something does not, 2 bad input."
)
SIZE = "540x1200"
WORLDS, ROUNDS, THINK_S = 2, 8, 1.8
BURST_ROUNDS = 5
FAMILIES = ("bursts", "pauses")


def command(
    context: typer.Context,
    worlds: Annotated[
        int, typer.Option("--worlds", min=1, max=16, help="Phones at a time, each with pauses of its own to learn.")
    ] = WORLDS,
    rounds: Annotated[
        int, typer.Option("--rounds", min=1, max=50, help="Visits of each app and action, where pauses are learned.")
    ] = ROUNDS,
    burst_rounds: Annotated[
        int, typer.Option("--burst-rounds", min=0, max=50, help="Rounds of transitions in bursts.")
    ] = BURST_ROUNDS,
    think: Annotated[
        float, typer.Option("--think", min=0.0, max=60.0, help="Seconds between a screenshot and the next action.")
    ] = THINK_S,
    quiet: Annotated[int | None, typer.Option("--quiet", min=0, help="The quiet time in ms (170).")] = None,
    learn: Annotated[bool, typer.Option("--learn/--no-learn", help="Whether pauses are learned.")] = True,
    size: options.Size = SIZE,
    seed: options.Seed = None,
    adb_port: options.AdbPort = None,
    plot: options.Plot = None,
    as_json: options.AsJson = False,
) -> None:
    """Act on virtual phones whose screens take their time, and compare each screenshot with how it ended."""
    try:
        check_plots(plot)
        if burst_rounds == 0 and rounds < WITHIN_VISITS:
            raise BadInput(f"--rounds {rounds}: pauses are measured from visit {WITHIN_VISITS} on; give as many rounds")
        settings = load_settings(options.run_flags(context.params))
    except ManyhandsError as error:
        fail(error, as_json)
    spec = SettleSpec(learn=learn) if quiet is None else SettleSpec(quiet_ms=quiet, learn=learn)
    machine = this_machine()

    async def run() -> int:
        adb = AdbServer(settings.adb_host, settings.adb_port)
        await adb.ensure()
        done: dict[str, list[SettledAction]] = {}
        with tempfile.TemporaryDirectory(prefix="manyhands-") as scratch, _progress() as bars:
            for family, turns in zip(FAMILIES, (burst_rounds, rounds), strict=True):
                total = worlds * turns * len(APPS) * len(ROUND)
                bars.console.print(f"{family}: {total} actions on {counted(worlds, 'phone')}")
                bar = bars.add_task(family, total=total)
                virtual = settings.virtual.model_copy(update={"transitions": family})
                plan = Plan(virtual, worlds, turns, think, spec)
                done[family] = await measure(plan, adb, Path(scratch) / family, _advancing(bars, bar))
        figures = {"bursts": settle_figures(done["bursts"]), "pauses": after_learning(done["pauses"])}
        visits = by_visit(done["pauses"])
        drawn = [str(path) for path in draw_settle(done["bursts"], done["pauses"], plot)] if plot else []
        if as_json:
            given = {name: context.params[name] for name in ("worlds", "rounds", "burst_rounds", "think", "size")}
            say_json(_json(figures, visits, {**given, "settle": spec.model_dump()}, machine, drawn))
        else:
            _tell(figures, visits, machine, drawn)
        measured = [each for each in figures.values() if each.actions]
        return 0 if measured and all(each.reached for each in measured) else EXIT_FAILED

    carry_out(run, as_json)


def _advancing(bars: Progress, bar: TaskID) -> Callable[[SettledAction], None]:
    def advance(_: SettledAction) -> None:
        bars.advance(bar)

    return advance


def _progress() -> Progress:
    """A bar on a terminal; elsewhere only the lines that are printed beside it."""
    console = text_console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )


def _json(
    figures: dict[str, SettleFigures],
    visits: dict[int, SettleFigures],
    given: dict[str, Any],
    machine: Machine,
    drawn: Sequence[str],
) -> dict[str, Any]:
    return {
        **{family: each.model_dump(mode="json") for family, each in figures.items()},
        "visits": {str(visit): each.model_dump(mode="json") for visit, each in visits.items()},
        "targets": {"final_share": FINAL_SHARE, "loss_p90_ms": LOSS_P90_MS, "within_visits": WITHIN_VISITS},
        "settings": given,
        "sources": {"phones": VIRTUAL_SOURCE},
        "machine": machine.model_dump(mode="json"),
        "plots": list(drawn),
    }


def _tell(
    figures: dict[str, SettleFigures], visits: dict[int, SettleFigures], machine: Machine, drawn: Sequence[str]
) -> None:
    console = text_console()
    rows = [
        _row("bursts: no gap over 150 ms", figures["bursts"]),
        *(_row(f"pauses: visit {visit}", each) for visit, each in visits.items()),
        _row(f"pauses: visit {WITHIN_VISITS} and later", figures["pauses"]),
    ]
    heads = ("transitions of 100 to 1500 ms", "actions", "final", "loss p50", "p90", "until returned p90", "looks")
    console.print(table(None, (*heads, "known", "target"), rows))
    console.print(
        f"final: the screenshot shows what the screen showed in the end; loss: its time less that of the true end. "
        f"Target: {FINAL_SHARE:.0%} final, p90 of the loss at most {LOSS_P90_MS:.0f} ms.",
        markup=False,
    )
    tell_footer(console, {"phones": VIRTUAL_SOURCE}, machine, drawn)


def _row(name: str, figures: SettleFigures) -> tuple[str, ...]:
    def ms(value: float | None) -> str:
        return "-" if value is None else f"{value:.0f} ms"

    def share(value: float | None) -> str:
        return "-" if value is None else f"{value:.1%}"

    return (
        name,
        str(figures.actions),
        share(figures.final_share),
        ms(figures.loss_p50_ms),
        ms(figures.loss_p90_ms),
        ms(figures.returned_p90_ms),
        "-" if figures.frames_mean is None else f"{figures.frames_mean:.1f}",
        share(figures.learned_share),
        "-" if not figures.actions else "met" if figures.reached else "not met",
    )
