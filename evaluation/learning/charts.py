"""Plot how tasks taught each other in a run, as plain shapes that a page draws without a library."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from manyhands.evaluation.episodes import Attempted, RecordedEpisode
from manyhands.evaluation.learning.figures import places_of
from manyhands.evaluation.learning.shortcut_uses import Fate, uses_of
from manyhands.evaluation.metrics.case import Case, state_says
from manyhands.evaluation.metrics.figure import Missing, mean
from manyhands.evaluation.metrics.outcome import satisfaction
from manyhands.evaluation.plots import COLOURS, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION
from manyhands.evaluation.usage import calls_of

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 360, 200, 36, 10, 10, 26
"""The size of a chart and its margins, in its own units."""
MOST_LINES = 6
"""The most scenarios that get a line each. With more scenarios, their mean is drawn."""
REST = "tasks without a scenario"
FATES: Mapping[Fate, str] = {
    "worked": GREEN,
    "refused": SKY,
    "surprised": ORANGE,
    "failed": VERMILION,
    "put_aside": PURPLE,
    "untold": GREY,
}
"""The outcomes of uses with their colours, from the bottom of a bar to its top."""
Point = tuple[float, float]


@dataclass(frozen=True)
class Line:
    name: str
    colour: str
    values: tuple[tuple[int, float], ...]
    """The place in the scenario, and the value there."""
    points: tuple[Point, ...]


@dataclass(frozen=True)
class ChartBar:
    """Be a segment of a stacked bar at one place in the scenario, in the chart's units."""

    name: str
    colour: str
    x: float
    y: float
    width: float
    height: float
    value: int


@dataclass(frozen=True)
class Chart:
    """Hold a plot over places in scenarios: lines or bars, and the ticks of both axes."""

    title: str
    lines: tuple[Line, ...]
    bars: tuple[ChartBar, ...]
    xs: tuple[tuple[float, str], ...]
    ys: tuple[tuple[float, str], ...]

    @property
    def legend(self) -> Mapping[str, str]:
        """Return the colour of each line or segment by its name."""
        return {line.name: line.colour for line in self.lines} | {bar.name: bar.colour for bar in self.bars}


Groups = Mapping[str, Mapping[int, RecordedEpisode]]
"""By scenario and place: the last episode of the task there that ran on a phone."""
_Value = Callable[[RecordedEpisode], float | None]


def charts_of(tasks: Sequence[Attempted]) -> list[Chart]:
    """Return the plots of a run; none if no task follows another one in a scenario."""
    groups = _groups(tasks)
    last = max((place for group in groups.values() for place in group), default=0)
    if last < 2:
        return []
    drawn = (
        ("Satisfaction score, %", _satisfaction),
        ("Steps", lambda episode: float(episode.steps)),
        ("Model calls, of learning too", lambda episode: float(len(calls_of(episode.records)))),
        ("Tips known at the start", lambda episode: float(len(episode.started.memory.tips))),
        ("Shortcuts known at the start", lambda episode: float(len(episode.started.memory.shortcuts))),
    )
    charts = [_lines(title, groups, last, value) for title, value in drawn]
    return [chart for chart in (*charts, _use_chart(groups, last)) if chart.lines or chart.bars]


def _groups(tasks: Sequence[Attempted]) -> Groups:
    places, rest = places_of(tasks), []
    groups: dict[str, dict[int, RecordedEpisode]] = {}
    for task in tasks:
        on_phones = [one for one in task.attempts if one.on_a_phone]
        if not on_phones:
            continue
        episode = on_phones[-1]
        place = places.get(episode.started.episode)
        if place is None:
            rest.append(episode)
        else:
            groups.setdefault(str(episode.started.task.memory_scope), {})[place] = episode
    rest.sort(key=lambda episode: episode.started.at)
    return {**groups, **({REST: dict(enumerate(rest, start=1))} if rest else {})}


def _satisfaction(episode: RecordedEpisode) -> float | None:
    part = satisfaction(Case(episode, state_says(episode)))
    return None if isinstance(part, Missing) else 100 * part.amount / part.of


def _lines(title: str, groups: Groups, last: int, value: _Value) -> Chart:
    by_name = {
        name: {place: found for place, episode in group.items() if (found := value(episode)) is not None}
        for name, group in groups.items()
    }
    if len(by_name) > MOST_LINES:
        places = sorted({place for values in by_name.values() for place in values})
        by_name = {
            f"mean of {len(by_name)} scenarios": {
                place: mean([values[place] for values in by_name.values() if place in values]) for place in places
            }
        }
    top = _top(max((one for values in by_name.values() for one in values.values()), default=0))
    lines = tuple(
        Line(
            name,
            COLOURS[number % len(COLOURS)],
            tuple(sorted(values.items())),
            tuple((_x(place, last), _y(one, top)) for place, one in sorted(values.items())),
        )
        for number, (name, values) in enumerate(by_name.items())
        if values
    )
    return Chart(title, lines, (), _xs(last), _ys(top))


def _use_chart(groups: Groups, last: int) -> Chart:
    """Return the chart of the uses of shortcuts at each place, over all scenarios, by outcome."""
    counts: dict[int, dict[Fate, int]] = {}
    for group in groups.values():
        for place, episode in group.items():
            at_place = counts.setdefault(place, {})
            for use in uses_of(episode):
                at_place[use.fate] = at_place.get(use.fate, 0) + 1
    top = _top(max((sum(at_place.values()) for at_place in counts.values()), default=0))
    width, bars = 0.6 * (WIDTH - LEFT - RIGHT) / last, list[ChartBar]()
    for place, at_place in sorted(counts.items()):
        below = 0
        for fate, colour in FATES.items():
            count = at_place.get(fate, 0)
            if count:
                y, foot = _y(below + count, top), _y(below, top)
                name = fate.replace("_", " ")
                bars.append(ChartBar(name, colour, _x(place, last) - width / 2, y, width, foot - y, count))
                below += count
    return Chart("Uses of shortcuts", (), tuple(bars), _xs(last), _ys(top))


# ---------------------------------------------------------------------------- axes
def _x(place: int, last: int) -> float:
    return round(LEFT + (place - 0.5) * (WIDTH - LEFT - RIGHT) / last, 1)


def _y(value: float, top: float) -> float:
    return round(HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM), 1)


def _xs(last: int) -> tuple[tuple[float, str], ...]:
    every = math.ceil(last / 10)
    return tuple((_x(place, last), str(place)) for place in range(1, last + 1) if (place - 1) % every == 0)


def _top(most: float) -> float:
    """Return the upper end of an axis: four times a round number, and not below the highest value."""
    if most <= 4:
        return 4
    scale = 10.0 ** math.floor(math.log10(most / 4))
    return next(4 * scale * step for step in (1, 2, 2.5, 5, 10) if 4 * scale * step >= most)


def _ys(top: float) -> tuple[tuple[float, str], ...]:
    return tuple((_y(top * part / 4, top), f"{top * part / 4:g}") for part in range(5))
