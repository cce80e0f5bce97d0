"""Read an export with a real loader, and print what it gives as JSON. Runs in .venv-loaders.

``read_export.py LOADER DIR``; pictures are told by the SHA-256 of their bytes, or of their pixels where the loader
decodes them.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read_datasets(folder: Path) -> Iterator[dict[str, Any]]:
    """Read by the card alone, as people do."""
    import datasets

    for name, split in datasets.load_dataset(str(folder), cache_dir=str(folder.parent / "cache")).items():
        for row in split:
            pictures = [
                [image.size, sha256(image.convert("RGB").tobytes())] if hasattr(image, "size") else image
                for image in row.pop("images", row.pop("image", []))
            ]
            yield {"split": name, "pictures": pictures, **row}


def read_webdataset(folder: Path) -> Iterator[dict[str, Any]]:
    import webdataset

    for path in sorted(folder.glob("*/*.tar")):
        for row in webdataset.WebDataset(str(path), shardshuffle=False):
            pictures = [sha256(row[f"{number}.jpg"]) for number in range(len(row)) if f"{number}.jpg" in row]
            yield {"split": path.parent.name, "pictures": pictures, **json.loads(row["json"])}


def read_atif(folder: Path) -> Iterator[dict[str, Any]]:
    import atif

    for path in sorted(folder.glob("*/*.json")):
        trajectory = atif.Trajectory.model_validate_json(path.read_bytes())
        contents = [step.message for step in trajectory.steps]
        contents += [
            result.content for step in trajectory.steps if step.observation for result in step.observation.results
        ]
        parts = [part for content in contents if isinstance(content, list) for part in content if part.type == "image"]
        pictures = [sha256((path.parent / part.source.path).read_bytes()) for part in parts]
        yield {"split": path.parent.name, "pictures": pictures, **trajectory.to_json_dict()}


READERS = {"datasets": read_datasets, "webdataset": read_webdataset, "atif": read_atif}


if __name__ == "__main__":
    json.dump(list(READERS[sys.argv[1]](Path(sys.argv[2]))), sys.stdout)
