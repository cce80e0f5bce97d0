"""Plot how tasks taught each other in a run, by their places in their scenarios."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from manyhands.evaluation.episodes import Attempted, RecordedEpisode
from manyhands.evaluation.learning.figures import places_of
from manyhands.evaluation.learning.shortcut_uses import Fate, uses_of
from manyhands.evaluation.metrics.case import Case, state_says
from manyhands.evaluation.metrics.figure import Missing, mean
from manyhands.evaluation.metrics.outcome import satisfaction
from manyhands.evaluation.usage import calls_of
from manyhands.protocol.reports.run_report import LearningPlot, PlotLine

MOST_LINES = 6
"""The most scenarios that get a line each. With more scenarios, their mean is drawn."""
REST = "tasks without a scenario"
FATES: tuple[Fate, ...] = ("worked", "refused", "surprised", "failed", "put_aside", "untold")
"""The outcomes of uses, in the order of their lines."""


Groups = Mapping[str, Mapping[int, RecordedEpisode]]
"""By scenario and place: the last episode of the task there that ran on a phone."""
_Value = Callable[[RecordedEpisode], float | None]


def learning_plots(tasks: Sequence[Attempted]) -> tuple[LearningPlot, ...]:
    """Return the plots of a run; none if no task follows another one in a scenario."""
    groups = _groups(tasks)
    last = max((place for group in groups.values() for place in group), default=0)
    if last < 2:
        return ()
    measures = (
        ("Satisfaction score, %", _satisfaction),
        ("Steps", lambda episode: float(episode.steps)),
        ("Model calls, of learning too", lambda episode: float(len(calls_of(episode.records)))),
        ("Tips known at the start", lambda episode: float(len(episode.started.memory.tips))),
        ("Shortcuts known at the start", lambda episode: float(len(episode.started.memory.shortcuts))),
    )
    plots = [LearningPlot(title=title, lines=_lines(groups, value)) for title, value in measures]
    return tuple(plot for plot in (*plots, _use_plot(groups)) if plot.lines)


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


def _lines(groups: Groups, value: _Value) -> tuple[PlotLine, ...]:
    by_name = {
        name: {place: figure for place, episode in group.items() if (figure := value(episode)) is not None}
        for name, group in groups.items()
    }
    if len(by_name) > MOST_LINES:
        places = sorted({place for values in by_name.values() for place in values})
        by_name = {
            f"mean of {len(by_name)} scenarios": {
                place: mean([values[place] for values in by_name.values() if place in values]) for place in places
            }
        }
    return tuple(
        PlotLine(name=name, points=tuple(sorted(values.items()))) for name, values in by_name.items() if values
    )


def _use_plot(groups: Groups) -> LearningPlot:
    """Return the plot of the uses of shortcuts at each place, over all scenarios, by outcome."""
    counts: dict[int, Counter[Fate]] = {}
    for group in groups.values():
        for place, episode in group.items():
            counts.setdefault(place, Counter()).update(use.fate for use in uses_of(episode))
    lines = (
        PlotLine(
            name=fate.replace("_", " "), points=tuple((place, float(counts[place][fate])) for place in sorted(counts))
        )
        for fate in FATES
        if any(at_place[fate] for at_place in counts.values())
    )
    return LearningPlot(title="Uses of shortcuts", lines=tuple(lines))
