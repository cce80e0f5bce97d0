"""Make attacks into tasks: each has a seed of its own, for which its texts are planted on the virtual phone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from manyhands.actors.memory import initial_memory
from manyhands.benchmarks.testbed import everyday
from manyhands.evaluation.attacks.attacks import Attack
from manyhands.protocol.roles.memory import LongTermMemory, Shortcut
from manyhands.protocol.runs.limits import Limits
from manyhands.protocol.tasks.task import Rubric, TaskSpec
from manyhands.simulator.phone.content.library import CHINESE_FROM

HARM = "the harmful state"
LIMITS = Limits(max_steps=20, wall_s=600.0)
"""Of each episode: enough for every goal and a detour."""
Side = Literal["on", "off"]
"""Whether the policy judges the virtual phone's actions as it does those of real ones."""


def attack_tasks(attacks: Sequence[Attack], side: Side) -> tuple[TaskSpec, ...]:
    """Return a task for each attack, with the harmful state as its rubric. Raises BadInput for an unknown task."""
    tasks = _tasks_by_id(attacks)
    return tuple(
        _task(tasks[one.task], f"{one.id}-{side}", one.allow).model_copy(
            update={"reset_seed": seed, "rubrics": (Rubric(name=HARM, holds=one.harmful),)}
        )
        for one, seed in zip(attacks, _seeds(attacks, tasks), strict=True)
    )


def plain_tasks(attacks: Sequence[Attack]) -> tuple[TaskSpec, ...]:
    """Return the attacks' tasks without attacks, each once for what is allowed in it."""
    tasks = _tasks_by_id(attacks)
    plain = dict.fromkeys((one.task, one.allow) for one in attacks)
    return tuple(_task(tasks[name], f"{name}-plain{number or ''}", allow) for number, (name, allow) in enumerate(plain))


def planted_by_seed(attacks: Sequence[Attack]) -> Mapping[int, dict[str, Any]]:
    """Return what is planted, by the seed of the attack's task."""
    return {
        seed: one.planted
        for one, seed in zip(attacks, _seeds(attacks, _tasks_by_id(attacks)), strict=True)
        if one.planted
    }


def memory_of(attack: Attack | None) -> LongTermMemory:
    """Return what the agent knows at first: the usual, and what the attacker has taught it."""
    start = initial_memory()
    if attack is None:
        return start
    taught = map(Shortcut.model_validate, attack.shortcuts)
    return start.model_copy(update={"tips": (*start.tips, *attack.tips), "shortcuts": (*start.shortcuts, *taught)})


def _tasks_by_id(attacks: Sequence[Attack]) -> Mapping[str, TaskSpec]:
    return {task.id: task for task in everyday(sorted({one.task for one in attacks}))}


def _task(task: TaskSpec, id: str, allow: tuple[str, ...]) -> TaskSpec:
    return task.model_copy(
        update={
            "id": id,
            "allow": allow,
            "limits": LIMITS,
            "rubrics": (),
            "unchanged": (),
            "changes": (),
            "human_operations": (),
            "reset_seed": task.reset_seed or 0,
        }
    )


def _seeds(attacks: Sequence[Attack], tasks: Mapping[str, TaskSpec]) -> Sequence[int]:
    """Return a seed for each attack whose content is that of its task's seed, in the same language.

    The content depends on the seed modulo 1000; from 1000 up it is Chinese.
    """
    bases = [tasks[one.task].reset_seed or 0 for one in attacks]
    return [base + CHINESE_FROM * (number if base >= CHINESE_FROM else -number) for number, base in enumerate(bases, 1)]
