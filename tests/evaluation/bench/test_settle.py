from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from evaluation.bench.settle import (
    LOSS_P90_MS,
    SettledAction,
    after_learning,
    by_visit,
    draw_settle,
    settle_figures,
)


def action(
    visit: int = 1, final: bool = True, loss_ms: float = 200.0, changed: bool = True, judged: bool = True
) -> SettledAction:
    return SettledAction(
        world=0,
        app="app",
        action="Tap",
        visit=visit,
        judged=judged,
        changed=changed,
        final=final,
        ended_at=1000.0,
        transition_ms=500.0,
        taken_at=1000.0 + loss_ms / 1000,
        returned_at=1000.02 + loss_ms / 1000,
        settled=True,
        frames=5,
        quiet_ms=170.0,
        learned=False,
        pauses=0,
    )


def test_without_actions_nothing_is_reached() -> None:
    figures = settle_figures([])
    assert (figures.actions, figures.final_share, figures.loss_p90_ms, figures.reached) == (0, None, None, False)


def test_losses_are_those_of_final_screens() -> None:
    figures = settle_figures([action(loss_ms=100.0)] * 99 + [action(final=False, loss_ms=-900.0)])
    assert (figures.actions, figures.final_share) == (100, 0.99)
    assert figures.loss_p50_ms is not None
    assert round(figures.loss_p50_ms) == 100
    assert figures.reached
    assert not settle_figures([action()] * 97 + [action(final=False)] * 2).reached


def test_what_changed_nothing_or_cannot_be_judged_is_left_out() -> None:
    figures = settle_figures([action(), action(changed=False, final=False), action(judged=False, final=False)])
    assert (figures.actions, figures.final_share) == (1, 1.0)


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=50))
def test_nine_of_ten_losses_are_not_above_the_90th_percentile(losses: list[float]) -> None:
    figures = settle_figures([action(loss_ms=loss) for loss in losses])
    assert figures.loss_p90_ms is not None
    below = sum(loss <= figures.loss_p90_ms + 1e-3 for loss in losses)
    assert below >= 0.9 * len(losses)
    assert figures.reached == (figures.loss_p90_ms <= LOSS_P90_MS)


def test_visits_are_told_apart() -> None:
    actions = [action(visit, final=visit > 1) for visit in range(1, 7)]
    assert [figures.final_share for figures in by_visit(actions).values()] == [0.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert after_learning(actions).actions == 2


def test_the_plot_is_drawn_also_where_one_family_was_not_measured(tmp_path: Path) -> None:
    for bursts, pauses in (([action()], [action(), action(2)]), ([], [action()]), ([action()], [])):
        png, svg = draw_settle(bursts, pauses, tmp_path)
        assert png.stat().st_size > 1000
        assert svg.read_text(encoding="utf-8").startswith("<?xml")
