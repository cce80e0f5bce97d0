"""Read the journals of runs once, and plan an export: its episodes, their splits and its parts."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from manyhands.actors.redaction.redacted_texts import RedactedTexts
from manyhands.actors.redaction.redactions import Redactions, typed_texts
from manyhands.actors.redaction.screen_texts import ScreenTexts
from manyhands.evaluation.episodes import episode_of
from manyhands.evaluation.judgements.judgements import FOLDER, Judgeable, Judgements, judgeable, read_judgements
from manyhands.evaluation.rewards import Rewards
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput, store_error
from manyhands.protocol.journals.journal_file import JOURNAL
from manyhands.protocol.journals.records import PhonePrepared, Record
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
    redactions: Redactions | None
    """What the export may not hold; None for no such thing."""
    texts: Mapping[str, ScreenTexts]
    """By episode, the texts that its rows may not hold. Episodes of one phone between two resets share them."""
    all_texts: RedactedTexts
    """The texts of all episodes, for what is not of one."""
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
        redacted = None if self.redactions is None else self.redactions.model_dump_json()
        digests = [[part.name, *((one.digest, one.facts.reward) for one in part.episodes)] for part in self.parts]
        shared = [self.texts[one.facts.episode] for part in self.parts for one in part.episodes]
        numbers = {texts: number for number, texts in enumerate(dict.fromkeys(shared))}
        texts = [[numbers[one] for one in shared], [one.texts for one in numbers]]
        return hashlib.sha256(json.dumps([rest, redacted, texts, digests]).encode()).hexdigest()


def plan_export(
    folders: Sequence[Path],
    export_format: ExportFormat,
    filters: Filters,
    splits: Sequence[Split],
    redactions: Redactions | None = None,
) -> ExportPlan:
    """Read the journals, one at a time, and plan the export.

    Raises BadInput for runs that cannot be exported, or if no episode is left, and StoreError.
    """
    runs = [RunFolder(folder) for folder in folders]
    candidates: list[Candidate] = []
    damaged: list[str] = []
    for number, run in enumerate(runs):
        of_run = _read_run(run, number, damaged, redactions is not None and redactions.typed)
        first = {one.task: one.at for one in sorted(of_run, key=lambda one: one.at, reverse=True)}
        # Episodes of one task stand together, those of a group above all.
        candidates += sorted(of_run, key=lambda one: (first[one.task], one.task, one.at, one.facts.episode))
    _check_names(candidates, runs)
    chosen, left_out = choose(candidates, filters)
    if not chosen:
        reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.most_common())
        raise BadInput(f"no episode is left to export, of {len(candidates)}: {reasons or 'there is none'}")
    places = split_tasks(candidates, splits)
    named = () if redactions is None else redactions.texts
    texts = _texts_by_episode(candidates, named)
    parts = [part for split in splits for part in _parts(chosen, split.name, places, export_format, texts)]
    return ExportPlan(
        runs=runs,
        format=export_format,
        filters=filters,
        splits=splits,
        redactions=redactions,
        texts=texts,
        all_texts=RedactedTexts((*named, *(text for one in candidates for text in one.typed))),
        parts=parts,
        read=len(candidates),
        left_out=left_out,
        damaged=damaged,
    )


def _texts_by_episode(candidates: Sequence[Candidate], named: Sequence[str]) -> dict[str, ScreenTexts]:
    """Return, by episode, ``named`` and what was typed on its phone from the reset before it to the one after it.

    A text that is typed later may have been shown before, such as the code of a message.
    """
    resets = Counter[str]()
    stretches: dict[str, tuple[str, int]] = {}
    typed: dict[tuple[str, int], dict[str, None]] = defaultdict(dict)
    for one in sorted(candidates, key=lambda one: one.at):
        resets[one.serial] += one.has_reset
        stretches[one.facts.episode] = stretch = one.serial, resets[one.serial]
        typed[stretch] |= dict.fromkeys(one.typed)
    of_all = ScreenTexts(named)
    texts = {stretch: ScreenTexts(some, of_all) for stretch, some in typed.items()}
    return {episode: texts[stretch] for episode, stretch in stretches.items()}


def _read_run(run: RunFolder, number: int, damaged: list[str], reads_typed: bool) -> list[Candidate]:
    names = run.episode_names
    if not names:
        raise BadInput(f"{run.path}: it has no journals; was it copied without its folder {EPISODES}?")
    judges = sorted((run.path / FOLDER).glob("*.json"))
    phone_of = phone_names(run.asked.get("phones") or ())
    rewards = Rewards.of_run(run)
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
        if scan is None or episode is None:
            continue
        if judges:
            judgeables[name] = judgeable(episode)
        candidates.append(
            Candidate(
                run=number,
                at=episode.started.at,
                facts=episode_facts(episode, run.asked, phone_of, rewards),
                has_passed=episode.has_passed,
                loops=loops(episode),
                digest=digest,
                serial=episode.started.serial,
                has_reset=_has_reset(scan.records),
                typed=typed_texts(scan.records) if reads_typed else (),
            )
        )
    judgements = [read_judgements(path, judgeables) for path in judges]
    return [one.model_copy(update={"person_says": _person_says(one, judgements)}) for one in candidates]


def _has_reset(records: Iterable[Record]) -> bool:
    prepared = (record for record in records if isinstance(record, PhonePrepared))
    return any(receipt.has_reset for record in prepared for receipt in record.receipts)


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
    chosen: Sequence[Candidate],
    split: str,
    places: Mapping[tuple[str, str], str],
    export_format: ExportFormat,
    texts: Mapping[str, ScreenTexts],
) -> Iterator[Part]:
    episodes = [one for one in chosen if places[one.task] == split]
    size = export_format.episodes_per_part
    for number, begin in enumerate(range(0, len(episodes), size)):
        some = tuple(episodes[begin : begin + size])
        name = some[0].facts.episode
        is_free = size == 1 and not texts[name].exact.spans(name)
        yield Part(f"{split}/{export_format.part_name(name) if is_free else f'{number:05}'}", split, some)
