"""Display a run: the live view, the lines about it, and the table at its end."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from manyhands.deploy.command_line.output import table, text_console
from manyhands.deploy.command_line.run_picture import RunPicture, hold_lines, one_line, waiting, waits_of
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.models import REHEARSED
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import CallError
from manyhands.protocol.learning_figures import Asker, LearningFigures, TaughtCounts, UseCounts
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.progress import RunProgress, RunWait
from manyhands.protocol.repeats import count_repeats
from manyhands.protocol.roles import Role
from manyhands.protocol.run_summary import IconNames, Interruptions, RunSummary, TaskRow
from manyhands.protocol.terminal_text import count_noun
from manyhands.protocol.usage import RoleUsage

if TYPE_CHECKING:  # it needs libraries that take a while to import
    from manyhands.deploy.fleet.phone_selection import ChosenPhones

REFRESH_S = 0.5
_NO_CHECK, _NOT_ASKED = "finished without a check", "finished, but nobody could ask its check"
_FAILED, _CANCELLED = "failed", "cancelled"
_JUDGED, _JUDGED_NOT = "judged done", "judged not done"
_UNVERIFIED = (_JUDGED, _JUDGED_NOT, _NO_CHECK, _NOT_ASKED, _FAILED, _CANCELLED)
_log = logging.getLogger(__name__)


def icon_line(icons: IconNames) -> str:
    """Return a line that says what named the icons. It is for a run in which a model was to name all icons."""
    every = icons.model + icons.network + icons.unnamed
    line = f"icons: {icons.model} of {every} captioned by the model"
    return f"{line}; {icons.network} have the names of our own network" if icons.network else line


def tell_unused(settings: FleetSettings) -> None:
    """Say on stderr which settings have no effect with the profile, and what a run lacks to be like its paper's."""
    # Imported here, because a profile's stages need libraries that not every command has.
    from manyhands.actors.profiles import profile_of, unused
    from manyhands.deploy.fleet.models import rehearsed_roles

    asked = {*profile_of(settings.episode.profile).roles(settings.episode), Role.CAPTION, Role.JUDGE}
    names = [f"episode.{name}" for name in unused(settings.episode)]
    names += [f"models.{role}" for role in settings.models if role not in asked]
    noteless = [part for part in settings.episode.without if part in ("notetaker", "memory")]
    lines: list[str] = []
    if settings.episode.caption_all and Role.CAPTION in rehearsed_roles(settings):
        lines.append("The rehearsed model captions no icons: they keep the names of our own network")
    if noteless and REHEARSED in settings.mllm_url:
        lines.append(
            f"Without {noteless[0]} the rehearsed model fails tasks that carry a value from one screen to another"
        )
    if _lacks_clip(settings):
        lines.append(
            "Icons are found by names, labels, colour and place, not by CLIP as the paper of "
            f"{settings.episode.profile} has it: "
            "set perception.clip.folder (docs/perception.md#the-papers-models)"
        )
    if names:
        lines.append(f"Without effect with profile {settings.episode.profile}: {', '.join(names)}")
    for line in lines:
        text_console(stderr=True).print(line, markup=False, soft_wrap=True)


def _lacks_clip(settings: FleetSettings) -> bool:
    """Return whether a run that must be paper-exact finds icons by words, but has no CLIP for that."""
    finds_icons = registered_profiles().find(settings.episode.profile).finds_icons_by_words
    return finds_icons and settings.episode.paper_exact and settings.perception_settings(None).clip.folder is None


