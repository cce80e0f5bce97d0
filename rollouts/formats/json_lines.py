"""Write rows as JSON lines for LLaMA-Factory, ms-swift and the finetuning scripts of Qwen3-VL.

Sources: llamafactory 0.9.5, ``data/parser.py``, ``data/converter.py``, ``data/mm_plugin.py``; ms-swift 4.6.0,
``dataset/preprocessor/core.py`` and ``template/template_inputs.py``; QwenLM/Qwen3-VL, ``qwen-vl-finetune/README.md``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from manyhands.protocol.utilities import secure_files
from manyhands.rollouts.formats.export_format import JsonLines, facts_text, marked_messages, picture_path
from manyhands.rollouts.rows import EpisodeFacts, TrainingRow
from manyhands.rollouts.summary import ExportSummary

MARK = "<image>"
TEMPLATES = {"qwen3-vl": "qwen3_vl_nothink", "qwen3.5": "qwen3_5_nothink", "qwen2.5-vl": "qwen2_vl"}
"""Its template by dialect. Those of thinking models add an empty thought, with loss, to each reply without one."""
SETTINGS = "settings.yaml"


class LlamaFactory(JsonLines):
    name = "llamafactory"
    reader = "LLaMA-Factory"
    marks = (MARK, "<video>", "<audio>")

    def format_row(self, episode: EpisodeFacts, row: TrainingRow) -> dict[str, Any]:
        """Return a row's object. Roles alternate after the system text: user, assistant, ..., assistant."""
        return {
            "messages": [*marked_messages(row, MARK), {"role": "assistant", "content": row.reply}],
            "images": [picture_path(content) for content in row.pictures],
            "tools": json.dumps(row.tools, ensure_ascii=False) if row.tools else "",
            "facts": facts_text(episode, row),
        }

    def write_extras(self, out: Path, summary: ExportSummary) -> None:
        """Write ``dataset_info.json``, with a data set for each split, and ``settings.yaml``. Raises OSError."""
        # "sharegpt" and not "openai": that one adds "detailed thinking off" to the system text of rows without tools.
        entry = {
            "formatting": "sharegpt",
            "columns": {"messages": "messages", "images": "images", "tools": "tools"},
            "tags": {
                "role_tag": "role",
                "content_tag": "content",
                "user_tag": "user",
                "assistant_tag": "assistant",
                "system_tag": "system",
            },
        }
        sets = {f"manyhands_{split}": {"file_name": split, **entry} for split in summary.rows}
        secure_files.replace_text(out / "dataset_info.json", json.dumps(sets, indent=2) + "\n")
        lines = [
            "# What LLaMA-Factory needs for these rows. Its defaults would cut them off and shrink their pictures.",
            "# dataset_dir: the folder of this file",
            *(f"dataset: manyhands_{split}" for split in list(summary.rows)[:1]),
            f"cutoff_len: {summary.cutoff}",
            f"image_max_pixels: {summary.max_pixels}",
            "mask_history: true",
        ]
        if summary.dialects and all(dialect in TEMPLATES for dialect in summary.dialects):
            lines += [f"template: {TEMPLATES[summary.dialects[0]]}"] if len(summary.dialects) == 1 else []
        secure_files.replace_text(out / SETTINGS, "\n".join(lines) + "\n")

    def notes(self, summary: ExportSummary) -> Iterator[str]:
        """Yield the lines of the card."""
        yield f"Put the lines of `{SETTINGS}` into your training file. Without them LLaMA-Factory spoils the rows:"
        yield f"`cutoff_len` is 2048, and the longest row has {summary.longest} tokens; `image_max_pixels` is 589,824,"
        yield f"and the largest picture has {summary.largest:,}, so coordinates in absolute pixels would be wrong;"
        yield "`mask_history: true` limits the loss to the reply of the row."
        yield "It skips rows that it cannot read with a warning: compare its number of rows with the one above."


class Swift(JsonLines):
    name = "swift"
    reader = "ms-swift"
    marks = (MARK, "<video>", "<audio>")

    def format_row(self, episode: EpisodeFacts, row: TrainingRow) -> dict[str, Any]:
        """Return a row's object. Earlier replies have no loss."""
        turns = [turn | ({"loss": False} if turn["role"] == "assistant" else {}) for turn in marked_messages(row, MARK)]
        return {
            "messages": [*turns, {"role": "assistant", "content": row.reply, "loss": True}],
            "images": [picture_path(content) for content in row.pictures],
            **({"tools": row.tools} if row.tools else {}),
            "facts": facts_text(episode, row),
        }

    def notes(self, summary: ExportSummary) -> Iterator[str]:
        """Yield the lines of the card."""
        yield "`swift sft --dataset DIR/train/*.jsonl --strict true`, with `ROOT_IMAGE_DIR=DIR` and"
        yield f"`MAX_PIXELS={summary.max_pixels}` in the environment, and `--max_length {summary.cutoff}`. Without"
        yield "`--strict`, rows that it cannot read vanish with a line in its log."


class QwenFinetune(JsonLines):
    name = "qwen"
    reader = "Qwen3-VL's finetuning scripts"
    marks = (MARK, "<video>")
    masks_earlier = False

    def format_row(self, episode: EpisodeFacts, row: TrainingRow) -> dict[str, Any]:
        """Return a row's object. There is no system role, so the system text begins the first message."""
        system = "".join(turn.text(MARK) for turn in row.messages if turn.role == "system")
        asked = "".join(turn.text(MARK) for turn in row.messages if turn.role != "system")
        return {
            "image": [picture_path(content) for content in row.pictures],
            "conversations": [
                {"from": "human", "value": f"{system}\n\n{asked}" if system else asked},
                {"from": "gpt", "value": row.reply},
            ],
            "facts": facts_text(episode, row),
        }

    def notes(self, summary: ExportSummary) -> Iterator[str]:
        """Yield the lines of the card."""
        yield "Register each file of a split in `qwenvl/data/__init__.py` as `annotation_path`, with this folder as"
        yield f"`data_path`. Set `--model_max_length {summary.cutoff} --max_pixels {summary.max_pixels}`. There is no"
        yield "system role there: the system text begins the message, so prompts differ from those of a run. Every turn"
        yield "of the model has a loss, so rows with earlier turns are left out."
