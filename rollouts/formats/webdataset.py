"""Write rows as WebDataset: tar files whose members with the same key are a row.

Source: webdataset 1.0.2. A key ends at the first dot of a member's name.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from manyhands.protocol.utilities import secure_files
from manyhands.rollouts.formats.export_format import CallFormat, Jpegs, RowWriter, all_facts, to_json, token_lists
from manyhands.rollouts.rows import EpisodeFacts, ShownPicture, TrainingRow
from manyhands.rollouts.summary import ExportSummary


class WebDataset(CallFormat):
    name = "webdataset"
    reader = "WebDataset"
    ending = ".tar"
    names_files = False

    @contextmanager
    def open(self, path: Path, first: str) -> Iterator[RowWriter]:
        """Open a part's file. ``first`` begins the keys of its rows. Raises OSError."""
        with secure_files.open_to_write(path) as file, tarfile.open(fileobj=file, mode="w") as tar:
            count = 0

            def write(episode: EpisodeFacts, row: TrainingRow, jpegs: Jpegs) -> None:
                nonlocal count
                key = f"{first}-{count:06}"
                count += 1
                _add(tar, f"{key}.json", to_json(_content(episode, row)))
                for number, content in enumerate(row.pictures):
                    _add(tar, f"{key}.{number}.jpg", jpegs[content])

            yield write

    def notes(self, summary: ExportSummary) -> Iterator[str]:
        """Yield the lines of the card."""
        yield "Each row is `KEY.json` with `messages`, `reply`, `tools` and `facts`, and its pictures `KEY.0.jpg` and"
        yield 'so on. A part `{"type": "image", "image": 0}` of a message stands for the first of them.'


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), secure_files.FILE_MODE
    tar.addfile(member, BytesIO(content))


def _content(episode: EpisodeFacts, row: TrainingRow) -> dict[str, Any]:
    numbers = iter(range(len(row.pictures)))
    messages = [
        {
            "role": turn.role,
            "content": [
                {"type": "image", "image": next(numbers)}
                if isinstance(part, ShownPicture)
                else {"type": "text", "text": part}
                for part in turn.parts
            ],
        }
        for turn in row.messages
    ]
    content = {"messages": messages, "reply": row.reply, "tools": row.tools, "facts": all_facts(episode, row)}
    return content if row.tokens is None else content | {"tokens": token_lists(row.tokens)}
