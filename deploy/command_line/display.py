"""Display a run: the live view, or lines without a terminal, and the lines before it."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from manyhands.deploy.command_line.cells import flatten
from manyhands.deploy.command_line.live_area import LiveArea
from manyhands.deploy.command_line.notices import hold_lines, wait_notice, waits_of
from manyhands.deploy.command_line.output import text_console
from manyhands.deploy.command_line.result_lines import one_line
from manyhands.deploy.command_line.run_picture import RESULTS, RunPicture
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.models import REHEARSED
from manyhands.deploy.settings.phones import behind_brokers
from manyhands.protocol.errors import CallError
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.progress import RunProgress, RunWait
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:  # it needs libraries that take a while to import
    from manyhands.deploy.fleet.phones.phone_selection import ChosenPhones

REFRESH_S = 0.5
_PHONES_NAMED = 12
"""The most phones that the lines before a run name."""
_log = logging.getLogger(__name__)


def tell_unused(settings: FleetSettings) -> None:
    """Say on stderr which settings have no effect with the profile, and what a run lacks to be like its paper's."""
    # Imported here, because a profile's stages need libraries that not every command has.
    from manyhands.actors.profiles import profile_of, unused
    from manyhands.deploy.fleet.model_servers.resolution import rehearsed_roles

    used_roles = {*profile_of(settings.episode.profile).roles(settings.episode), Role.CAPTION, Role.JUDGE}
    names = [f"episode.{name}" for name in unused(settings.episode)]
    names += [f"models.{role}" for role in settings.models if role not in used_roles]
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
    if settings.episode.logcat and behind_brokers(settings.phones):
        lines.append("The logs of phones behind a broker are not available: --logcat has no effect on them")
    if names:
        lines.append(f"Without effect with profile {settings.episode.profile}: {', '.join(names)}")
    for line in lines:
        text_console(stderr=True).print(line, markup=False, soft_wrap=True)


def _lacks_clip(settings: FleetSettings) -> bool:
    """Return whether a run that must be paper-exact finds icons by words, but has no CLIP for that."""
    finds_icons = registered_profiles().find(settings.episode.profile).finds_icons_by_words
    return finds_icons and settings.episode.paper_exact and settings.perception_settings(None).clip.folder is None


class RunDisplay:
    """Show a run until it is done: live on a terminal, otherwise a line for each event."""

    def __init__(
        self,
        console: Console,
        progress: Callable[[], Awaitable[RunProgress]],
        run: str = "RUN",
        goals: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare. ``run``: the run folder, for the commands that are suggested. ``goals``: goals by the tasks' ids."""
        self._console = console
        self._run = run
        self._ask = progress
        self._goals = {} if goals is None else goals
        self._is_live = console.is_terminal and not console.is_dumb_terminal
        self._wake = asyncio.Event()
        """Set when there is something new to draw."""
        self._latest: RunProgress | None = None
        self._began_at = time.monotonic()
        self._first_seen: dict[str, float] = {}
        """When each running episode was first seen, by the monotonic clock."""
        self._failed: deque[EpisodeResult] = deque(maxlen=RESULTS)
        self._passed: deque[EpisodeResult] = deque(maxlen=RESULTS)
        self._taken: frozenset[str] = frozenset()
        """The episodes whose results were among the latest of the last snapshot."""
        self._told = 0
        """The number of ended tasks that have been told, each by a line or as one of those before."""
        self._printed: set[str] = set()
        self._waits: dict[str, RunWait] = {}
        """The waits of the last snapshot."""
        self._holds: set[tuple[str, bool]] = set()
        """What was held at the last snapshot, and whether it was drained."""

    async def run(self) -> None:
        """Refresh until cancelled."""
        if not self._is_live:
            async for progress in self._snapshots():
                self._print_new(progress)
        # The live view vanishes at the end, when the table of the run is printed.
        with LiveArea(self._console) as area, _on_resize(self._wake.set):
            asking = asyncio.create_task(self._keep_asking())
            try:
                while not asking.done():
                    if self._latest is not None:
                        width, height = self._console.size
                        area.draw(self.picture(self._latest).lines(width, height, self._console.options.ascii_only))
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._wake.wait(), REFRESH_S)
                    self._wake.clear()
                await asking
            finally:
                asking.cancel()

    async def _keep_asking(self) -> None:
        async for progress in self._snapshots():
            self._latest = progress
            self._wake.set()

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
        if not self._is_live:
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
            self._console.print(wait_notice(waits[what]).one_line, soft_wrap=True)
        for what in self._waits.keys() - waits.keys():
            self._console.print(Text(f"no longer waiting for {flatten(what)}"), soft_wrap=True)
        self._waits = waits
        self._print_holds(progress)

    def _print_holds(self, progress: RunProgress) -> None:
        holds = {(hold.what, hold.drained): hold for hold in progress.holds}
        new = [hold for key, hold in holds.items() if key not in self._holds]
        for line in hold_lines(new, self._run):
            self._console.print(line, soft_wrap=True)
        if released_names := sorted(flatten(what) for what, _ in self._holds - holds.keys()):
            self._console.print(
                Text(f"no longer held by manyhands control: {', '.join(released_names)}"), soft_wrap=True
            )
        self._holds = set(holds)

    def picture(self, progress: RunProgress) -> RunPicture:
        """Return what a terminal shows for this progress."""
        now = time.monotonic()
        self._first_seen = {episode.episode: self._first_seen.get(episode.episode, now) for episode in progress.running}
        for result in progress.latest:
            if result.episode not in self._taken:
                (self._passed if result.is_done else self._failed).append(result)
        self._taken = frozenset(result.episode for result in progress.latest)
        return RunPicture(
            progress,
            self._run,
            elapsed_s=now - self._began_at,
            ages_s=[now - since for since in self._first_seen.values()],
            goals=self._goals,
            failed=tuple(self._failed),
            passed=tuple(self._passed),
        )


@contextmanager
def _on_resize(tell: Callable[[], None]) -> Iterator[None]:
    """Call ``tell`` when the terminal gets another size. Outside the main thread the next refresh notices it."""
    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGWINCH, tell)
    except (RuntimeError, ValueError):
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGWINCH)


def counting_bar(name: str, console: Console, transient: bool = False) -> Progress:
    """Return a bar with a count and a clock; only a terminal shows it."""
    columns = (TextColumn(name), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=transient, disable=not console.is_terminal)


def phone_lines(phones: ChosenPhones) -> Iterator[str]:
    """Yield a line for the phones of a run, and one for each that is away or left out, as far as they are few."""
    named = [flatten(serial) for serial in phones.serials]
    more = f" and {len(named) - _PHONES_NAMED} more" if len(named) > _PHONES_NAMED else ""
    yield f"Phones: {', '.join(named[:_PHONES_NAMED])}{more}"
    away = [
        f"Away: {flatten(serial)} ({flatten(reason)}); it is used once it is back"
        for serial, reason in phones.away.items()
    ]
    left_out = [f"Left out: {flatten(serial)} ({flatten(reason)})" for serial, reason in phones.left_out.items()]
    for lines, what in ((away, "away"), (left_out, "left out")):
        yield from lines[:_PHONES_NAMED]
        if len(lines) > _PHONES_NAMED:
            yield f"and {len(lines) - _PHONES_NAMED} more {what}"
