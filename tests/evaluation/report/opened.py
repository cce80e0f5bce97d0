"""Reads the files of a report as a page does."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

_SCRIPT = re.compile(rb'manyhandsReport\("(?P<name>(?:[^"\\]|\\.)*)","(?P<data>[A-Za-z0-9+/=]*)"\)\n')


def read_script(path: Path) -> tuple[str, Any]:
    """Return the name and the content of a payload's file, which must hold nothing else."""
    found = _SCRIPT.fullmatch(path.read_bytes())
    assert found is not None
    return json.loads(b'"%s"' % found["name"]), decode(found["data"])


def decode(payload: bytes | str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(payload)))


def read_payload(folder: Path, name: str) -> Any:
    """Return a payload of the report in a folder."""
    said, value = read_script(folder / "report" / f"{name}.js")
    assert said == name
    return value
