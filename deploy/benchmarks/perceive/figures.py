"""The figures of ``manyhands bench perceive``: what reading in part costs, and how near it comes to reading in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import mean, median
from typing import Literal

from manyhands.evaluation.perception.labels import SAME_PLACE, iou, rect_of
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens import Element

How = Literal["full", "part", "scrolled", "unchanged", "remembered"]
"""As the perception service counts; ``remembered``: the pixels of a picture that was read before."""


class Agreement(Message):
    """How two readings of one picture agree. ``common``: what both have; the others: how many each has."""

    common: int
    in_full: int
    in_part: int

    @property
    def f1(self) -> float:
        """Return the F1 of the two; 1 where neither has any."""
        everything = self.in_full + self.in_part
        return 2 * self.common / everything if everything else 1.0


class ScreenRead(Message):
    """One screen of an episode, read both ways. Times are CPU times of all threads of the process."""

    episode: str
    step: int
    how: How
    read_share: float
    full_ms: float
    """A reading in full, decoding included."""
    part_ms: float
    """What the service does, decoding included."""
    decode_ms: float
    texts: Agreement
    icons: Agreement
    missing: tuple[str, ...] = ()
    """Texts that only the reading in full has."""
    added: tuple[str, ...] = ()
    """Texts that only the other has."""


class EpisodeFigures(Message):
    """Figures over all screens, in the order in which the phone showed them."""

    screens: int
    by_how: dict[str, int]
    full_ms: float
    """Median of a reading in full."""
    part_ms: float
    """Median of what the service does."""
    cost_ratio: float
    """Median over the screens of what the service does by a reading in full of the same screen."""
    cost_ratio_undecoded: float
    """The same without decoding, on both sides."""
    cost_ratio_mean: float
    """All that the service does, by all readings in full."""
    text_f1: float
    """Over all screens together, exact strings."""
    text_f1_worst: float
    icon_f1: float
    read_share: float
    """Median share of the rows that had to be read."""


def compare_texts(
    in_full: Iterable[Element], in_part: Iterable[Element]
) -> tuple[Agreement, Counter[str], Counter[str]]:
    """Compare texts as multisets of exact strings; also return what only the first or the second has."""
    one = Counter(element.content for element in in_full if element.kind == "text")
    other = Counter(element.content for element in in_part if element.kind == "text")
    agreed = Agreement(common=(one & other).total(), in_full=one.total(), in_part=other.total())
    return agreed, one - other, other - one


def compare_icons(in_full: Iterable[Element], in_part: Iterable[Element]) -> Agreement:
    """Pair the icons of both in order, each with the first in its place that has no partner yet."""
    one = [rect_of(element.box) for element in in_full if element.kind == "icon"]
    other = [rect_of(element.box) for element in in_part if element.kind == "icon"]
    free, common = list(other), 0
    for box in one:
        partner = next((candidate for candidate in free if iou(box, candidate) >= SAME_PLACE), None)
        if partner is not None:
            free.remove(partner)
            common += 1
    return Agreement(common=common, in_full=len(one), in_part=len(other))


def episode_figures(screens: Sequence[ScreenRead]) -> EpisodeFigures:
    """Compute the figures. Raises BadInput where there are no screens."""
    if not screens:
        raise BadInput("the run has no screens; name one that has (runs/.../screens/*.png)")
    return EpisodeFigures(
        screens=len(screens),
        by_how=dict(sorted(Counter(screen.how for screen in screens).items())),
        full_ms=median(screen.full_ms for screen in screens),
        part_ms=median(screen.part_ms for screen in screens),
        cost_ratio=median(screen.part_ms / screen.full_ms for screen in screens),
        cost_ratio_undecoded=median(_undecoded_ratio(screen) for screen in screens),
        cost_ratio_mean=mean(screen.part_ms for screen in screens) / mean(screen.full_ms for screen in screens),
        text_f1=_together([screen.texts for screen in screens]).f1,
        text_f1_worst=min(screen.texts.f1 for screen in screens),
        icon_f1=_together([screen.icons for screen in screens]).f1,
        read_share=median(screen.read_share for screen in screens),
    )


def _undecoded_ratio(screen: ScreenRead) -> float:
    """Return the ratio without decoding; pixels that were seen before are not decoded."""
    decoded = 0.0 if screen.how == "remembered" else screen.decode_ms
    return max(screen.part_ms - decoded, 0.0) / max(screen.full_ms - screen.decode_ms, 0.001)


def _together(agreements: Sequence[Agreement]) -> Agreement:
    return Agreement(
        common=sum(item.common for item in agreements),
        in_full=sum(item.in_full for item in agreements),
        in_part=sum(item.in_part for item in agreements),
    )
