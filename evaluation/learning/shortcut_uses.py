"""Find the uses of shortcuts in an episode, with their outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.protocol.base import Outcome
from manyhands.protocol.journals.records import Acted, Fault, StageResult
from manyhands.protocol.roles.lessons import Permission, ShortcutUseReport
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.runs.learning_figures import Known, UseCounts
from manyhands.protocol.screens.actions import RunShortcut

PERMIT, WATCH = "permit", "watch"
"""The stages before and after a shortcut: the first returns a ``Permission``, the second a ``ShortcutUseReport``."""
INITIAL = "initial-"
"""Begins the ids of tips and shortcuts that every task knows from the start."""
Fate = Literal["worked", "refused", "surprised", "failed", "put_aside", "untold"]
"""The outcome of a use: the name of a field of ``UseCounts``."""
_BY_FAULT: Mapping[Fault | None, Fate] = {"surprise": "surprised", "precondition": "refused"}


@dataclass(frozen=True)
class Use:
    """Hold a step's use of a shortcut."""

    step: int
    name: str
    id: str
    """``ID@VERSION``; empty for a shortcut that the memory does not hold."""
    fate: Fate
    reason: str = ""
    put_aside: str = ""
    """Why the memory service quarantined the shortcut after this use; empty if it did not."""

    @property
    def origin(self) -> Known:
        return "learned" if is_new(self.id) else "initial"


def is_new(id: str) -> bool:
    """Return whether an id belongs to something that the fleet learned."""
    return bool(id) and not id.startswith(INITIAL)


def new_ones(memory: LongTermMemory) -> tuple[int, int]:
    """Return two counts: the learned tips that an episode was given, and the learned shortcuts that it was given."""
    return sum(map(is_new, memory.tip_ids)), sum(map(is_new, memory.shortcut_ids))


def uses_of(episode: RecordedEpisode) -> list[Use]:
    """Return the uses in order. An outcome comes from the report, else from a refusal, else from ``_judged``."""
    permissions: dict[int, Permission] = {}
    reports: dict[int, ShortcutUseReport] = {}
    acted: dict[int, Acted] = {}
    for record in episode.records:
        match record:
            case StageResult(stage="permit"):
                if (permission := record.read(Permission)) is not None:
                    permissions[record.step] = permission
            case StageResult(stage="watch"):
                if (report := record.read(ShortcutUseReport)) is not None:
                    reports[record.step] = report
            case Acted():
                acted[record.step] = record
    uses = []
    for step, decision in sorted(episode.decisions.items()):
        if not isinstance(decision.action, RunShortcut):
            continue
        name = decision.action.shortcut
        offered = episode.started.memory.offered(name)
        report, permission = reports.get(step), permissions.get(step)
        fate: Fate
        if report is not None:
            fate, reason = report.use.outcome, report.use.reason
        elif permission is not None and not permission.permitted:
            fate, reason = "put_aside" if permission.by == "put_aside" else "refused", permission.reason
        else:
            fate, reason = _judged(episode, step, acted.get(step))
        aside = "" if report is None else report.put_aside
        uses.append(Use(step, name, "" if offered is None else offered.id, fate, reason, aside))
    return uses


def counted_uses(uses: Iterable[Use]) -> dict[Known, UseCounts]:
    """Count uses by the origin of their shortcuts."""
    counts: dict[Known, dict[str, int]] = {"initial": {}, "learned": {}}
    for use in uses:
        of_kind = counts[use.origin]
        of_kind[use.fate] = of_kind.get(use.fate, 0) + 1
    return {origin: UseCounts.model_validate(of_kind) for origin, of_kind in counts.items()}


def summed_uses(counts: Iterable[Mapping[Known, UseCounts]]) -> dict[Known, UseCounts]:
    """Return the sums of the counts."""
    all_counts = list(counts)
    return {
        origin: UseCounts.model_validate(
            {name: sum(getattr(one[origin], name) for one in all_counts) for name in UseCounts.model_fields}
        )
        for origin in ("initial", "learned")
    }


def _judged(episode: RecordedEpisode, step: int, acted: Acted | None) -> tuple[Fate, str]:
    """Return the outcome of a use without a report, from the action's record and the agent's own verdict."""
    verdict = episode.verdicts.get(step)
    if acted is not None and acted.problem is not None:
        return _BY_FAULT.get(acted.fault, "untold"), acted.problem
    if acted is None or verdict is None or verdict.check == "failed":
        return "untold", ""
    return ("worked", "") if verdict.outcome is Outcome.A else ("failed", verdict.error)
