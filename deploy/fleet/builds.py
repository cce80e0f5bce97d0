"""Find the files of the apps that tasks test, before a run begins."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.task import TaskSpec


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
            with file.open("rb") as stream:
                digests.append(hashlib.file_digest(stream, "sha256").hexdigest())
        except OSError as error:
            raise BadInput(f"task {task.id}: install: {file}: {error.strerror}") from error
    build = build.model_copy(update={"install": tuple(map(str, files)), "sha256": tuple(digests)})
    return task.model_copy(update={"build": build})
