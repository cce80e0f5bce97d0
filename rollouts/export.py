"""Write an export part by part. Interrupted, it goes on with the first part that is not there.

The same plan gives the same bytes.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from manyhands.actors.mllm import dialect_named
from manyhands.evaluation.episodes import RecordedEpisode, episode_of
from manyhands.evaluation.recorded_calls import recorded_dialect
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput, StoreError, store_error
from manyhands.protocol.journals.records import Record
from manyhands.protocol.roles.role import Role, role_of
from manyhands.protocol.utilities import secure_files
from manyhands.rollouts.card import write_card
from manyhands.rollouts.export_folder import ExportFolder
from manyhands.rollouts.filters import Candidate, RowFilter
from manyhands.rollouts.formats import CallFormat, EpisodeFormat
from manyhands.rollouts.formats.export_format import RowWriter
from manyhands.rollouts.pictures import Pictures
from manyhands.rollouts.plan import ExportPlan, Part
from manyhands.rollouts.redaction import EpisodeRedaction, is_readable
from manyhands.rollouts.rows import EpisodeFacts, ShownPicture, TrainingRow, rows_of
from manyhands.rollouts.summary import ExportSummary, PartCounts, PartRecord, Sample, add_counts, pick_three

_BEING_WRITTEN = ".part"
_THREADS = min(4, os.cpu_count() or 1)


class Exporter:
    """Carry out a plan. ``export`` may be called again after an interruption, also by another process."""

    def __init__(self, plan: ExportPlan, out: Path, command: str) -> None:
        """``command``: the command line that makes this export, for the card."""
        self._plan, self._out, self._command = plan, out, command
        self._folder = ExportFolder(out, plan.fingerprint)
        self._pictures = [Pictures(run) for run in plan.runs]
        masks = plan.format.masks_earlier if isinstance(plan.format, CallFormat) else True
        marks = plan.format.marks if isinstance(plan.format, CallFormat) else ()
        self._filter = RowFilter(plan.filters, marks, masks)

    def export(self, on_episode: Callable[[], None] = lambda: None) -> ExportSummary:
        """Write what is missing, and return what the export holds. Blocks. ``on_episode`` is called after each episode.

        Raises BadInput if the folder holds something else, and StoreError.
        """
        try:
            with self._folder.locked() as done, ThreadPoolExecutor(_THREADS) as threads:
                for part in self._plan.parts:
                    if part.name in done:
                        self._pass_over(part, on_episode)
                        continue
                    done[part.name] = self._write_part(part, threads, on_episode)
                    self._folder.add(done[part.name])
            records = [done[part.name] for part in self._plan.parts]
            summary = summarise(self._plan, records)
            if not summary.rows and not summary.problems:
                self._folder.clear({part.split for part in self._plan.parts})
                reasons = ", ".join(f"{count} {reason}" for reason, count in summary.rows_left_out.items())
                raise BadInput(f"no row is left to export; calls left out: {reasons or 'none, the journals hold none'}")
            self._plan.format.write_extras(self._out, summary)
            samples = pick_three([sample for record in records for sample in record.samples])
            write_card(self._out, self._plan, summary, self._command, samples, self._jpeg)
        except OSError as error:
            raise store_error(error, f"--out {self._out}: cannot be written") from error
        return summary

    def _jpeg(self, sample: Sample) -> bytes:
        return self._pictures[sample.run].jpeg(sample.picture, sample.boxes)

    def _pass_over(self, part: Part, on_episode: Callable[[], None]) -> None:
        """Let the filter see the rows of a part that is complete, if it must know them for later parts."""
        for one in part.episodes:
            if self._plan.filters.no_duplicates and isinstance(self._plan.format, CallFormat):
                records, episode = self._read(one)
                with suppress(StoreError):
                    for row in rows_of(episode, records):
                        if isinstance(row, TrainingRow):
                            self._filter.reason_against(row)
            on_episode()

    def _read(self, one: Candidate) -> tuple[Sequence[Record], RecordedEpisode]:
        """Return an episode's records and its view. Raises StoreError if its journal is gone."""
        run = self._plan.runs[one.run]
        try:
            scan = run.journal(one.facts.episode)
        except OSError as error:
            raise store_error(error, f"{run.path}: the journal of {one.facts.episode} cannot be read") from error
        episode = None if scan is None else episode_of(scan.records)
        if scan is None or episode is None:
            raise StoreError(f"{run.path}: the journal of {one.facts.episode} is gone since the export began")
        return scan.records, episode

    def _redaction(self, one: Candidate, records: Sequence[Record]) -> EpisodeRedaction:
        return EpisodeRedaction(self._plan.redactions, records, self._plan.texts[one.facts.episode])

    def _write_part(self, part: Part, threads: ThreadPoolExecutor, on_episode: Callable[[], None]) -> PartRecord:
        export_format = self._plan.format
        counts = PartCounts(self._out / export_format.images_folder(part.name))
        file = f"{part.name}{export_format.ending}"
        being_written = self._out / _BEING_WRITTEN
        try:
            if isinstance(export_format, CallFormat):
                with export_format.open(being_written, part.name.replace("/", "-")) as write:
                    for one in part.episodes:
                        self._write_rows(one, write, counts, threads)
                        on_episode()
            elif isinstance(export_format, EpisodeFormat):
                for one in part.episodes:
                    self._write_episode(one, export_format, being_written, counts, threads)
                    on_episode()
            # Loaders refuse files without rows.
            digest, size = self._folder.publish(being_written, file) if counts.rows else ("", 0)
        finally:
            being_written.unlink(missing_ok=True)
        return counts.record(part.name, part.split, file, digest, size, len(part.episodes))

    def _write_rows(self, one: Candidate, write: RowWriter, counts: PartCounts, threads: ThreadPoolExecutor) -> None:
        records, episode = self._read(one)
        redaction = self._redaction(one, records)
        facts = redaction.facts(one.facts)
        rows: list[TrainingRow] = []
        try:
            for row in rows_of(episode, records):
                reason = row if isinstance(row, str) else self._filter.reason_against(row)
                if isinstance(row, TrainingRow) and reason is None:
                    rows.append(row)
                elif reason is not None:
                    counts.left_out[reason] += 1
        except StoreError as error:
            counts.problems.append(redaction.texts.strike(str(error)))
        shown = dict.fromkeys(picture.content for row in rows for picture in row.shown_pictures)
        jpegs, missing = self._make_pictures(one, map(redaction.picture, shown), threads)
        for original in rows:
            try:
                row, struck = redaction.row(original)
            except StoreError as error:
                counts.problems.append(f"{_name_row(facts, original)}: {error}")
                continue
            lost = [missing[name] for name in row.pictures if name in missing]
            if lost:
                counts.problems.append(redaction.texts.strike(f"{_name_row(facts, row)}: {lost[0]}"))
                continue
            if row.reply != original.reply and not self._reads(one, original, row):
                counts.left_out["redacted reply"] += 1
                continue
            self._keep_pictures(row.shown_pictures, jpegs, counts)
            write(facts, row, jpegs)
            counts.redacted["texts"] += struck
            counts.add(one.run, facts, row)

    def _reads(self, one: Candidate, original: TrainingRow, row: TrainingRow) -> bool:
        """Return whether a reply is one still, if it was one."""
        form, reply_type = "", row.facts.reply_type
        with suppress(StoreError, BadInput):
            form = dialect_named(*recorded_dialect(self._plan.runs[one.run], role_of(row.facts.role))).form
        return is_readable(row.reply, reply_type, form) or not is_readable(original.reply, reply_type, form)

    def _write_episode(
        self, one: Candidate, export_format: EpisodeFormat, path: Path, counts: PartCounts, threads: ThreadPoolExecutor
    ) -> None:
        records, episode = self._read(one)
        redaction = self._redaction(one, records)
        facts = redaction.facts(one.facts)
        pictures = tuple(map(redaction.picture, export_format.pictures(episode)))
        jpegs, missing = self._make_pictures(one, pictures, threads)
        if missing:
            problem = f"episode {facts.episode}: {next(iter(missing.values()))}"
            counts.problems.append(redaction.texts.strike(problem))
            return
        self._keep_pictures(pictures, jpegs, counts)
        export_format.write(path, facts, episode, redaction)
        counts.rows += 1
        counts.redacted["texts"] += redaction.texts.struck
        counts.show(one.run, facts, None, pictures, facts.goal)

    def _make_pictures(
        self, one: Candidate, pictures: Iterable[ShownPicture], threads: ThreadPoolExecutor
    ) -> tuple[dict[str, bytes], dict[str, str]]:
        """Return the JPEGs of an episode by name, and why others cannot be made."""

        def make(picture: ShownPicture) -> bytes | str:
            try:
                return self._pictures[one.run].jpeg(picture.content, picture.boxes)
            except StoreError as error:
                return str(error)

        distinct = list(pictures)
        made = zip(distinct, threads.map(make, distinct), strict=True)
        by_name = {picture.name: jpeg for picture, jpeg in made}
        jpegs = {name: jpeg for name, jpeg in by_name.items() if isinstance(jpeg, bytes)}
        return jpegs, {name: problem for name, problem in by_name.items() if isinstance(problem, str)}

    def _keep_pictures(self, pictures: Sequence[ShownPicture], jpegs: Mapping[str, bytes], counts: PartCounts) -> None:
        if self._plan.format.names_files:
            secure_files.make_folder(counts.images)
        for picture in pictures:
            if picture.name in counts.pictures:
                continue
            if self._plan.format.names_files:
                secure_files.write_bytes(counts.images / f"{picture.name}.jpg", jpegs[picture.name])
            counts.pictures.add(picture.name)
            counts.redacted["pictures"] += bool(picture.boxes)


