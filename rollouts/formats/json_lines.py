"""Write rows as JSON lines for ms-swift and for the finetuning scripts of Qwen3-VL.

Sources: ms-swift 4.6.0, ``dataset/preprocessor/core.py`` and ``template/template_inputs.py``; QwenLM/Qwen3-VL,
``qwen-vl-finetune/README.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from manyhands.rollouts.formats.export_format import JsonLines, facts_text, marked_messages, picture_path
from manyhands.rollouts.rows import EpisodeFacts, TrainingRow
from manyhands.rollouts.summary import ExportSummary

MARK = "<image>"


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
