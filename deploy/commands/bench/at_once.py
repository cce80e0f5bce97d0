"""``manyhands bench perceive --at-once``: many phones' screens through one perception actor."""

from __future__ import annotations

import asyncio

from rich.console import Console

from actors.perception.settings import PerceptionSettings
from deploy.bench.perceive_at_once import different_screens, measure_at_once
from deploy.commands.bench.footer import tell_footer
from deploy.output import say_json, table, text_console
from evaluation.bench.at_once import AtOnceFigures
from evaluation.bench.machine import Machine, this_machine

SOURCES = {
    "phones": "virtual, of eight sizes; each screen counts as one of a phone of its own, so all are read in full",
    "perception": "real, in this process: what one perception actor does; OpenCV pinned to one thread",
}


async def bench_at_once(count: int, workers: int | None, wait_s: float | None, as_json: bool) -> int:
    """Tells what was measured; exit code 1 if a screen was not read alike both times."""
    machine = this_machine()
    console = text_console(stderr=as_json)

    def say(line: str) -> None:
        console.print(line, markup=False, style="dim")

    say(f"drawing {count} screens")
    screens = await asyncio.to_thread(different_screens, count)
    settings = PerceptionSettings(workers=workers or machine.cores)
    if wait_s is not None:
        settings = settings.model_copy(update={"longest_wait_s": wait_s})
    figures = await measure_at_once(screens, settings, say)
    if as_json:
        say_json(
            {
                "figures": figures.model_dump(mode="json"),
                "settings": settings.model_dump(mode="json"),
                "sources": SOURCES,
                "machine": machine.model_dump(mode="json"),
            }
        )
    else:
        _tell(console, figures, machine)
    return 1 if figures.differing else 0


def _tell(console: Console, figures: AtOnceFigures, machine: Machine) -> None:
    columns = ("", "all, s", "CPU, s", "wait p50, s", "wait p95, s", "answer p95, s", "refused")
    rows = [
        (
            name,
            *(
                f"{seconds:.2f}"
                for seconds in (
                    done.seconds,
                    done.cpu_seconds,
                    done.wait_p50_s,
                    done.wait_p95_s,
                    done.answer_p95_s,
                )
            ),
            str(done.refused),
        )
        for name, done in (("one at a time", figures.one_by_one), ("all at once", figures.at_once))
    ]
    console.print(table(f"{figures.screens} screens, {figures.workers} reader(s)", columns, rows))
    console.print()
    batches = "; ".join(
        f"{network}: {', '.join(f'{count} of {size}' for size, count in sizes.items())}"
        for network, sizes in figures.batches.items()
    )
    console.print(
        f"all at once by one at a time: {figures.ratio:.3f}; screens that were not read alike: {figures.differing}\n"
        f"no wait may be longer than {figures.longest_wait_s:g} s\n"
        f"batches: {batches or 'none, one at a time is the best on this device'}",
        markup=False,
        soft_wrap=True,
    )
    tell_footer(console, SOURCES, machine)
