"""Compute what reading in part costs, and how well it agrees with reading in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import mean, median
from typing import Literal

from manyhands.evaluation.perception.labels import SAME_PLACE, iou, rect_of
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.screen import Element

How = Literal["full", "part", "scrolled", "unchanged", "remembered"]
"""The service's own kinds of reading. ``remembered``: the same pixels were read before."""


class Agreement(Message):
    """Hold how two readings of one picture agree: the elements in ``common``, and how many each reading has."""

    common: int
    in_full: int
    in_part: int

    @property
    def f1(self) -> float:
        """Return the F1 of the two readings; 1 if neither has any element."""
        everything = self.in_full + self.in_part
        return 2 * self.common / everything if everything else 1.0


class ScreenRead(Message):
    """Hold one screen of an episode, read both ways. Times are CPU times of all threads of the process."""

    episode: str
    step: int
    how: How
    read_share: float
    full_ms: float
    """A reading in full, including decoding."""
    part_ms: float
    """The service's reading, including decoding."""
    decode_ms: float
    texts: Agreement
    icons: Agreement
    missing: tuple[str, ...] = ()
    """Texts that only the reading in full has."""
    added: tuple[str, ...] = ()
    """Texts that only the service's reading has."""


class EpisodeFigures(Message):
    """Hold the figures over all screens, in the order in which the phone showed them."""

    screens: int
    by_how: dict[str, int]
    full_ms: float
    """Median cost of a reading in full."""
    part_ms: float
    """Median cost of the service's reading."""
    cost_ratio: float
    """Median over the screens of the service's cost divided by the cost of a reading in full."""
    cost_ratio_undecoded: float
    """The same median, with the cost of decoding left out of both costs."""
    cost_ratio_mean: float
    """Total cost of the service's readings, divided by that of all readings in full."""
    text_f1: float
    """Over all screens together, by exact strings."""
    text_f1_worst: float
    icon_f1: float
    read_share: float
    """Median share of the rows that had to be read."""


def compare_texts(
    in_full: Iterable[Element], in_part: Iterable[Element]
) -> tuple[Agreement, Counter[str], Counter[str]]:
    """Compare texts as multisets of exact strings. Also return those that only the first or only the second has."""
    one = Counter(element.content for element in in_full if element.kind == "text")
    other = Counter(element.content for element in in_part if element.kind == "text")
    agreed = Agreement(common=(one & other).total(), in_full=one.total(), in_part=other.total())
    return agreed, one - other, other - one


def compare_icons(in_full: Iterable[Element], in_part: Iterable[Element]) -> Agreement:
    """Pair the icons of both readings: in order, each with the first icon at the same place that has no partner yet."""
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
    """Compute the figures. Raises BadInput if there are no screens."""
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
    """Return the ratio of costs without decoding. Pixels that were seen before are not decoded."""
    decoded = 0.0 if screen.how == "remembered" else screen.decode_ms
    return max(screen.part_ms - decoded, 0.0) / max(screen.full_ms - screen.decode_ms, 0.001)


def _together(agreements: Sequence[Agreement]) -> Agreement:
    return Agreement(
        common=sum(item.common for item in agreements),
        in_full=sum(item.in_full for item in agreements),
        in_part=sum(item.in_part for item in agreements),
    )
