"""Store the operations of a human who does instructions by hand, in a YAML file: lists of words by instruction.

The completion rate needs them (Mobile-Agent, section 3.1), and two of the papers print only their sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field, RootModel, ValidationError

from manyhands.evaluation.episode_view import describe_action
from manyhands.evaluation.episodes import RecordedEpisode, attempted, episodes_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.journals.records import ActionSent
from manyhands.protocol.screens.actions import Type
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.yaml_document import find_problems, read_yaml

Operations = Annotated[tuple[Annotated[str, Field(min_length=1, max_length=500)], ...], Field(min_length=1)]


class _RecordedOperations(RootModel[dict[str, Operations]]):
    """Hold the content of a file: operations by the id of the instruction."""


def read_human_operations(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the operations by the id of the instruction. Raises BadInput with each mistake."""
    document = read_yaml(path)
    try:
        operations = _RecordedOperations.model_validate(document.data or {})
    except ValidationError as error:
        document.refuse(find_problems(error, _RecordedOperations))
        raise
    document.refuse(())
    return operations.root


def store_human_operations(path: Path, instruction: str, operations: Sequence[str]) -> None:
    """Store the operations of an instruction in a file, in place of earlier ones. Raises BadInput and StoreError."""
    stored = read_human_operations(path) if path.exists() else {}
    stored[instruction] = tuple(operations)
    content = {name: list(words) for name, words in sorted(stored.items())}
    try:
        secure_files.replace_text(path, yaml.safe_dump(content, allow_unicode=True, sort_keys=False, width=120))
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error}") from error


def operations_of_person(run: RunFolder, instruction: str) -> tuple[str, ...]:
    """Return, in words, what a person did who took over the episode of an instruction before the agent acted.

    Several texts that were typed one after the other count as one operation. Raises BadInput if the run has no such
    task, nobody took it over, or the agent acted, too.
    """
    tasks = attempted(run.asked, episodes_of(scan.records for scan in run.journals.values()))
    episode = next((one.attempts[-1] for one in tasks if one.attempts and _plays(one.attempts[-1], instruction)), None)
    if episode is None:
        raise BadInput(f"{run.path}: no task was begun that has the id or the tag {instruction}")
    if not episode.person_actions:
        raise BadInput(f"{run.path}: no person acted in {episode.started.episode}; take it over (manyhands episode)")
    if episode.actions_sent:
        raise BadInput(
            f"{run.path}: the agent acted in {episode.started.episode}, too; take an episode over before its first "
            "action, or name the operations (--operation)"
        )
    return tuple(_words(episode))


def _plays(episode: RecordedEpisode, instruction: str) -> bool:
    task = episode.started.task
    return instruction in (task.base_id, *task.tags)


def _words(episode: RecordedEpisode) -> Iterator[str]:
    typed = ""
    for record in episode.records:
        if not isinstance(record, ActionSent) or record.key not in episode.person_actions:
            continue
        if isinstance(record.action, Type):
            typed += record.action.text
            continue
        if typed:
            yield f"type {typed}"
        typed = ""
        yield describe_action(record.action)
    if typed:
        yield f"type {typed}"