class RunDisplay:
    """Show a run until it is done: live on a terminal, otherwise a line for each task that ends."""

    def __init__(self, console: Console, progress: Callable[[], Awaitable[RunProgress]], run: str = "RUN") -> None:
        """Prepare. ``run``: the run folder. The display names it in the commands that it suggests."""
        self._console = console
        self._run = run
        self._ask = progress
        self._told = 0
        """The number of ended tasks that have been told, each by a line or as one of those before."""
        self._printed: set[str] = set()
        self._waits: dict[str, RunWait] = {}
        """The waits of the last snapshot."""
        self._holds: set[tuple[str, bool]] = set()
        """What was held at the last snapshot, and whether it was drained."""
        self._bar = counting_bar("tasks", console)
        self._batch = self._bar.add_task("tasks", total=None)

    async def run(self) -> None:
        """Refresh until cancelled."""
        if not self._console.is_terminal:
            async for progress in self._snapshots():
                self._print_new(progress)
        # The live view vanishes at the end, when the table of the run is printed.
        with Live(self._bar, console=self._console, refresh_per_second=4, transient=True) as live:
            async for progress in self._snapshots():
                live.update(self.picture(progress))

    async def _snapshots(self) -> AsyncIterator[RunProgress]:
        """Yield the progress again and again. If the dispatcher is too busy to answer, ask again later."""
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
        if more > 0:  # for instance in a resumed run
            self._console.print(Text(f"{count_noun(more, 'task')} that ended before"))
        for result in new:
            self._console.print(one_line(result), soft_wrap=True)
        # The counts of a service may be behind its events: what was printed is not told again.
        self._told = max(progress.done.tasks, self._told + len(new))
        self._printed = {result.episode for result in progress.latest}
        waits = {wait.what: wait for wait in waits_of(progress)}
        for what in waits.keys() - self._waits.keys():
            self._console.print(waiting(waits[what]), soft_wrap=True)
        for what in self._waits.keys() - waits.keys():
            self._console.print(Text(f"no longer waiting for {what}"), soft_wrap=True)
        self._waits = waits
        self._print_holds(progress)

    def _print_holds(self, progress: RunProgress) -> None:
        holds = {(hold.what, hold.drained): hold for hold in progress.holds}
        new = [hold for key, hold in holds.items() if key not in self._holds]
        for line in hold_lines(new, self._run):
            self._console.print(line, soft_wrap=True)
        if gone := sorted(what for what, _ in self._holds - holds.keys()):
            self._console.print(Text(f"no longer held by manyhands control: {', '.join(gone)}"), soft_wrap=True)
        self._holds = set(holds)

    def picture(self, progress: RunProgress) -> RunPicture:
        """Return what a terminal shows for this progress."""
        self._bar.update(self._batch, total=progress.total, completed=progress.done.tasks)
        return RunPicture(self._bar, progress, self._run)


def counting_bar(name: str, console: Console, transient: bool = False) -> Progress:
    """Return a bar with a count and a clock; only a terminal shows it."""
    columns = (TextColumn(name), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=transient, disable=not console.is_terminal)


def phone_lines(phones: ChosenPhones) -> Iterator[str]:
    """Yield a line for the phones of a run, and one for each that is away or left out."""
    yield f"Phones: {', '.join(phones.serials)}"
    for serial, reason in phones.away.items():
        yield f"Away: {serial} ({reason}); it is used once it is back"
    for serial, reason in phones.left_out.items():
        yield f"Left out: {serial} ({reason})"


def _unverified(summary: RunSummary) -> str:
    """Say what became of the tasks that were not verified; count each kind separately."""
    counts = Counter(_became(row) for row in summary.by_task if not row.is_verified)
    said = ", ".join(f"{counts[what]} {what}" for what in _UNVERIFIED if counts[what])
    if summary.false_completes:
        said += f"; the agent called {summary.false_completes} of them finished"
    return f" ({said})" if said else ""


def _became(row: TaskRow) -> str:
    if row.is_judged:
        return _JUDGED if row.verified else _JUDGED_NOT
    if row.finished is Ending.CANCELLED:
        return _CANCELLED
    if row.verified is None and row.finished is Ending.FINISHED:
        return _NOT_ASKED if row.has_check else _NO_CHECK
    return _FAILED


def _verified_word(row: TaskRow) -> str:
    """Return whether the check held. A judge's word is marked as such."""
    if row.is_judged:
        return _became(row)
    return {True: "yes", False: "no", None: "-"}[row.verified]


def _interrupted(stopped: Interruptions) -> str:
    said = []
    if stopped.continued:
        said.append(f"{count_noun(stopped.continued, 'time')} gone on in place after {stopped.seconds:.0f} s in all")
    if stopped.begun_anew:
        again = count_noun(stopped.actions_again, "action")
        said.append(f"{count_noun(stopped.begun_anew, 'episode')} begun anew ({again} again)")
    return "; ".join(said)


