"""Choose the episodes and rows of an export, and count by reason what is left out."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, field_validator

from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.protocol.base import Input, Message, Outcome
from manyhands.protocol.roles.role import Role
from manyhands.protocol.tasks.task import goal_id
from manyhands.rollouts.rows import EpisodeFacts, Reason, TrainingRow

_NUMBERED = re.compile(goal_id(0).replace("0", r"\d+"))
VerifiedWord = Literal["phone", "judge", "person"]
Share = Annotated[float, Field(ge=0, le=1)]
LOOP = 3
"""So many equal actions in a row are a loop."""


class Filters(Input):
    """Say what an export keeps. The default keeps every episode whose ending is not a fault."""

    with_faults: bool = False
    """Whether episodes stay that a fault ended, such as a lost phone. They have no reward."""
    verified: tuple[VerifiedWord, ...] = ()
    """Whose word must say that the task is done; empty for any episode."""
    pass_rate: tuple[Share, Share] | None = None
    """The lowest and highest share of a task's episodes that must have passed its check. Faults do not count."""
    no_loops: bool = False
    """Whether episodes are left out in which an action came three times in a row. Swipe and Back may."""
    pick: Literal["shortest", "longest"] | None = None
    """The one episode of each task that stays, by its steps."""
    by: Literal["agent", "person"] | None = None
    """Who alone must have acted on the phone."""
    roles: tuple[Role, ...] = ()
    """Roles whose calls stay; empty for all."""
    verdicts: tuple[Outcome, ...] = ()
    """Verdicts on a step's action with which its calls stay; empty for all, also for calls without a verdict."""
    no_duplicates: bool = False
    """Whether equal rows stay once: the same messages, pictures and reply."""

    @field_validator("pass_rate")
    @classmethod
    def _is_in_order(cls, rates: tuple[float, float] | None) -> tuple[float, float] | None:
        if rates is not None and rates[0] > rates[1]:
            raise ValueError("the lower bound comes first, as in 0.1:0.9")
        return rates


class Candidate(Message):
    """Hold an episode that may be exported, with what filters ask of it."""

    run: int
    """The index of its run folder."""
    at: float
    facts: EpisodeFacts
    has_passed: bool | None
    """Whether the check holds and the answer fits; None without a check, or if nobody could ask it."""
    person_says: bool | None = None
    """What the persons who judged the run say of whether the task is done; None if nobody judged, or they differ."""
    loops: bool
    digest: str
    """SHA-256 of the journal's file."""
    serial: str = ""
    has_reset: bool = False
    """Whether the phone was set to another content before it."""
    typed: tuple[str, ...] = ()
    """The texts that were typed in it, if they are to be redacted."""

    @property
    def task(self) -> tuple[str, str]:
        """Return what tells tasks apart. Goals of a command line are called goal-1 in every run, so the id is not
        enough.
        """
        return self.facts.group, self.facts.goal


def loops(episode: RecordedEpisode) -> bool:
    """Return whether the agent decided the same action three times in a row."""
    count, last = 0, None
    for _, decision in sorted(episode.decisions.items()):
        action = decision.action
        count = count + 1 if action is not None and action == last else 1
        last = action
        if count >= LOOP and action is not None and not action.repeatable:
            return True
    return False


def choose(candidates: Sequence[Candidate], filters: Filters) -> tuple[list[Candidate], Counter[str]]:
    """Return the episodes that stay, in order, and how many were left out, by reason."""
    rates = _pass_rates(candidates)
    stay: list[Candidate] = []
    left_out: Counter[str] = Counter()
    for one in candidates:
        reason = _reason_against(one, filters, rates)
        if reason is None:
            stay.append(one)
        else:
            left_out[reason] += 1
    picked = _picked(stay, filters.pick)
    if len(picked) < len(stay):
        left_out[f"not the {filters.pick} of its task"] = len(stay) - len(picked)
    return picked, left_out


