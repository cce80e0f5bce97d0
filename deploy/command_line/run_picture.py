"""Draw a running run for a terminal: as many lines as fit, the most important ones first; estimate its end."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from manyhands.deploy.command_line.cells import ASCII, UNICODE, Glyphs, count_rows, cut, wrap
from manyhands.deploy.command_line.moments import show_seconds
from manyhands.deploy.command_line.notices import STYLE, Notice, hold_notices, wait_notices
from manyhands.deploy.command_line.phone_rows import ACCENT, PhoneRow, count_blocks, draw_rows, order_phones
from manyhands.deploy.command_line.result_lines import draw_results
from manyhands.protocol.runs.progress import RunProgress, TasksDone
from manyhands.protocol.runs.results import EpisodeResult
from manyhands.protocol.utilities.host_clock import HOST_CLOCK
from manyhands.protocol.utilities.terminal_text import count_noun

RESULTS = 8
"""The most results that are shown."""
_RESULTS_KEPT = 3
"""Results that are shown even if there are many phones."""
_BAR = (8, 60)
"""The least and the greatest length of the bar, in cells."""
_AIRY = 16
"""From this height on, blank lines part the sections, and the table of phones has a header."""
_TRIED_AGAIN = "phone "
_INDENT = "  "


@dataclass(frozen=True, slots=True)
class RunPicture:
    """Draw a run for the height and width of the terminal: bar, counts, phones, what needs attention, results."""

    progress: RunProgress
    run: str
    """The run folder, for commands that people can paste."""
    elapsed_s: float = 0.0
    """How long the run is shown."""
    ages_s: Collection[float] = ()
    """How long each running episode has run."""
    goals: Mapping[str, str] = field(default_factory=dict)
    """The goals of tasks by their ids, as far as they are known."""
    failed: Sequence[EpisodeResult] = ()
    """The last tasks that were not done, the newest last."""
    passed: Sequence[EpisodeResult] = ()
    """The last tasks that were done. They are shown where nothing else needs the room."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines."""
        for line in self.lines(options.size.width, options.size.height, options.ascii_only):
            line.no_wrap, line.overflow = True, "ignore"
            yield line

    def lines(self, width: int, height: int, ascii_only: bool = False) -> list[Text]:
        """Return the lines. They take at most one row less than the terminal has.

        Only commands may be longer than a row: the terminal itself breaks them.
        """
        glyphs = ASCII if ascii_only else UNICODE
        rows = max(1, height - 1)
        is_airy = rows >= _AIRY
        head = [self._bar_line(width, glyphs), *_count_lines(self.progress, width, glyphs)][:rows]
        notices = [*hold_notices(self.progress.holds, self.run), *wait_notices(self.progress)]
        of_phones = self._phones_wanted(is_airy)
        of_notices = sum(_rows_of(notice, width) for notice in notices)
        of_results = min(len(self.failed), RESULTS)
        sections = sum(map(bool, (of_phones, of_notices, of_results)))
        room = rows - len(head) - (sections if is_airy else 0)
        for_results = min(of_results, max(_RESULTS_KEPT, room // 4), room)
        for_notices = min(of_notices, (room - for_results + 1) // 2)
        for_phones = min(of_phones, room - for_results - for_notices)
        for_notices = min(of_notices, room - for_results - for_phones)
        spare = max(0, room - for_notices - for_phones)
        for_results = min(of_results, spare)
        passed = min(len(self.passed), RESULTS - for_results, spare - for_results - (is_airy and not for_results))
        all_sections = (
            self._phone_lines(for_phones, width, glyphs, is_airy),
            _notice_lines(notices, for_notices, width, glyphs),
            draw_results([*_last(self.passed, passed), *_last(self.failed, for_results)], width, glyphs),
        )
        for section in filter(None, all_sections):
            head += [Text(), *section] if is_airy else section
        return head

    # ------------------------------------------------------------------------ head
    def _bar_line(self, width: int, glyphs: Glyphs) -> Text:
        """Return the bar with the count of tasks, and as much about the time as fits."""
        progress = self.progress
        ended, total = progress.done.tasks, progress.total
        remaining_s = estimate_s(progress, self.ages_s)
        count = f"{ended:,} of {total:,} {'task' if total == 1 else 'tasks'}" if total else "no tasks yet"
        share = f"{100 * ended // total:>3} %" if total else ""
        elapsed = show_seconds(self.elapsed_s)
        estimate = show_estimate(remaining_s) if remaining_s is not None else ""
        about = ", ".join(filter(None, (elapsed, estimate)))
        for parts in ((share, about), (share, estimate or elapsed), (estimate or share,), (share,), ()):
            end = "   ".join(filter(None, parts))
            room = width - len(count) - len(end) - (4 if end else 2)
            if room >= _BAR[0]:
                line = Text.assemble((count, "bold"), "  ")
                line.append_text(_bar(min(room, _BAR[1]), progress.done, total, glyphs))
                return line.append(f"  {end}" if end else "", "dim")
        return Text(cut(count, width, glyphs), style="bold")

    # ------------------------------------------------------------------------ phones
    def _phones_wanted(self, has_header: bool) -> int:
        """Return how many rows the phones would take if all of them were shown."""
        running = len(self.progress.running)
        rest = max(0, self.progress.phones - running)
        if not running:
            return 0  # the counts say what there is to say
        return running + bool(rest) + has_header

    def _phone_lines(self, rows: int, width: int, glyphs: Glyphs, has_header: bool) -> list[Text]:
        """Return the table of phones in at most ``rows`` rows. The last one counts the phones that have none."""
        running = self.progress.running
        if rows <= 0:
            return []
        has_header = has_header and rows > 2
        room = rows - has_header
        blocks = 1 if len(running) <= room else count_blocks(width)
        is_rest = max(len(running), self.progress.phones) > room * blocks or self.progress.phones > len(running)
        fit = (room - is_rest) * blocks
        episodes = order_phones(running, fit)[:fit]
        now = HOST_CLOCK.now()
        table = [PhoneRow.of(episode, self.goals, now) for episode in episodes]
        lines = draw_rows(table, width, blocks, glyphs, has_header)
        if is_rest and (rest := _rest_line(self.progress, len(episodes), width, glyphs)) is not None:
            lines.append(rest)
        return lines


def _phone_states(progress: RunProgress) -> dict[str, int]:
    """Return how many phones are in each state; those that are in none are left out."""
    busy = {episode.serial for episode in progress.running}
    away = {wait.what.removeprefix(_TRIED_AGAIN) for wait in progress.away} - busy
    held_phones = {hold.phone for hold in progress.holds if hold.phone} - busy - away
    paused = held_phones & {hold.phone for hold in progress.holds if not hold.drained}
    states = {"busy": len(busy), "away": len(away), "paused": len(paused), "drained": len(held_phones - paused)}
    states["free"] = max(0, progress.phones - sum(states.values()))
    return {state: count for state, count in states.items() if count}


def _count_lines(progress: RunProgress, width: int, glyphs: Glyphs) -> list[Text]:
    """Return the counts of tasks and of phones: in one line, or in two if one is too narrow."""
    tasks = _counts("", _task_counts(progress), width)
    phones = _counts(f"{count_noun(progress.phones, 'phone')}: ", _phone_states(progress), width)
    parts = [tasks, phones] if progress.phones else [tasks]
    together = Text()
    for part in parts:
        together.append(f"  {glyphs.dot}  " if together and part else "", "dim").append_text(part)
    lines = [together] if cell_len(together.plain) <= width else parts
    return [line for line in lines if line.plain]


_STYLES = {"done": "green", "failed": "red", "away": STYLE, "paused": STYLE, "drained": STYLE, "busy": ACCENT}


def _task_counts(progress: RunProgress) -> dict[str, int]:
    tasks_done = progress.done
    ended = (
        {"ended": tasks_done.tasks}
        if tasks_done.passed is None
        else {"done": tasks_done.passed, "failed": tasks_done.tasks - tasks_done.passed}
    )
    return {**ended, "waiting": progress.waiting}


def _counts(of: str, counts: Mapping[str, int], width: int) -> Text:
    """Return as many counts as fit."""
    line = Text(of)
    for what, count in counts.items():
        comma, text = ", " if len(line) > len(of) else "", f"{count:,} {what}"
        if count and len(line) + len(comma) + len(text) <= width:
            line.append(comma).append(text, _STYLES.get(what, ""))
    return line


def _bar(cells: int, tasks_done: TasksDone, total: int, glyphs: Glyphs) -> Text:
    """Return a bar: tasks that are done, tasks that failed, and the rest."""
    ended = 0 if not total else min(cells, cells * tasks_done.tasks // total)
    failed = (
        0
        if tasks_done.passed is None or not tasks_done.tasks
        else -(-ended * (tasks_done.tasks - tasks_done.passed) // tasks_done.tasks)
    )
    return Text.assemble(
        (glyphs.heavy * (ended - failed), ACCENT),
        (glyphs.heavy * failed, "red"),
        (glyphs.light * (cells - ended), "bright_black"),
    )


def _rest_line(progress: RunProgress, rows: int, width: int, glyphs: Glyphs) -> Text | None:
    """Return a line that counts the phones that have no row."""
    states = _phone_states(progress)
    states["busy"] = len(progress.running) - rows
    states = {state: count for state, count in states.items() if count}
    more = sum(states.values())
    if not more:
        return None
    text = ", ".join(f"{count} {state}" for state, count in states.items())
    return Text(cut(f"and {more} more: {text}" if len(states) > 1 else f"and {text}", width, glyphs), style="dim")


def _last(results: Sequence[EpisodeResult], count: int) -> Sequence[EpisodeResult]:
    return results[len(results) - count :] if count > 0 else ()


# ---------------------------------------------------------------------------- what needs attention
def _rows_of(notice: Notice, width: int) -> int:
    return len(wrap(notice.text, width, notice.most_rows)) + _command_rows(notice, width)


def _command_rows(notice: Notice, width: int) -> int:
    return count_rows(_INDENT + notice.command, width) if notice.command else 0


def _notice_lines(notices: Sequence[Notice], rows: int, width: int, glyphs: Glyphs) -> list[Text]:
    """Return the notices that fit into ``rows`` rows. The last row counts those that do not. No command is cut."""
    lines: list[Text] = []
    rows_left = rows
    for index, notice in enumerate(notices):
        more = len(notices) - index
        room = rows_left - (more > 1) - _command_rows(notice, width)
        if room < 1:
            if rows_left:
                lines.append(Text(cut(f"and {more} more waits", width, glyphs), style="dim"))
            break
        lines_of_notice = wrap(notice.text, width, min(room, notice.most_rows), glyphs)
        lines += [Text(line, style=STYLE) for line in lines_of_notice]
        if notice.command:
            lines.append(Text(_INDENT + notice.command))
        rows_left -= len(lines_of_notice) + _command_rows(notice, width)
    return lines


_ROUGH_S = 90.0
"""Above this a time is told in minutes, below it in tens of seconds."""


def estimate_s(progress: RunProgress, ages_s: Collection[float]) -> float | None:
    """Return the seconds until all tasks have ended; None while nothing tells.

    ``ages_s``: how long each running episode has run. The tasks that wait are taken to last as long as the last tasks
    did on average, and to be spread over as many phones as work now. Nothing tells when what all of them wait for,
    such as the model, is back.
    """
    starts_nothing = progress.waiting > 0 and bool(progress.held_up)
    if starts_nothing or (progress.running and all(episode.is_waiting for episode in progress.running)):
        return None
    lasted = [result.ended_at - result.started_at for result in progress.latest if result.started_at > 0]
    if not lasted or not (ages_s or progress.waiting):
        return None
    mean = sum(lasted) / len(lasted)
    open_s = [max(0.0, mean - age) for age in ages_s]
    remaining_s = max([(progress.waiting * mean + sum(open_s)) / max(1, len(ages_s)), *open_s])
    return remaining_s if remaining_s > 0 else None


def show_estimate(seconds: float) -> str:
    """Return a time as rough as it is known: ``about 40 s left``, ``about 3 min left``, ``about 2 h 5 min left``."""
    if seconds <= _ROUGH_S:
        return f"about {max(10, round(seconds, -1)):.0f} s left"
    return f"about {show_seconds(round(seconds / 60) * 60)} left"
