"""Find the files of the apps that tasks test, and tell them by their digests."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.task import TaskSpec


def digest_file(path: Path) -> str:
    """Return the SHA-256 of a file, as hexadecimal digits. Raises OSError."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def find_builds(tasks: Sequence[TaskSpec]) -> tuple[TaskSpec, ...]:
    """Return the tasks with absolute paths and digests of the files that their builds install.

    A task that has digests, as those of a run that goes on, stays as it is. Raises BadInput for a missing file.
    """
    return tuple(_find_build(task) for task in tasks)


def _find_build(task: TaskSpec) -> TaskSpec:
    build = task.build
    if build is None or not build.install or build.sha256:
        return task
    files = [Path(file).expanduser().resolve() for file in build.install]
    digests = []
    for file in files:
        try:
            digests.append(digest_file(file))
        except OSError as error:
            raise BadInput(f"task {task.id}: install: {file}: {error.strerror}") from error
    build = build.model_copy(update={"install": tuple(map(str, files)), "sha256": tuple(digests)})
    return task.model_copy(update={"build": build})


def refuse_installs(tasks: Sequence[TaskSpec]) -> None:
    """Raise BadInput for a task that installs files, where nobody knows on which machine they are."""
    for task in tasks:
        if task.build is not None and task.build.install:
            raise BadInput(f"task {task.id}: files are installed by 'manyhands run' only: leave out 'install'")
