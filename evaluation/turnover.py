"""How long phones stand between two episodes of a run, from its journals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from manyhands.evaluation.episodes import start_of
from manyhands.protocol.records import EpisodeEnded, Record


def between_s(journals: Sequence[Sequence[Record]]) -> Mapping[str, Sequence[float]]:
    """Return for each phone the seconds from the end of each of its episodes to the start of its next one.

    Episodes without an end, or that had no phone, are left out, and so is the time beside them.
    """
    spans: dict[str, list[tuple[float, float | None]]] = defaultdict(list)
    for records in journals:
        started = start_of(records)
        if started is None or not started.on_a_phone:
            continue
        ended = [record.at for record in records if isinstance(record, EpisodeEnded)]
        spans[started.serial].append((started.at, ended[-1] if ended else None))
    found: dict[str, Sequence[float]] = {}
    for serial, episodes in sorted(spans.items()):
        episodes.sort(key=lambda span: span[0])
        pairs = pairwise(episodes)
        found[serial] = tuple(after - end for (_, end), (after, _) in pairs if end is not None)
    return found
