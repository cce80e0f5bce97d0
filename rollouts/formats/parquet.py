"""Write rows as Parquet for TRL and verl: pictures are in the rows, as the ``datasets`` library stores them.

Sources: trl 1.16.0, ``trainer/sft_trainer.py`` and ``data_utils.py``; verl 0.9.1, ``utils/dataset/``. The features in
the schema's metadata are those of datasets 4 and later: with them, pictures come back as pictures.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from manyhands.protocol.messages import CallTokens
from manyhands.protocol.utilities import secure_files
from manyhands.rollouts.formats.export_format import (
    CallFormat,
    Jpegs,
    RowWriter,
    facts_text,
    marked_messages,
)
from manyhands.rollouts.rows import ChatMessage, EpisodeFacts, ShownPicture, TrainingRow
from manyhands.rollouts.summary import ExportSummary

if TYPE_CHECKING:
    import pyarrow

_ROWS = 32
"""So many rows are written together. They are in memory at once."""
Feature = Any
"""A column's type as ``datasets`` writes it: its name, a list of one type, a mapping of fields, or ``Image``."""
IMAGE = "Image"


class Parquet(CallFormat):
    ending = ".parquet"
    names_files = False
    needs = "pyarrow"
    features: ClassVar[dict[str, Feature]]
    """The columns."""

    @abstractmethod
    def values(self, episode: EpisodeFacts, row: TrainingRow, number: int) -> dict[str, Any]:
        """Return a row's values without its pictures. ``number``: a number that no other row has."""

    @contextmanager
    def open(self, path: Path, first: str) -> Iterator[RowWriter]:
        """Open a part's file. ``first`` ends with the number of the part. Raises OSError."""
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter

        features = {**self.features, "images": [IMAGE], "facts": "string"}
        described = {"info": {"features": {name: _describe(feature) for name, feature in features.items()}}}
        schema = pa.schema(
            [(name, _arrow_type(feature, pa)) for name, feature in features.items()],
            metadata={"huggingface": json.dumps(described)},
        )
        part = int(first.rpartition("-")[2])
        rows: list[dict[str, Any]] = []
        count = 0
        with secure_files.open_to_write(path) as file, ParquetWriter(file, schema) as parquet:

            def flush() -> None:
                if rows:
                    parquet.write_table(pa.Table.from_pylist(rows, schema))
                    rows.clear()

            def write(episode: EpisodeFacts, row: TrainingRow, jpegs: Jpegs) -> None:
                nonlocal count
                pictures = [{"bytes": jpegs[content], "path": None} for content in row.pictures]
                values = self.values(episode, row, part * 10**6 + count)
                rows.append({**values, "images": pictures, "facts": facts_text(episode, row)})
                count += 1
                if len(rows) == _ROWS:
                    flush()

            yield write
            flush()


def _describe(feature: Feature) -> dict[str, Any]:
    """Return a feature as ``datasets`` writes it into the schema's metadata."""
    if isinstance(feature, list):
        return {"feature": _describe(feature[0]), "_type": "List"}
    if isinstance(feature, dict):
        return {name: _describe(field) for name, field in feature.items()}
    return {"_type": IMAGE} if feature == IMAGE else {"dtype": feature, "_type": "Value"}


def _arrow_type(feature: Feature, pa: Any) -> pyarrow.DataType:
    if isinstance(feature, list):
        return pa.list_(_arrow_type(feature[0], pa))
    if isinstance(feature, dict):
        return pa.struct([(name, _arrow_type(field, pa)) for name, field in feature.items()])
    if feature == IMAGE:
        return pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    return {"string": pa.string(), "int64": pa.int64(), "float32": pa.float32()}[feature]


_PARTS = [{"role": "string", "content": [{"type": "string", "text": "string"}]}]
_MESSAGES = [{"role": "string", "content": "string"}]


class Trl(Parquet):
    name = "trl"
    reader = "TRL"
    features: ClassVar[dict[str, Feature]] = {"prompt": _PARTS, "completion": _PARTS}

    def values(self, episode: EpisodeFacts, row: TrainingRow, number: int) -> dict[str, Any]:
        """Return a row's values: the prompt in parts, since of texts TRL puts all pictures before the first one."""
        return {
            "prompt": [_in_parts(turn) for turn in row.messages],
            "completion": [_in_parts(ChatMessage("assistant", (row.reply,)))],
        }

    def notes(self, summary: ExportSummary) -> Iterator[str]:
        """Yield the lines of the card."""
        yield '`load_dataset("parquet", data_dir=DIR)` gives what `SFTTrainer` takes, with the loss on the reply. Set'
        yield f"`max_length=None` in `SFTConfig`: its default of 1,024 cuts rows of up to {summary.longest:,} tokens."
        yield f"The processor must allow pictures of {summary.max_pixels:,} pixels."


def _in_parts(turn: ChatMessage) -> dict[str, Any]:
    parts = [
        {"type": "image", "text": None} if isinstance(part, ShownPicture) else {"type": "text", "text": part}
        for part in turn.parts
    ]
    return {"role": turn.role, "content": parts}


class Verl(Parquet):
    name = "verl"
    reader = "verl"
    mark = "<image>"
    marks = (mark, "<video>", "<audio>")
    masks_earlier = False
    features: ClassVar[dict[str, Feature]] = {
        "messages": _MESSAGES,
        "prompt": _MESSAGES,
        "data_source": "string",
        "reward_model": {"style": "string", "ground_truth": "string"},
        "extra_info": {"index": "int64"},
        "tokens": ["int64"],
        "response_length": "int64",
        "loss_mask": ["int64"],
        "rollout_log_probs": ["float32"],
        "weight_versions": ["string"],
    }

    def values(self, episode: EpisodeFacts, row: TrainingRow, number: int) -> dict[str, Any]:
        """Return a row's values: ``messages`` for its data set of SFT, the rest for that of RL.

        The tokens are in the columns of slime's ``Sample``: those of the reply end ``tokens``.
        """
        prompt = marked_messages(row, self.mark)
        return {
            "messages": [*prompt, {"role": "assistant", "content": row.reply}],
            "prompt": prompt,
            "data_source": "manyhands",
            "reward_model": {"style": "rule", "ground_truth": row.reply},
            "extra_info": {"index": number},
            **({} if row.tokens is None else _token_columns(row.tokens)),
            "weight_versions": [span.version for span in row.facts.weights],
        }

    def notes(self, summary: ExportSummary) -> Iterator[str]:
        """Yield the lines of the card."""
        yield "`MultiTurnSFTDataset` reads `messages`, `RLHFDataset` the other columns. Set `max_length` (1,024 by"
        yield f"default, longer rows are errors) and `max_prompt_length` (longer ones vanish) to {summary.cutoff:,}."
        yield "`ground_truth` is the recorded reply: compute your own reward. verl trains every turn of the model, so"
        yield "rows with earlier turns are left out. `tokens`, `loss_mask` and `rollout_log_probs` are those of slime's"
        yield "`Sample`, as the server reported them; they are empty for runs without `--record-tokens`."


def _token_columns(tokens: CallTokens) -> dict[str, Any]:
    reply = tokens.reply_ids
    return {
        "tokens": [*tokens.prompt_ids, *reply],
        "response_length": len(reply),
        "loss_mask": [1] * len(reply),
        "rollout_log_probs": list(tokens.reply_logprobs),
    }