def _name_row(facts: EpisodeFacts, row: TrainingRow) -> str:
    return f"episode {facts.episode}, step {row.facts.step}, {row.facts.role} {row.facts.turn}"


def summarise(plan: ExportPlan, records: Sequence[PartRecord]) -> ExportSummary:
    """Return what all parts hold together."""
    rows = {split.name: sum(one.rows for one in records if one.split == split.name) for split in plan.splits}
    server_pixels, dialects = _conventions(plan.runs)
    digests = "".join(record.sha256 for record in records)
    return ExportSummary(
        format=plan.format.name,
        rows={name: count for name, count in rows.items() if count},
        episodes=plan.episodes,
        read=plan.read,
        episodes_left_out=add_counts([plan.left_out]),
        rows_left_out=add_counts([record.left_out for record in records]),
        pictures=sum(record.pictures for record in records),
        problems=tuple(itertools.chain.from_iterable(record.problems for record in records)),
        damaged=tuple(plan.damaged),
        longest=max((record.longest for record in records), default=0),
        largest=max((record.largest for record in records), default=0),
        roles=add_counts([record.roles for record in records]),
        models=add_counts([record.models for record in records]),
        redacted=add_counts([record.redacted for record in records]),
        system_texts=len({text for record in records for text in record.system_texts}),
        dialects=dialects,
        server_pixels=server_pixels,
        sha256=hashlib.sha256(digests.encode()).hexdigest(),
    )


def _conventions(runs: Sequence[RunFolder]) -> tuple[int | None, tuple[str, ...]]:
    """Return the least limit of pixels that servers of the runs have, and the dialects of the models."""
    conventions: list[tuple[str, int | None]] = []
    for run in runs:
        with suppress(StoreError):
            conventions.append(recorded_dialect(run, Role.DECIDE))
    caps = [cap for _, cap in conventions if cap is not None]
    return min(caps, default=None), tuple(sorted({dialect for dialect, _ in conventions}))
