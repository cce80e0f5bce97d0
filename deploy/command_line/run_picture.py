"""Draw a running run for a terminal: as many lines as fit, the most important ones first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from manyhands.deploy.command_line.output import own_name
from manyhands.protocol.base import Ending, VerifiedBy
from manyhands.protocol.control import WAITS_FOR_GO
from manyhands.protocol.host_clock import HOST_CLOCK
from manyhands.protocol.progress import EpisodeProgress, RunHold, RunProgress, RunWait
from manyhands.protocol.runs import EpisodeResult
from manyhands.protocol.terminal_text import count_noun

RESULTS = 8
"""The most results that are shown. They are the latest ones."""
_RESULTS_KEPT = 3
"""Results that are shown even if there are many phones."""
_SAID_S = 1.0
"""A wait that is shorter is told without its seconds."""
_NAMED = 4
"""The most held phones or tasks that one line names."""
_TRIED_AGAIN = "phone "


@dataclass(frozen=True, slots=True)
class RunPicture:
    """Draw a run for the height and width of the terminal: bar, counts, what needs attention, phones, results."""

    bar: RenderableType
    """The bar for the batch, one line high."""
    progress: RunProgress
    run: str
    """The run folder, for commands that people can paste."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines, at most one less than the terminal has."""
        progress = self.progress
        counts = counts_of(progress)
        attention = [*hold_lines(progress.holds, self.run), *map(waiting, waits_of(progress))]
        results = [one_line(result) for result in progress.latest[-RESULTS:]]
        running = [_running(episode) for episode in progress.running]
        rows = max(0, options.size.height - 2 - (counts is not None))
        for_results = min(len(results), max(_RESULTS_KEPT, rows // 4), rows)
        for_attention = min(len(attention), (rows - for_results + 1) // 2)
        for_running = min(len(running), rows - for_results - for_attention)
        for_attention = min(len(attention), rows - for_results - for_running)
        for_results = min(len(results), rows - for_attention - for_running)
        yield self.bar
        lines = [
            *(() if counts is None else (counts,)),
            *_first(attention, for_attention, "waits"),
            *_first(running, for_running, "phones at work"),
            *results[len(results) - for_results :],
        ]
        for line in lines:
            line.no_wrap, line.overflow = True, "ellipsis"
            yield line


def counts_of(progress: RunProgress) -> Text | None:
    """Return a line that counts phones by what they do, and tasks that wait; None if the phones are not known."""
    if not progress.phones:
        return None
    busy = {episode.serial for episode in progress.running}
    away = {wait.what.removeprefix(_TRIED_AGAIN) for wait in progress.away} - busy
    held = {hold.phone for hold in progress.holds if hold.phone} - busy - away
    paused = held & {hold.phone for hold in progress.holds if not hold.drained}
    idle = max(0, progress.phones - len(busy) - len(away) - len(held))
    by_state = {
        "at work": len(busy),
        "away": len(away),
        "paused": len(paused),
        "drained": len(held - paused),
        "idle": idle,
    }
    said = ", ".join(f"{count} {state}" for state, count in by_state.items() if count)
    return Text(f"{count_noun(progress.phones, 'phone')}: {said}; {count_noun(progress.waiting, 'task')} waiting")


def hold_lines(holds: Sequence[RunHold], run: str) -> Iterator[Text]:
    """Yield a line about what is paused, and a line about what is drained. Each names the command that ends it."""
    for drained in (False, True):
        held = [hold for hold in holds if hold.drained is drained]
        if held:
            seconds = max(0.0, HOST_CLOCK.now() - min(hold.since for hold in held))
            what = ", ".join(_named([hold.what for hold in held]))
            options = "" if len(held) > _NAMED else "".join(map(_option, held))
            said = f"{'drained' if drained else 'paused'} by manyhands control for {seconds:.0f} s: {what}"
            yield Text(f"{said}; to go on: {own_name()} control {run} go{options}", style="yellow")


def waits_of(progress: RunProgress) -> list[RunWait]:
    """Return what a run waits for. Leave out pauses by ``manyhands control``: ``hold_lines`` shows them."""
    said = WAITS_FOR_GO if progress.holds else None
    return [wait for wait in (*progress.held_up, *progress.away) if wait.what != said]


def waiting(wait: RunWait) -> Text:
    """Describe in one line what a run waits for."""
    seconds = HOST_CLOCK.now() - wait.since
    lasted = f" for {seconds:.0f} s" if seconds >= _SAID_S else ""
    reason = f": {' '.join(wait.reason.split())}" if wait.reason else ""
    return Text(f"waiting for {wait.what}{lasted}{reason}", style="yellow")


def one_line(result: EpisodeResult) -> Text:
    """Describe in one line how a task ended."""
    mark, style = verdict(result.ending, result.verified, result.has_check, result.verified_by)
    is_open = result.verified is None and result.has_check
    reason = f"  {result.reason}" if result.reason and (is_open or result.ending is not Ending.FINISHED) else ""
    if result.verified is False and result.unmet:
        others = f" (and {len(result.unmet) - 1} more)" if len(result.unmet) > 1 else ""
        reason = f"{reason}  {result.unmet[0]}{others}"
    if result.unexpected_changes:
        changes = result.unexpected_changes
        others = f" (and {len(changes) - 1} more)" if len(changes) > 1 else ""
        reason = f"{reason}  unexpected change: {changes[0]}{others}"
    return Text.assemble(
        (f"{mark:<12}", style), f" {result.task:<26} {result.ending.value}, {count_noun(result.steps, 'step')}{reason}"
    )


def verdict(ending: Ending, verified: bool | None, has_check: bool, by: VerifiedBy | None) -> tuple[str, str]:
    """Return a word and a style for how a task ended. Its check counts, not the agent's claim.

    ``by``: whose word decided the check.
    """
    if verified is not None and by == "judge":
        return ("judged done", "cyan") if verified else ("judged not done", "red")
    if verified:
        return "verified", "green"
    if verified is None and ending is Ending.FINISHED:
        return "undecided" if has_check else "no check", "yellow"
    return "failed", "red"


def _running(episode: EpisodeProgress) -> Text:
    doing = " ".join(episode.doing.split())
    return Text(f"{episode.serial:<22} {episode.task:<26} step {episode.step:>2}  {doing}")


def _first(lines: Sequence[Text], count: int, what: str) -> Iterable[Text]:
    """Return at most ``count`` lines; if more exist, the last one counts the rest."""
    if len(lines) <= count or not count:
        return lines[:count]
    return [*lines[: count - 1], Text(f"... and {len(lines) - count + 1} more {what}", style="dim")]


def _named(names: Sequence[str]) -> Iterable[str]:
    return names if len(names) <= _NAMED else [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} more"]


def _option(hold: RunHold) -> str:
    return f" --phone {hold.phone}" if hold.phone else f" --task {hold.task}" if hold.task else ""
