"""Draw the phones of a run as rows of a terminal: where each is, in which stage, for how long, and what it does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from manyhands.deploy.command_line.cells import Column, Glyphs, Layout, natural_key
from manyhands.protocol.runs.interventions import EpisodePhase
from manyhands.protocol.runs.progress import EpisodeProgress

ACCENT = "cyan"
TROUBLE = "yellow"
_LONG_S = 60.0
"""The time of a stage that takes longer is marked."""
_BLOCK = 84
"""The least width of a block of rows, if several blocks stand side by side."""
_BETWEEN = "    "
_BLOCKS = 3
"""The most blocks side by side."""

_LAYOUT = Layout(
    columns={
        "phone": Column("phone", 12, 24),
        "task": Column("task", 10, 32),
        "step": Column("step", 4, 5, to_right=True),
        "stage": Column("stage", 7, 21, style=ACCENT),
        "time": Column("", 5, 7, to_right=True),
        "goal": Column("goal or subgoal", 16),
    },
    dropped=("goal", "task", "step", "stage"),
    spare=("time", "step", "phone", "stage", "task", "goal"),
)


@dataclass(frozen=True, slots=True)
class PhoneRow:
    """Hold the cells of one row, by the names of the columns, and what is marked in it."""

    cells: Mapping[str, str]
    is_slow: bool
    is_waiting: bool

    @classmethod
    def of(cls, episode: EpisodeProgress, goals: Mapping[str, str], now: float) -> PhoneRow:
        """Return the row of a running episode. ``goals``: the goals of tasks, as far as they are known."""
        stages = ", ".join(episode.stages)
        more = f" +{len(episode.stages) - 1}" if len(episode.stages) > 1 else ""
        seconds = max(0.0, now - episode.stage_since) if episode.stage_since else None
        if episode.phase is not EpisodePhase.RUNNING and episode.held_since:
            seconds = max(0.0, now - episode.held_since)
        stage = episode.doing if episode.is_waiting else f"{episode.stages[0]}{more}" if episode.stages else ""
        doing = episode.subgoal if episode.is_waiting or episode.doing == stages else episode.doing
        cells = {
            "phone": episode.serial,
            "task": episode.task,
            "step": str(episode.step),
            "stage": stage,
            "time": "" if seconds is None else _show_time(seconds),
            "goal": _hold_text(episode) or doing or goals.get(episode.task, ""),
        }
        is_slow = seconds is not None and seconds >= _LONG_S
        return cls(cells, is_slow, is_waiting=episode.is_waiting or bool(_hold_text(episode)))

    @property
    def styles(self) -> Mapping[str, str]:
        """Return the styles of what is marked."""
        if self.is_waiting:
            return dict.fromkeys(self.cells, TROUBLE)
        return {"time": TROUBLE} if self.is_slow else {}


def _hold_text(episode: EpisodeProgress) -> str:
    """Return what people do with an episode: ``paused by ann``; empty if the agent carries it out."""
    if episode.phase is EpisodePhase.RUNNING:
        return ""
    by = f" by {episode.held_by}" if episode.held_by else ""
    return f"{episode.phase.value.replace('_', ' ')}{by}"


def order_phones(running: Iterable[EpisodeProgress], fit: int) -> list[EpisodeProgress]:
    """Return running episodes as they are shown.

    If all of them fit, they are in the order of their phones, so that each keeps its row. Otherwise the busiest come
    first: those that wait for something or are held by people, then those that are in their stage for longest.
    """
    by_phone = sorted(running, key=lambda episode: natural_key(episode.serial))
    if len(by_phone) <= fit:
        return by_phone
    return sorted(by_phone, key=lambda episode: (not (episode.is_waiting or _hold_text(episode)), episode.stage_since))


def count_blocks(width: int) -> int:
    """Return how many blocks of rows a terminal has room for, side by side."""
    return max(1, min(_BLOCKS, (width + len(_BETWEEN)) // (_BLOCK + len(_BETWEEN))))


def draw_rows(rows: Sequence[PhoneRow], width: int, blocks: int, glyphs: Glyphs, has_header: bool) -> list[Text]:
    """Return the lines of a table of these rows, in ``blocks`` blocks side by side."""
    if not rows:
        return []
    inner = (width - len(_BETWEEN) * (blocks - 1)) // blocks
    widths = _LAYOUT.fit((row.cells for row in rows), inner)
    head = [_LAYOUT.header(widths, glyphs)] if has_header else []
    body = [_LAYOUT.row(widths, row.cells, glyphs, row.styles) for row in rows]
    high = -(-len(body) // blocks)
    parts = [head + body[start : start + high] for start in range(0, len(body), high)]
    return [_join([part[index] for part in parts if index < len(part)], inner) for index in range(len(parts[0]))]


def _show_time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 999.5 else f"{seconds / 60:.0f} min"


def _join(blocks: Sequence[Text], inner: int) -> Text:
    """Return lines beside each other in one line; each but the last is padded to ``inner`` cells."""
    line = Text()
    for index, block in enumerate(blocks):
        line.append_text(block)
        if index < len(blocks) - 1:
            line.append(" " * (inner - cell_len(block.plain)) + _BETWEEN)
    return line
