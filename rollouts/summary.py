"""Sum up an export: what each part holds, and all parts together."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field

from manyhands.protocol.base import Message
from manyhands.protocol.screens.geometry import Box
from manyhands.rollouts.rows import EpisodeFacts, RowFacts, ShownPicture, TrainingRow

_SQUARE = 32
"""Processors of the Qwen family round the sides of a picture to multiples of 28 or 32 pixels."""


class Sample(Message):
    """Hold a row for the card."""

    run: int
    """The index of its run folder."""
    episode: EpisodeFacts
    row: RowFacts | None
    """None in a format with one record for each episode."""
    picture: str
    """The content id of a picture that the row shows."""
    boxes: tuple[Box, ...] = ()
    """What is painted over on it."""
    reply: str


class PartRecord(Message):
    """Say what a part holds. It is written once the part is complete."""

    name: str
    split: str
    file: str
    sha256: str
    bytes: int
    episodes: int
    rows: int
    pictures: int
    left_out: dict[str, int]
    """How many calls gave no row, by reason."""
    problems: tuple[str, ...]
    """Rows or episodes that should be here and are not, each with the reason."""
    longest: int
    """The most tokens of a row, input and output, as the server reported them."""
    largest: int
    """The most pixels of a picture."""
    roles: dict[str, int]
    models: dict[str, int]
    system_texts: tuple[str, ...]
    """The system texts of the rows, by the beginning of their SHA-256."""
    redacted: dict[str, int] = Field(default_factory=dict)
    """How much was redacted, by what it is."""
    samples: tuple[Sample, ...]
    """The first, the middle and the last row that shows a picture."""


@dataclass
class PartCounts:
    """Count what a part holds while it is written."""

    images: Path
    """The folder of its pictures, if they are files."""
    rows: int = 0
    pictures: set[str] = field(default_factory=set)
    left_out: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    longest: int = 0
    largest: int = 0
    roles: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    system_texts: set[str] = field(default_factory=set)
    redacted: Counter[str] = field(default_factory=Counter)
    shown: list[Sample] = field(default_factory=list)

    def add(self, run: int, episode: EpisodeFacts, row: TrainingRow) -> None:
        """Count a row that is written. ``run``: the index of its run folder."""
        usage = row.facts.usage
        self.rows += 1
        self.longest = max(self.longest, usage.input_tokens + usage.output_tokens)
        self.largest = max([self.largest, *(size.width * size.height for size in row.shown)])
        self.roles[row.facts.role] += 1
        self.models[row.facts.model] += 1
        system = "".join(turn.text("") for turn in row.messages if turn.role == "system")
        self.system_texts.add(hashlib.sha256(system.encode()).hexdigest()[:12])
        self.show(run, episode, row.facts, row.shown_pictures, row.reply)

    def show(
        self, run: int, episode: EpisodeFacts, row: RowFacts | None, pictures: Sequence[ShownPicture], reply: str
    ) -> None:
        """Keep a row for the card: the first, one in the middle, the last."""
        if pictures:
            last = pictures[-1]
            self.shown.append(
                Sample(run=run, episode=episode, row=row, picture=last.content, boxes=last.boxes, reply=reply[:1000])
            )

    def record(self, name: str, split: str, file: str, sha256: str, size: int, episodes: int) -> PartRecord:
        """Return what the part holds, once its file is complete."""
        return PartRecord(
            name=name,
            split=split,
            file=file,
            sha256=sha256,
            bytes=size,
            episodes=episodes,
            rows=self.rows,
            pictures=len(self.pictures),
            left_out=dict(sorted(self.left_out.items())),
            problems=tuple(self.problems),
            longest=self.longest,
            largest=self.largest,
            roles=dict(sorted(self.roles.items())),
            models=dict(sorted(self.models.items())),
            system_texts=tuple(sorted(self.system_texts)),
            redacted=dict(sorted((+self.redacted).items())),
            samples=tuple(pick_three(self.shown)),
        )


def pick_three(samples: Sequence[Sample]) -> list[Sample]:
    """Return the first, the middle and the last of some samples."""
    places = sorted({0, len(samples) // 2, len(samples) - 1}) if samples else []
    return [samples[place] for place in places]


class ExportSummary(Message):
    """Say what an export holds, for the command, the card and the files of formats."""

    format: str
    rows: dict[str, int]
    """By split; in the order of the splits. Splits without rows are left out."""
    episodes: int
    read: int
    """How many episodes the runs have."""
    episodes_left_out: dict[str, int]
    rows_left_out: dict[str, int]
    pictures: int
    problems: tuple[str, ...]
    damaged: tuple[str, ...]
    longest: int
    largest: int
    roles: dict[str, int]
    models: dict[str, int]
    system_texts: int
    """How many different system texts the rows have."""
    redacted: dict[str, int]
    """How much was redacted, by what it is."""
    dialects: tuple[str, ...]
    """The coordinates of the models: families as in ``--dialect``."""
    server_pixels: int | None = Field(description="The servers' own limit on a picture's pixels, if runs name one.")
    sha256: str
    """A hash over the hashes of all parts."""

    @property
    def cutoff(self) -> int:
        """Return a number of tokens in which each row fits: a quarter above the longest, in whole 1,024."""
        return -(-self.longest * 5 // 4 // 1024) * 1024 or 8192

    @property
    def max_pixels(self) -> int:
        """Return the limit of pixels at which a trainer shows pictures as the server did."""
        side = _SQUARE * _SQUARE
        return self.server_pixels or -(-self.largest * 11 // 10 // side) * side or side


def add_counts(parts: Sequence[dict[str, int]]) -> dict[str, int]:
    """Return the sums by key, the largest first, then by name."""
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))
