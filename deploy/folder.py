"""Making a run folder and saying in it what was asked."""

from __future__ import annotations

import importlib.metadata
import platform
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from protocol import PROTOCOL_VERSION
from protocol.errors import BadInput
from protocol.tasks import TaskSpec

from .settings import FleetSettings

_VERSIONED = ("ray", "openai", "rapidocr", "onnxruntime", "adbutils", "pydantic")


def make_run_folder(settings: FleetSettings) -> Path:
    """A new folder: ``--out``, or ``runs/<time>_<name>``. Raises BadInput if it cannot be made or is in use."""
    folder = settings.out or Path("runs") / f"{time.strftime('%Y%m%d-%H%M%S')}_{settings.name}"
    try:
        if folder.exists() and any(folder.iterdir()):
            raise BadInput(f"--out {folder}: exists and is not empty; name another folder")
        for part in ("episodes", "screens", "logs"):
            (folder / part).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"--out {folder}: {error.strerror or error}") from error
    return folder.resolve()


def versions() -> dict[str, str]:
    """Versions of ourselves and of what the figures depend on."""
    found = {"protocol": PROTOCOL_VERSION, "python": platform.python_version()}
    for name in ("manyhands", *_VERSIONED):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def write_run_yaml(
    folder: Path, settings: FleetSettings, serials: Sequence[str], sources: Mapping[str, str], tasks: Sequence[TaskSpec]
) -> None:
    """What was asked, with versions: enough to ask it again."""
    asked: dict[str, Any] = {
        "run_id": folder.name,
        "started_at": time.time(),
        "profile": settings.episode.profile,
        "schedule": settings.episode.schedule,
        "phones": list(serials),
        **sources,
        "versions": versions(),
        "settings": settings.model_dump(mode="json", exclude={"out"}),
        "tasks": [task.model_dump(mode="json", by_alias=True, exclude_defaults=True) for task in tasks],
    }
    (folder / "run.yaml").write_text(
        yaml.safe_dump(asked, allow_unicode=True, sort_keys=False, width=120), encoding="utf-8"
    )
