"""Define what a format is: how one part of an export is written, and what trainers must know of it."""

from __future__ import annotations

import importlib.util
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, ClassVar, Protocol

from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.protocol.errors import BadInput
from manyhands.protocol.messages import CallTokens
from manyhands.protocol.utilities import secure_files
from manyhands.rollouts.filters import Filters
from manyhands.rollouts.redaction import EpisodeRedaction
from manyhands.rollouts.rows import EpisodeFacts, TrainingRow
from manyhands.rollouts.summary import ExportSummary

IMAGES = "images"
"""The folder of the pictures in an export whose rows name files."""
Jpegs = Mapping[str, bytes]
"""The pictures of a row, by name."""


class RowWriter(Protocol):
    """Write the rows of one part, in order."""

    def __call__(self, episode: EpisodeFacts, row: TrainingRow, jpegs: Jpegs) -> None:
        """Write a row. Raises OSError."""


class ExportFormat(ABC):
    """Describe a format. ``CallFormat`` has a row for each model call, ``EpisodeFormat`` a file for each episode."""

    name: ClassVar[str]
    reader: ClassVar[str]
    """What reads it, for people."""
    ending: ClassVar[str]
    """The ending of a part's file."""
    episodes_per_part: ClassVar[int] = 25
    names_files: ClassVar[bool] = True
    """Whether pictures are files in ``images/``; else they are in the rows."""
    needs: ClassVar[str] = ""
    """The package that it is written with, if Manyhands does not always have it."""

    def check(self, filters: Filters) -> None:
        """Raise BadInput if the format cannot follow these filters, or if the package is missing that writes it."""
        if self.needs and importlib.util.find_spec(self.needs) is None:
            raise BadInput(f"--format {self.name}: needs {self.needs}: pip install 'manyhands[rollouts]'")

    def part_name(self, episode: str) -> str:
        """Return the name of a part with one episode."""
        return episode

    def images_folder(self, part: str) -> str:
        """Return the folder of a part's pictures in the export's folder. ``part``: the part with its split."""
        return IMAGES

    def notes(self, summary: ExportSummary) -> Iterator[str]:
        """Yield lines for the card: how it is loaded, and which settings of the trainer would spoil the data."""
        yield from ()

    def write_extras(self, out: Path, summary: ExportSummary) -> None:
        """Write the files beside the rows. Raises OSError."""
        return


class CallFormat(ExportFormat):
    marks: ClassVar[tuple[str, ...]] = ()
    """What stands in texts in the place of pictures. A row whose own texts hold it is left out."""
    masks_earlier: ClassVar[bool] = True
    """Whether the loss can be limited to the last reply. If not, rows with earlier replies are left out."""

    def check(self, filters: Filters) -> None:
        """Raise BadInput if the format cannot follow these filters, or if the package is missing that writes it."""
        super().check(filters)
        if filters.by == "person":
            raise BadInput(f"--by person: a person makes no model calls, and {self.name} has a row for each call")

    @abstractmethod
    def open(self, path: Path, first: str) -> AbstractContextManager[RowWriter]:
        """Open a part's file. ``first`` begins the keys of its rows, where the format has keys. Raises OSError."""


class EpisodeFormat(ExportFormat):
    episodes_per_part = 1

    def check(self, filters: Filters) -> None:
        """Raise BadInput if the format cannot follow these filters, or if the package is missing that writes it."""
        super().check(filters)
        if filters.roles or filters.verdicts or filters.no_duplicates:
            raise BadInput(f"--role, --verdict and --no-duplicates choose rows, and {self.name} has episodes")

    @abstractmethod
    def pictures(self, episode: RecordedEpisode) -> tuple[str, ...]:
        """Return the content ids of the pictures that the episode's record shows, each once."""

    @abstractmethod
    def write(self, path: Path, facts: EpisodeFacts, episode: RecordedEpisode, redaction: EpisodeRedaction) -> None:
        """Write an episode's file. ``facts`` are redacted already. Raises OSError."""


class JsonLines(CallFormat):
    """Write a JSON object on each line."""

    ending = ".jsonl"

    @abstractmethod
    def format_row(self, episode: EpisodeFacts, row: TrainingRow) -> dict[str, Any]:
        """Return a row's object."""

    @contextmanager
    def open(self, path: Path, first: str) -> Iterator[RowWriter]:
        """Open a part's file. Raises OSError."""
        with secure_files.open_to_write(path) as file:

            def write(episode: EpisodeFacts, row: TrainingRow, jpegs: Jpegs) -> None:
                file.write(to_json(self.format_row(episode, row)) + b"\n")

            yield write


def to_json(value: Any) -> bytes:
    """Return a value as compact JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def marked_messages(row: TrainingRow, mark: str) -> list[dict[str, Any]]:
    """Return the messages before the reply, with ``mark`` in the place of each picture."""
    return [{"role": turn.role, "content": turn.text(mark)} for turn in row.messages]


def picture_path(name: str) -> str:
    """Return a picture's path in the export's folder."""
    return f"{IMAGES}/{name}.jpg"


def facts_text(episode: EpisodeFacts, row: TrainingRow) -> str:
    """Return all that is known of a row, as a text of JSON.

    It is one text because loaders infer a column's type from the first rows: null there, and a number later, is an
    error of theirs.
    """
    return to_json(all_facts(episode, row)).decode()


def all_facts(episode: EpisodeFacts, row: TrainingRow) -> dict[str, Any]:
    """Return all that is known of a row, as JSON data."""
    return {**episode.model_dump(mode="json"), **row.facts.model_dump(mode="json")}


def token_lists(tokens: CallTokens) -> dict[str, Any]:
    """Return the tokens of a call under the names of ATIF."""
    return {
        "prompt_token_ids": list(tokens.prompt_ids),
        "completion_token_ids": list(tokens.reply_ids),
        "logprobs": list(tokens.reply_logprobs),
    }
