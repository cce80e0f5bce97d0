"""Join a run with the earlier run whose failed tasks it repeats (Mobile-Agent-v2, tables 1 and 2: "+ Know.")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from manyhands.evaluation.metrics.case import Case

Source = Literal["state", "person", "model"]
STATE: Literal["state"] = "state"


@dataclass(frozen=True)
class SourceCases:
    """Hold the decided tasks of a run with the judgement of one source."""

    source: Source
    judge: str | None
    """The name of the person or model; None for the phone's state."""
    cases: Sequence[Case]

    @property
    def has_judged(self) -> bool:
        """Return whether the source says of any task whether it is done."""
        return any(case.judgement.success is not None for case in self.cases)


def join_cases(before: SourceCases, again: SourceCases, repeated: Set[str]) -> list[Case]:
    """Return the cases of two runs together. ``repeated``: the ids of the tasks that the second run was given.

    A repeated task counts as in the second run, unless the source says that it was done in the earlier one already.
    """
    done_tasks = done_already(before)
    earlier = [case for case in before.cases if case.task.base_id not in repeated - done_tasks]
    return [*earlier, *(case for case in again.cases if case.task.base_id not in done_tasks)]


def done_already(before: SourceCases) -> Set[str]:
    """Return the ids of the tasks that are done in the earlier run by the source's word, in each of their repeats."""
    successes = [(case.task.base_id, case.judgement.success is True) for case in before.cases]
    return {task for task, _ in successes} - {task for task, is_done in successes if not is_done}


def sources_of_both(
    before: Sequence[SourceCases], again: Sequence[SourceCases]
) -> Iterator[tuple[SourceCases, SourceCases]]:
    """Yield the cases of both runs for each source that judged in both. Others cannot tell of the runs together."""
    for one in before:
        for other in again:
            if (one.source, one.judge) == (other.source, other.judge) and one.has_judged and other.has_judged:
                yield one, other
