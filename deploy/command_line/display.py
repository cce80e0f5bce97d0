"""The live display of a run: a bar for the batch, a line for each phone."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from manyhands.deploy.command_line.learning import learning_lines
from manyhands.deploy.command_line.output import table, text_console
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError
from manyhands.protocol.progress import RunProgress, RunWait
from manyhands.protocol.roles import Role
from manyhands.protocol.runs import EpisodeResult, Interruptions, RunSummary
from manyhands.protocol.wording import counted

if TYPE_CHECKING:  # it needs libraries that take a while to import
    from manyhands.deploy.fleet.choosing import ChosenPhones

REFRESH_S = 0.5
_log = logging.getLogger(__name__)


def tell_unused(settings: FleetSettings) -> None:
    """Say on stderr which settings were given that have no effect with the chosen profile."""
    # Not at the top: a profile's stages need libraries that not every command has.
    from manyhands.actors.profiles import profile_of, unused

    asked = {*profile_of(settings.episode.profile).roles(settings.episode), Role.CAPTION}
    names = [f"episode.{name}" for name in unused(settings.episode)]
    names += [f"models.{role}" for role in settings.models if role not in asked]
    if names:
        line = f"Without effect with profile {settings.episode.profile}: {', '.join(names)}"
        text_console(stderr=True).print(line, markup=False, soft_wrap=True)


class RunDisplay:
    """Show a run until it is done: live on a terminal, elsewhere a line for each task that ends."""

    def __init__(self, console: Console, progress: Callable[[], Awaitable[RunProgress]]) -> None:
        self._console = console
        self._ask = progress
        self._told = 0
        """How many tasks had ended at the last snapshot."""
        self._printed: set[str] = set()
        self._waits: dict[str, RunWait] = {}
        """The waits of the last snapshot."""
        self._bar = counting_bar("tasks", console)
        self._batch = self._bar.add_task("tasks", total=None)

    async def run(self) -> None:
        """Refresh until cancelled."""
        if not self._console.is_terminal:
            async for progress in self._snapshots():
                self._print_new(progress)
        # It vanishes at the end, when the table of the run is printed.
        with Live(self._bar, console=self._console, refresh_per_second=4, transient=True) as live:
            async for progress in self._snapshots():
                live.update(self._picture(progress))

    async def _snapshots(self) -> AsyncIterator[RunProgress]:
        """Yield the progress again and again; a dispatcher that is too busy to answer is asked again later."""
        while True:
            try:
                progress = await self._ask()
            except CallError as error:
                _log.info("no progress to show for now: %s", error)
            else:
                yield progress
            await asyncio.sleep(REFRESH_S)

    def finish(self, progress: RunProgress) -> None:
        """Print what ended since the last refresh."""
        if not self._console.is_terminal:
            self._print_new(progress)

    def _print_new(self, progress: RunProgress) -> None:
        new = [result for result in progress.latest if result.episode not in self._printed]
        more = progress.done.tasks - self._told - len(new)
        if more > 0:  # as where a run is gone on with
            self._console.print(Text(f"{counted(more, 'task')} that ended before"))
        for result in new:
            self._console.print(one_line(result), soft_wrap=True)
        self._told = progress.done.tasks
        self._printed = {result.episode for result in progress.latest}
        waits = {wait.what: wait for wait in (*progress.held_up, *progress.away)}
        for what in waits.keys() - self._waits.keys():
            self._console.print(waiting(waits[what]), soft_wrap=True)
        for what in self._waits.keys() - waits.keys():
            self._console.print(Text(f"no longer waiting for {what}"), soft_wrap=True)
        self._waits = waits

    def _picture(self, progress: RunProgress) -> Group:
        self._bar.update(self._batch, total=progress.total, completed=progress.done.tasks)
        lines = [
            Text(
                f"{episode.serial:<22} {episode.task:<26} step {episode.step:>2}  {episode.doing}",
                overflow="ellipsis",
                no_wrap=True,
            )
            for episode in progress.running
        ]
        waits = (waiting(wait) for wait in (*progress.held_up, *progress.away))
        return Group(self._bar, *waits, *lines, *(one_line(result) for result in progress.latest[-8:]))


def counting_bar(name: str, console: Console, transient: bool = False) -> Progress:
    """Return a bar with a count and a clock, which shows on a terminal alone."""
    columns = (TextColumn(name), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=transient, disable=not console.is_terminal)


def one_line(result: EpisodeResult) -> Text:
    """Describe in one line how a task ended."""
    mark, style = verdict(result.ending, result.verified)
    reason = f"  {result.reason}" if result.ending is not Ending.FINISHED and result.reason else ""
    return Text.assemble(
        (f"{mark:<12}", style), f" {result.task:<26} {result.ending.value}, {counted(result.steps, 'step')}{reason}"
    )


def waiting(wait: RunWait) -> Text:
    """Describe in one line what a run waits for."""
    seconds = max(0.0, time.time() - wait.since)
    return Text(f"waiting for {wait.what} since {seconds:.0f} s: {' '.join(wait.reason.split())}", style="yellow")


def phone_lines(phones: ChosenPhones) -> Iterator[str]:
    """Yield a line for the phones of a run, and one for each that is away or left out."""
    yield f"Phones: {', '.join(phones.serials)}"
    for serial, reason in phones.away.items():
        yield f"Away: {serial} ({reason}); it is used once it is back"
    for serial, reason in phones.left_out.items():
        yield f"Left out: {serial} ({reason})"


def verdict(ending: Ending, verified: bool | None) -> tuple[str, str]:
    """Return a word and a style for how a task ended; its check counts, not what the agent claims."""
    if verified:
        return "verified", "green"
    if verified is None and ending is Ending.FINISHED:
        return "unchecked", "yellow"
    return "failed", "red"


def _unchecked(summary: RunSummary) -> str:
    unchecked = sum(row.verified is None for row in summary.by_task)
    # Those without a check, and those that ended before it.
    return f" ({unchecked} not checked)" if unchecked else ""


def _interrupted(stopped: Interruptions) -> str:
    said = []
    if stopped.continued:
        said.append(f"{counted(stopped.continued, 'time')} gone on in place after {stopped.seconds:.0f} s in all")
    if stopped.begun_anew:
        said.append(f"{counted(stopped.begun_anew, 'episode')} begun anew ({stopped.actions_again} actions again)")
    return "; ".join(said)


def summary_table(summary: RunSummary) -> Group:
    """Return the table at the end of a run."""
    rows = [
        (
            row.id,
            row.phone or "-",
            row.finished.value,
            {True: "yes", False: "no", None: "-"}[row.verified],
            f"{sum(row.rubrics.values())}/{len(row.rubrics)}" if row.rubrics else "-",
            str(row.steps),
            str(row.human_steps) if row.human_steps else "-",
        )
        for row in summary.by_task
    ]
    body = table(None, ("task", "phone", "ended", "verified", "rubrics", "steps", "human"), rows)
    step = f"{summary.step_ms.p50 / 1000:.1f} s (median step)" if summary.step_ms else "no step times"
    figures = (
        f"{summary.verified} of {counted(summary.tasks, 'task')} verified{_unchecked(summary)} on "
        f"{counted(summary.phones, 'phone')} in {summary.wall_s:.0f} s; "
        f"{summary.episodes_per_hour:.0f} episodes an hour; {step}; "
        f"{summary.actions_sent} actions sent"
    )
    if summary.away_s:
        figures += f"; waited {summary.away_s:.0f} s for the model"
    if (stopped := summary.interruptions) is not None:
        figures += f"\ninterrupted: {_interrupted(stopped)}"
    if (before := summary.repeated) is not None:
        together = before.verified + summary.verified
        figures += (
            f"\nWhat failed in {before.run}, which verified {before.verified} of {before.tasks}, was repeated: "
            f"{together} of {before.tasks} with this run"
        )
    if summary.learning is not None:
        figures += "".join(f"\n{line}" for line in learning_lines(summary.learning))
    said = {"model": summary.model_source, "phones": summary.phones_source, "perception": summary.perception_source}
    sources = [
        f"profile: {summary.profile}{summary.departures}",
        *(f"{what}: {source}" for what, source in said.items() if source),
        *(f"left out: {serial} ({reason})" for serial, reason in summary.phones_left_out.items()),
    ]
    return Group(body, Text(""), Text(figures), *(Text(source, style="dim") for source in sources))
