"""What a command of the phone's shell is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.shell.streams import Stdio, read_all
from simulator.shell.system import PhoneSystem

if TYPE_CHECKING:
    from simulator.shell.interpreter import Interpreter

HOME_DIRECTORY = "/"
VARIABLES = {
    "ANDROID_DATA": "/data",
    "ANDROID_ROOT": "/system",
    "EXTERNAL_STORAGE": "/sdcard",
    "HOME": HOME_DIRECTORY,
    "PATH": "/system/bin",
    "SHELL": "/system/bin/sh",
    "TMPDIR": "/data/local/tmp",
    "USER": "shell",
}
FAILED = 1
BAD_USAGE = 255
"""What Android's own commands (am, pm, input) exit with: -1."""


@dataclass(slots=True)
class Environment:
    """What one shell remembers between its commands."""

    variables: dict[str, str] = field(default_factory=lambda: dict(VARIABLES))
    directory: str = HOME_DIRECTORY
    status: int = 0

    def copy(self) -> Environment:
        """For a subshell, whose changes the outer one does not see."""
        return Environment(dict(self.variables), self.directory, self.status)


@dataclass(frozen=True, slots=True)
class Call:
    """One command with its expanded arguments (without its name)."""

    name: str
    args: tuple[str, ...]
    stdio: Stdio
    phone: PhoneSystem
    environment: Environment
    interpreter: Interpreter

    async def print(self, text: str) -> None:
        """A line, or several, to stdout; a newline is added."""
        await self.stdio.stdout.write(encode(text + "\n"))

    async def complain(self, text: str) -> None:
        """The same to stderr."""
        await self.stdio.stderr.write(encode(text + "\n"))

    async def read_input(self) -> bytes:
        """All of stdin. Raises OSError where that is absurdly much."""
        return await read_all(self.stdio.stdin)

    def path(self, name: str) -> str:
        """A file name as an absolute path."""
        return self.phone.files.resolve(name, self.environment.directory)


Run = Callable[[Call], Awaitable[int]]


def never(args: Sequence[str]) -> bool:
    """Most commands only ask."""
    return False


def always(args: Sequence[str]) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Command:
    """``run`` answers with the exit status; ``acts`` says of the arguments whether they act on the phone.

    A line with a command that acts is written to the ledger before that command runs.
    """

    run: Run
    acts: Callable[[Sequence[str]], bool] = never


def encode(text: str) -> bytes:
    """Output bytes; bytes of arguments that were not UTF-8 come back as they were."""
    return text.encode("utf-8", "surrogateescape")


def decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
