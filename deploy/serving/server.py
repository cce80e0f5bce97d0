"""Run one ``vllm serve`` process under a reaper, which ends the process and all its children."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from manyhands.deploy import process_reaper
from manyhands.deploy.child_process import ChildProcess
from manyhands.protocol.errors import BadInput, CallError

_GRACE_S = 20.0
_STARTED_S = 30.0
_STOP_S = 40.0


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """Hold the command of one server. ``host`` and ``port``: where the server's health is checked.

    ``secrets``: more environment variables, whose values are never shown.
    """

    name: str
    argv: tuple[str, ...]
    host: str
    port: int
    env: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def url(self) -> str:
        """Return the base URL of the server's OpenAI API."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/v1"


class ServerProcess(ChildProcess):
    """Run a server under a reaper, which ends the server and all its workers even if this process is killed."""

    def __init__(self, command: ServerCommand, log: Path) -> None:
        self.command = command
        self._server_pid = 0
        words = (*process_reaper.COMMAND, "run", str(_GRACE_S), *command.argv)
        environment = {**command.env, **command.secrets}
        super().__init__(command.name, words, log, environment=environment, ready_s=_STARTED_S, stop_s=_STOP_S)

    @property
    def pid(self) -> int:
        """Return the id of the server's first process."""
        return self._server_pid

    async def _become_ready(self) -> None:
        try:
            self._server_pid = int(await self.read_line())
        except (ValueError, BadInput, CallError) as error:
            raise CallError(f"{self.name} could not be started: {self.last_words() or self.command.argv[0]}") from error
