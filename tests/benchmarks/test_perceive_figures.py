"""The figures of bench perceive, from screens made up for it."""

from __future__ import annotations

import pytest

from manyhands.benchmarks.part_reading import (
    Agreement,
    How,
    ScreenRead,
    compare_icons,
    compare_texts,
    episode_figures,
)
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element


def word(content: str) -> Element:
    return Element(kind="text", box=Box(x1=0, y1=0, x2=50, y2=20), content=content, confidence=1)


def icon(x: int, side: int = 20) -> Element:
    return Element(kind="icon", box=Box(x1=x, y1=0, x2=x + side, y2=side), content="", confidence=0.5)


def screen(step: int, part_ms: float, how: How = "part", common: int = 9) -> ScreenRead:
    return ScreenRead(
        episode="e",
        step=step,
        how=how,
        read_share=0.25,
        full_ms=110,
        part_ms=part_ms,
        decode_ms=10,
        texts=Agreement(common=common, in_full=10, in_part=10),
        icons=Agreement(common=0, in_full=0, in_part=0),
    )


def test_texts_agree_as_often_as_they_come() -> None:
    agreed, missing, added = compare_texts([word("a"), word("a"), word("b"), icon(0)], [word("a"), word("c")])
    assert (agreed.common, agreed.in_full, agreed.in_part) == (1, 3, 2)
    assert agreed.f1 == pytest.approx(0.4)
    assert (missing, added) == ({"a": 1, "b": 1}, {"c": 1})


def test_an_icon_has_one_partner_in_its_place() -> None:
    agreed = compare_icons([icon(0), icon(100)], [icon(3), icon(2), icon(115), word("x")])
    assert (agreed.common, agreed.in_full, agreed.in_part) == (1, 2, 3)
    assert compare_icons([], []).f1 == 1


def test_costs_are_medians_of_ratios_and_texts_are_counted_over_all_screens() -> None:
    figures = episode_figures([screen(0, 110, "full", 10), screen(1, 22), screen(2, 0, "remembered", 8)])
    assert figures.cost_ratio == pytest.approx(0.2)
    assert figures.cost_ratio_undecoded == pytest.approx(0.12)
    assert figures.cost_ratio_mean == pytest.approx(0.4)
    assert figures.text_f1 == pytest.approx(0.9)
    assert figures.text_f1_worst == pytest.approx(0.8)
    assert figures.icon_f1 == 1
    assert figures.by_how == {"full": 1, "part": 1, "remembered": 1}


def test_a_run_without_screens_has_no_figures() -> None:
    with pytest.raises(BadInput, match="no screens"):
        episode_figures([])