def summary_table(summary: RunSummary) -> Group:
    """Return the table at the end of a run."""
    rows = [
        (
            row.id,
            row.phone or "-",
            row.finished.value,
            _verified_word(row) + (f" (retry {row.retries})" if row.retries else ""),
            f"{sum(row.rubrics.values())}/{len(row.rubrics)}" if row.rubrics else "-",
            str(row.steps),
            str(row.human_steps) if row.human_steps else "-",
        )
        for row in summary.by_task
    ]
    body = table(None, ("task", "phone", "ended", "verified", "rubrics", "steps", "human"), rows)
    step = f"{summary.step_ms.p50 / 1000:.1f} s (median step)" if summary.step_ms else "no step times"
    figures = (
        f"{summary.verified} of {count_noun(summary.tasks, 'task')} verified{_unverified(summary)} on "
        f"{count_noun(summary.phones, 'phone')} in {summary.wall_s:.0f} s; "
        f"{summary.episodes_per_hour:.0f} episodes an hour; {step}; "
        f"{count_noun(summary.actions_sent, 'action')} sent"
    )
    if summary.unexpected_changes:
        figures += f"; {count_noun(summary.unexpected_changes, 'task')} changed more than allowed"
    if summary.away_s:
        figures += f"; waited {summary.away_s:.0f} s for the model"
    figures += "".join(f"\n{one.task}: {one}" for one in count_repeats(summary.by_task))
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
    icons = summary.icons
    sources = [
        f"profile: {summary.profile}{summary.departures}",
        *([] if icons is None else [icon_line(icons)]),
        *(f"{what}: {source}" for what, source in said.items() if source),
        *(f"left out: {serial} ({reason})" for serial, reason in summary.phones_left_out.items()),
    ]
    return Group(body, Text(""), Text(figures), *(Text(source, style="dim") for source in sources))


# ---------------------------------------------------------------------------- what was learned
_ASKERS: dict[Asker, str] = {
    "steps": "of steps",
    "verifier": "of the verifier of preconditions",
    "retriever": "of the retriever",
    "learners": "of the learners",
    "judge": "of the judge",
}


def learning_lines(learning: LearningFigures) -> Iterator[str]:
    """Yield lines: what was learned, how uses of shortcuts ended, and the model calls beside the steps."""
    failed = f", {learning.failed} failed" if learning.failed else ""
    took = f", {learning.lesson_ms.p50 / 1000:.2f} s each (median)" if learning.lesson_ms else ""
    tips, shortcuts = taught_line(learning.tips), taught_line(learning.shortcuts)
    taught = f"; tips: {tips}; shortcuts: {shortcuts}" if {tips, shortcuts} != {"none"} else ", nothing in them"
    yield f"{count_noun(learning.lessons, 'lesson')} taught{failed}{took}{taught}"
    used = (f"{known} {uses_line(uses)}" for known, uses in learning.used.items() if uses.total)
    yield f"shortcuts used: {'; '.join(used) or 'none'}"
    if learning.put_aside:
        yield f"put aside: {', '.join(learning.put_aside)}"
    yield f"model calls {'; '.join(_calls(asker, usage) for asker, usage in learning.model.items())}"


def taught_line(counts: TaughtCounts) -> str:
    """Format ``2 added, 1 refused``."""
    said = [f"{count} {way}" for way, count in counts.model_dump().items() if count]
    return ", ".join(said) or "none"


def uses_line(counts: UseCounts) -> str:
    """Format ``3 (2 worked, 1 put aside)``."""
    said = (f"{count} {fate.replace('_', ' ')}" for fate, count in counts.model_dump().items() if count)
    return f"{counts.total} ({', '.join(said)})"


def _calls(asker: Asker, usage: RoleUsage) -> str:
    tokens = f" ({usage.input_tokens:,} tokens in, {usage.output_tokens:,} out)" if usage.calls else ""
    return f"{_ASKERS[asker]} {usage.calls}{tokens}"