def _reason_against(one: Candidate, filters: Filters, rates: Mapping[tuple[str, str], float]) -> str | None:
    facts = one.facts
    if facts.fault is not None and not filters.with_faults:
        return f"fault: {facts.fault}"
    words = {facts.verified_by} if one.has_passed else set[str | None]()
    words |= {"person"} if one.person_says else set()
    if filters.verified and not words & set(filters.verified):
        return f"not verified by {' or '.join(filters.verified)}"
    if filters.by is not None and facts.by != filters.by:
        return f"not by {filters.by} alone"
    if filters.no_loops and one.loops:
        return "loop"
    if filters.pass_rate is not None:
        low, high = filters.pass_rate
        if not low <= rates.get(one.task, -1.0) <= high:
            return "pass rate"
    return None


def _pass_rates(candidates: Iterable[Candidate]) -> dict[tuple[str, str], float]:
    """Return the share of passed episodes by task. Faults and checks that nobody could ask do not count."""
    passes: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for one in candidates:
        if one.facts.fault is None and one.has_passed is not None:
            passes[one.task].append(one.has_passed)
    return {task: sum(some) / len(some) for task, some in passes.items()}


def _picked(candidates: Sequence[Candidate], pick: Literal["shortest", "longest"] | None) -> list[Candidate]:
    if pick is None:
        return list(candidates)
    sign = 1 if pick == "shortest" else -1
    best: dict[tuple[str, str], Candidate] = {}
    for one in candidates:
        other = best.setdefault(one.task, one)
        if sign * one.facts.steps < sign * other.facts.steps:
            best[one.task] = one
    kept = {id(one) for one in best.values()}
    return [one for one in candidates if id(one) in kept]


class RowFilter:
    """Choose rows one after another. It remembers the rows that it has seen, by 16 bytes each."""

    def __init__(self, filters: Filters, marks: Sequence[str], masks_earlier: bool) -> None:
        """``marks`` and ``masks_earlier`` are those of the format (``formats.ExportFormat``)."""
        self._filters, self._marks, self._masks_earlier = filters, marks, masks_earlier
        self._seen: set[bytes] = set()

    def reason_against(self, row: TrainingRow) -> Reason | None:
        """Return why a row is left out; None if it stays."""
        filters = self._filters
        if filters.roles and row.facts.role not in filters.roles:
            return "role"
        if filters.verdicts and row.facts.verdict not in filters.verdicts:
            return "verdict"
        if row.has_earlier_replies and not self._masks_earlier:
            return "earlier turns"
        if row.holds(self._marks):
            return "mark"
        return "duplicate" if filters.no_duplicates and self._is_seen(row) else None

    def _is_seen(self, row: TrainingRow) -> bool:
        parts = [[turn.role, [[isinstance(part, str), str(part)] for part in turn.parts]] for turn in row.messages]
        digest = hashlib.blake2b(json.dumps([parts, row.reply]).encode(), digest_size=16).digest()
        is_seen = digest in self._seen
        self._seen.add(digest)
        return is_seen


class Split(Input):
    """Name a part of an export, with its share of the tasks."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,29}$")
    share: float = Field(gt=0, allow_inf_nan=False)


def split_tasks(candidates: Iterable[Candidate], splits: Sequence[Split]) -> dict[tuple[str, str], str]:
    """Return the split of each task (``Candidate.task``).

    No id of a task is in two splits, and neither is a goal. Goals of a command line are told apart by their words
    alone. Tasks are ordered by a hash, so that the split of a task does not depend on its place in a run.
    """
    joined: dict[str, str] = {}
    names: dict[tuple[str, str], str] = {}
    for task in dict.fromkeys(one.task for one in candidates):
        group, goal = task
        words = f"goal: {' '.join(goal.casefold().split())}"
        ours, theirs = _root(joined, words), _root(joined, words if _NUMBERED.fullmatch(group) else f"id: {group}")
        joined[max(ours, theirs)] = min(ours, theirs)
        names[task] = words
    roots = {task: _root(joined, words) for task, words in names.items()}
    ordered = sorted(set(roots.values()), key=lambda name: hashlib.sha256(name.encode()).digest())
    total = sum(split.share for split in splits)
    places: dict[str, str] = {}
    reached, begin = 0.0, 0
    for split in splits:
        reached += split.share
        end = len(ordered) if split is splits[-1] else round(len(ordered) * reached / total)
        places |= dict.fromkeys(ordered[begin:end], split.name)
        begin = end
    return {task: places[root] for task, root in roots.items()}


def _root(joined: dict[str, str], name: str) -> str:
    while joined.setdefault(name, name) != name:
        name = joined[name]
    return name
