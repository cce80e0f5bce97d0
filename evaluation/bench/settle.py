"""The figures of ``manyhands bench settle``: was the captured screen the final one, and how long after the end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evaluation.bench.plots import BLACK, BLUE, GREY, VERMILION, new_figure, save
from protocol.base import Message

FINAL_SHARE = 0.99
LOSS_P90_MS = 250.0
WITHIN_VISITS = 5
"""The targets: this share of final screens and this loss; where pauses are to be learned, within so many visits."""


class SettledAction(Message):
    """One action on a virtual phone, and the screenshot after it. Times are Unix seconds of one clock."""

    world: int
    """Phones of one world share what is typical; nothing is learned from another world."""
    app: str
    """In front before the action, or opened by it."""
    action: str
    visit: int
    """Number of this kind of action in this app, from 1."""
    judged: bool
    """False if the minute changed in between: a clock on the screen may have, which is no late change."""
    changed: bool
    """Whether the action changed anything on the screen in the end."""
    final: bool
    """Whether the screenshot shows, pixel for pixel below the status bar, what the screen showed in the end."""
    ended_at: float
    """When the phone's screen had truly come to rest."""
    transition_ms: float
    """From the action's receipt to that end; below zero where the end came first."""
    taken_at: float
    """When the screenshot's frame was complete."""
    returned_at: float
    """When whoever asked for the screenshot had it."""
    settled: bool
    frames: int
    quiet_ms: float
    learned: bool
    pauses: int

    @property
    def loss_ms(self) -> float:
        return (self.taken_at - self.ended_at) * 1000

    @property
    def returned_loss_ms(self) -> float:
        return (self.returned_at - self.ended_at) * 1000


class SettleFigures(Message):
    """Of some actions that changed something. Losses are those of the final screenshots, in milliseconds."""

    actions: int
    final_share: float | None
    loss_p50_ms: float | None
    loss_p90_ms: float | None
    returned_p90_ms: float | None
    """The same until the caller had the screenshot: with hashing and the model's JPEG."""
    frames_mean: float | None
    learned_share: float | None
    reached: bool
    """Whether both targets are met."""


def settle_figures(actions: Sequence[SettledAction]) -> SettleFigures:
    """What changed nothing is left out: it has no end that could be missed."""
    counted = [action for action in actions if action.changed and action.judged]
    final = [action for action in counted if action.final]
    share = _mean([float(action.final) for action in counted])
    loss = _rank(sorted(action.loss_ms for action in final), 0.9)
    return SettleFigures(
        actions=len(counted),
        final_share=share,
        loss_p50_ms=_rank(sorted(action.loss_ms for action in final), 0.5),
        loss_p90_ms=loss,
        returned_p90_ms=_rank(sorted(action.returned_loss_ms for action in final), 0.9),
        frames_mean=_mean([float(action.frames) for action in counted]),
        learned_share=_mean([float(action.learned) for action in counted]),
        reached=share is not None and share >= FINAL_SHARE and loss is not None and loss <= LOSS_P90_MS,
    )


def by_visit(actions: Sequence[SettledAction]) -> dict[int, SettleFigures]:
    """Of the first visit of every app and action, of the second one, and so on."""
    visits = sorted({action.visit for action in actions})
    return {visit: settle_figures([action for action in actions if action.visit == visit]) for visit in visits}


def after_learning(actions: Sequence[SettledAction]) -> SettleFigures:
    """Of the visits from the fifth on."""
    return settle_figures([action for action in actions if action.visit >= WITHIN_VISITS])


def draw_settle(bursts: Sequence[SettledAction], pauses: Sequence[SettledAction], folder: Path) -> tuple[Path, Path]:
    """Draws ``settle`` as PNG and SVG into ``folder``; their paths. Raises BadInput."""
    figure, (left, right) = new_figure(11.0, 4.2, columns=2)
    final = sorted(action.loss_ms for action in bursts if action.changed and action.judged and action.final)
    left.step(final, [(place + 1) / len(final) for place in range(len(final))], where="post", color=BLUE)
    left.axvline(LOSS_P90_MS, color=GREY, linestyle="--", label="target for the 90th percentile")
    left.axhline(0.9, color=GREY, linewidth=0.8)
    left.set(xlabel="loss over the true end (ms)", ylabel="share of actions", title="transitions in bursts")
    left.legend(frameon=False)
    visits = {visit: figures for visit, figures in by_visit(pauses).items() if figures.actions}
    right.plot(
        list(visits),
        [100 * (figures.final_share or 0.0) for figures in visits.values()],
        color=BLUE,
        marker="o",
        label="final screens (%)",
    )
    right.set(xlabel="visit of the same app and action", ylabel="final screens (%)", title="pauses, learned")
    right.set_xticks(list(visits))
    right.set_ylim(0, 104)
    losses = right.twinx()
    losses.plot(
        list(visits),
        [figures.loss_p90_ms or float("nan") for figures in visits.values()],
        color=VERMILION,
        marker="s",
        label="loss, 90th percentile (ms)",
    )
    losses.axhline(LOSS_P90_MS, color=GREY, linestyle="--")
    losses.set_ylabel("loss (ms)", color=BLACK)
    losses.set_ylim(bottom=0)
    right.legend(handles=[right.get_lines()[0], losses.get_lines()[0]], frameon=False, loc="lower right")
    return save(figure, folder, "settle")


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _rank(ranked: Sequence[float], share: float) -> float | None:
    """The smallest value that at least ``share`` of all are not above."""
    if not ranked:
        return None
    return ranked[min(len(ranked) - 1, max(0, -int(-share * len(ranked) // 1) - 1))]
