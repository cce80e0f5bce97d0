"""Write rows for LLaMA-Factory: JSON lines, ``dataset_info.json``, and the settings without which it spoils them.

Source: llamafactory 0.9.5, ``data/parser.py``, ``data/converter.py``, ``data/mm_plugin.py``.
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
