"""Say what a run waits for, and what people have paused or drained in it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from manyhands.deploy.command_line.cells import cut, flatten
from manyhands.deploy.command_line.moments import show_seconds
from manyhands.deploy.command_line.output import own_name
from manyhands.protocol.runs.control import WAITS_FOR_GO
from manyhands.protocol.runs.progress import RunHold, RunProgress, RunWait
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

STYLE = "yellow"
_NAMED = 4
"""The most held phones or tasks that one line names."""
_SAID_S = 1.0
"""A wait that is shorter is told without its time."""
HELD_UP_ROWS = 3
"""The most rows about what holds the whole run up: the reason says what to mend."""
_REASON = 1000
"""A reason is cut to so many cells."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Hold a text about a run, and a command that a person may type because of it."""

    text: str
    command: str = ""
    most_rows: int = 1
    """How many rows of a terminal the text may take."""

    @property
    def one_line(self) -> Text:
        """Return both as one line."""
        return Text(f"{self.text}; to go on: {self.command}" if self.command else self.text, style=STYLE)


def hold_notices(holds: Sequence[RunHold], run: str) -> Iterator[Notice]:
    """Yield a notice of what is paused, and one of what is drained. Each names the command that ends it."""
    for drained in (False, True):
        matching = [hold for hold in holds if hold.drained is drained]
        if matching:
            lasted = show_seconds(HOST_CLOCK.now() - min(hold.since for hold in matching))
            what = ", ".join(_named([flatten(hold.what) for hold in matching]))
            options = "" if len(matching) > _NAMED else "".join(map(_option, matching))
            text = f"{'drained' if drained else 'paused'} by manyhands control for {lasted}: {what}"
            yield Notice(text, f"{own_name()} control {shlex.quote(run)} go{options}")


def hold_lines(holds: Sequence[RunHold], run: str) -> Iterator[Text]:
    """Yield the notices of what is paused and drained as lines."""
    return (notice.one_line for notice in hold_notices(holds, run))


def wait_notices(progress: RunProgress) -> list[Notice]:
    """Return notices of what a run waits for. Those of what holds all of it up may take several rows."""
    held_up = {wait.what for wait in progress.held_up}
    return [wait_notice(wait, HELD_UP_ROWS if wait.what in held_up else 1) for wait in waits_of(progress)]


def waits_of(progress: RunProgress) -> list[RunWait]:
    """Return what a run waits for. Leave out pauses by ``manyhands control``: ``hold_notices`` tells them."""
    reason = WAITS_FOR_GO if progress.holds else None
    return [wait for wait in (*progress.held_up, *progress.away) if wait.what != reason]


def wait_notice(wait: RunWait, most_rows: int = 1) -> Notice:
    """Return a notice of what a run waits for."""
    seconds = HOST_CLOCK.now() - wait.since
    lasted = f" for {show_seconds(seconds)}" if seconds >= _SAID_S else ""
    reason = f": {cut(wait.reason, _REASON)}" if wait.reason else ""
    return Notice(f"waiting for {flatten(wait.what)}{lasted}{reason}", most_rows=most_rows)


def _named(names: Sequence[str]) -> Iterable[str]:
    return names if len(names) <= _NAMED else [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} more"]


def _option(hold: RunHold) -> str:
    if hold.phone:
        return f" --phone {shlex.quote(hold.phone)}"
    return f" --task {shlex.quote(hold.task)}" if hold.task else ""
