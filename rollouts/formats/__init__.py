"""Write rows in the forms that trainers and tools read. Each format is a class."""

from __future__ import annotations

import difflib

from manyhands.protocol.errors import BadInput
from manyhands.rollouts.formats.androidlab import AndroidLab
from manyhands.rollouts.formats.atif import Atif
from manyhands.rollouts.formats.export_format import CallFormat, EpisodeFormat, ExportFormat
from manyhands.rollouts.formats.json_lines import LlamaFactory, QwenFinetune, Swift
from manyhands.rollouts.formats.parquet import Trl, Verl
from manyhands.rollouts.formats.webdataset import WebDataset

FORMATS: dict[str, ExportFormat] = {
    one.name: one
    for one in (LlamaFactory(), Swift(), Trl(), QwenFinetune(), Verl(), Atif(), AndroidLab(), WebDataset())
}


def format_named(name: str) -> ExportFormat:
    """Return a format by its name. Raises BadInput that lists the names."""
    if name in FORMATS:
        return FORMATS[name]
    near = difflib.get_close_matches(name, FORMATS)
    some = f"did you mean {near[0]}?" if near else f"there are {', '.join(FORMATS)}"
    raise BadInput(f"--format {name}: no such format; {some}")


__all__ = ["FORMATS", "CallFormat", "EpisodeFormat", "ExportFormat", "format_named"]
