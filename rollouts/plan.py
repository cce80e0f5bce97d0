"""Read the journals of runs once, and plan an export: its episodes, their splits and its parts."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from manyhands.evaluation.episodes import episode_of
from manyhands.evaluation.judgements.judgements import FOLDER, Judgeable, Judgements, judgeable, read_judgements
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput, store_error
from manyhands.protocol.journals.journal_file import JOURNAL
from manyhands.protocol.runs.folder_identity import EPISODES
from manyhands.rollouts.filters import Candidate, Filters, Split, choose, loops, split_tasks
from manyhands.rollouts.formats import ExportFormat
from manyhands.rollouts.rows import episode_facts, phone_names


@dataclass(frozen=True)
class Part:
    """Be a part of an export that is written as a whole or not at all."""

    name: str
    """The path of its file in the export's folder, without the ending."""
    split: str
    episodes: tuple[Candidate, ...]


@dataclass(frozen=True)
class ExportPlan:
    """Say what is exported, and where each part goes."""

    runs: Sequence[RunFolder]
    format: ExportFormat
    filters: Filters
    splits: Sequence[Split]
    parts: Sequence[Part]
    read: int
    """How many episodes the runs have."""
    left_out: Counter[str]
    """How many episodes were left out, by reason."""
    damaged: Sequence[str]
    """Episodes whose journals have damaged places, or no beginning. What can be read of them is used."""

    @property
    def episodes(self) -> int:
        return sum(len(part.episodes) for part in self.parts)

    @property
    def fingerprint(self) -> str:
        """Return a hash over all that decides the bytes of the export."""
        rest = [self.format.name, self.filters.model_dump_json(), [split.model_dump_json() for split in self.splits]]
        digests = [[part.name, *(one.digest for one in part.episodes)] for part in self.parts]
        return hashlib.sha256(json.dumps([rest, digests]).encode()).hexdigest()


def plan_export(
    folders: Sequence[Path],
    export_format: ExportFormat,
    filters: Filters,
    splits: Sequence[Split],
) -> ExportPlan:
    """Read the journals, one at a time, and plan the export.

    Raises BadInput for runs that cannot be exported, or if no episode is left, and StoreError.
    """
    runs = [RunFolder(folder) for folder in folders]
    candidates: list[Candidate] = []
    damaged: list[str] = []
    for number, run in enumerate(runs):
        of_run = _read_run(run, number, damaged)
        candidates += sorted(of_run, key=lambda one: (one.at, one.facts.episode))
    _check_names(candidates, runs)
    chosen, left_out = choose(candidates, filters)
    if not chosen:
        reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.most_common())
        raise BadInput(f"no episode is left to export, of {len(candidates)}: {reasons or 'there is none'}")
    places = split_tasks(candidates, splits)
    parts = [part for split in splits for part in _parts(chosen, split.name, places, export_format)]
    return ExportPlan(runs, export_format, filters, splits, parts, len(candidates), left_out, damaged)


def _read_run(run: RunFolder, number: int, damaged: list[str]) -> list[Candidate]:
    names = run.episode_names
    if not names:
        raise BadInput(f"{run.path}: it has no journals; was it copied without its folder {EPISODES}?")
    judges = sorted((run.path / FOLDER).glob("*.json"))
    phone_of = phone_names(run.asked.get("phones") or ())
    judgeables: dict[str, Judgeable] = {}
    candidates: list[Candidate] = []
    for name in names:
        path = run.path / EPISODES / name / JOURNAL
        try:
            scan, digest = run.journal(name), hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as error:
            raise store_error(error, f"{path} cannot be read") from error
        episode = None if scan is None else episode_of(scan.records)
        if scan is None or episode is None or scan.damage:
            damaged.append(name)
        if episode is not None:
            if judges:
                judgeables[name] = judgeable(episode)
            candidates.append(
                Candidate(
                    run=number,
                    at=episode.started.at,
                    facts=episode_facts(episode, run.asked, phone_of),
                    loops=loops(episode),
                    digest=digest,
                )
            )
    judgements = [read_judgements(path, judgeables) for path in judges]
    return [one.model_copy(update={"person_says": _person_says(one, judgements)}) for one in candidates]


def _person_says(one: Candidate, judgements: Sequence[Judgements]) -> bool | None:
    judged = (judge.episodes.get(one.facts.episode) for judge in judgements if judge.source == "person")
    words = {judgement.success for judgement in judged if judgement is not None} - {None}
    return words.pop() if len(words) == 1 else None


def _check_names(candidates: Sequence[Candidate], runs: Sequence[RunFolder]) -> None:
    where: dict[str, int] = {}
    for one in candidates:
        other = where.setdefault(one.facts.episode, one.run)
        if other != one.run:
            raise BadInput(
                f"{runs[other].path} and {runs[one.run].path} both hold episode {one.facts.episode}: one of them is a "
                "copy of the other; name one"
            )


def _parts(
    chosen: Sequence[Candidate], split: str, places: Mapping[tuple[str, str], str], export_format: ExportFormat
) -> Iterator[Part]:
    episodes = [one for one in chosen if places[one.task] == split]
    size = export_format.episodes_per_part
    for number, begin in enumerate(range(0, len(episodes), size)):
        some = tuple(episodes[begin : begin + size])
        yield Part(f"{split}/{some[0].facts.episode if size == 1 else f'{number:05}'}", split, some)
