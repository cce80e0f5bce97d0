"""Ask AndroidWorld's own task code, which runs in the user's checkout, in a process and a Python of its own."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adbutils import adb_path

from manyhands.deploy.child_process import ChildProcess
from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput, CallError

IMPORT_S = 300.0
"""How long their libraries may take to import."""
ANSWER_S = 1200.0
"""How long a task may take to be initialised or scored. Theirs wait for apps and copy files."""
_SCRIPT = Path(__file__).with_name("task_server.py")


class TaskError(CallError):
    """Report what their code raised."""

    code = "androidworld_task"


class ListedTask(Message):
    """Describe a task of the suite with one choice of parameters."""

    task: str
    instance: int
    goal: str
    budget: int
    """Steps: 10 times the task's complexity."""
    apps: tuple[str, ...]
    packages: tuple[str, ...]

    @property
    def id(self) -> str:
        """Return the id of our task, which is also the name of their checkpoint file."""
        return f"{self.task}_{self.instance}"


@dataclass(frozen=True, slots=True)
class Checkout:
    """Hold where the user's checkout is, and which of its tasks are wanted."""

    root: Path
    python: Path
    checkpoint: Path
    adb_port: int
    tasks: Sequence[str] = ()
    """Empty for all of the family."""
    family: str = "android_world"
    seed: int = 30
    combinations: int = 1

    def check(self) -> None:
        """Raise BadInput if the checkout or its Python is not there."""
        if not (self.root / "android_world" / "registry.py").is_file():
            raise BadInput(
                f"--root {self.root}: no checkout of AndroidWorld; "
                "git clone https://github.com/google-research/android_world, and install it as its README says"
            )
        if not os.access(self.python, os.X_OK):
            raise BadInput(f"--python {self.python}: no Python; name the one in which AndroidWorld is installed")

    def server(self, serial: str | None, logs: Path) -> TaskProcess:
        """Return the process for one phone; without a phone, it can only list tasks."""
        words = [str(self.python), str(_SCRIPT), "--root", str(self.root), "--checkpoint", str(self.checkpoint)]
        words += ["--adb", str(adb_path()), "--adb-port", str(self.adb_port), "--family", self.family]
        words += ["--seed", str(self.seed), "--combinations", str(self.combinations), "--tasks", ",".join(self.tasks)]
        words += [] if serial is None else ["--serial", serial]
        return TaskProcess(words, logs / f"androidworld_{(serial or 'list').replace(':', '_')}.log")


class TaskProcess(ChildProcess):
    """Run their task code for one phone. It ends, after tearing a task down, when its standard input closes."""

    def __init__(self, words: Sequence[str], log: Path) -> None:
        super().__init__("AndroidWorld's task code", words, log, ready_s=IMPORT_S, stop_s=60.0)

    async def ask(self, what: str, **values: Any) -> dict[str, Any]:
        """Return the answer to a request (``task_server``). Raises TaskError, CallError."""
        await self.write_line(json.dumps({"do": what, **values}))
        try:
            async with asyncio.timeout(ANSWER_S):
                answer = await self.read_json()
        except TimeoutError as error:
            raise CallError(f"{self.name}: no answer to {what} within {ANSWER_S:.0f} s; see {self.log}") from error
        if "error" in answer:
            reason = str(answer["error"]).strip()
            raise TaskError(f"{what}: {reason.splitlines()[-1]}; see {self.log}")
        return answer

    async def tasks(self) -> tuple[ListedTask, ...]:
        """Return the tasks of the suite. Raises CallError."""
        return tuple(map(ListedTask.model_validate, (await self.ask("list"))["tasks"]))

    @property
    def finished(self) -> Collection[str]:
        """Return the ids of tasks that have a result in the checkpoint."""
        return {f"{task}_{instance}" for task, instance in self.ready["finished"]}
