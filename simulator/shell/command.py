"""What a command of the phone's shell is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from manyhands.simulator.shell.streams import Stdio, TooMuch, read_all
from manyhands.simulator.system.phone_system import PhoneSystem

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
MOST_VARIABLES = 1000
MOST_TEXT = 4 << 20
"""Characters of all variables together, and of what the words of one command expand to."""
FAILED = 1
BAD_USAGE = 255
"""What Android's own commands (am, pm, input) exit with: -1."""


@dataclass(slots=True)
class Environment:
    """What one shell remembers between its commands."""

    variables: dict[str, str] = field(default_factory=lambda: dict(VARIABLES))
    directory: str = HOME_DIRECTORY
    status: int = 0

    def assign(self, name: str, value: str) -> None:
        """Set a variable. Raises TooMuch."""
        others = (len(text) for other, text in self.variables.items() if other != name)
        if len(self.variables) >= MOST_VARIABLES or sum(others) + len(value) > MOST_TEXT:
            raise TooMuch(f"a virtual phone keeps at most {MOST_VARIABLES} variables of {MOST_TEXT} characters in all")
        self.variables[name] = value

    def copy(self) -> Environment:
        """For a subshell, whose changes the outer one does not see."""
        return Environment(dict(self.variables), self.directory, self.status)


class Surroundings(Protocol):
    """What a command may ask of the shell that runs it."""

    @property
    def commands(self) -> Mapping[str, Command]:
        """Return every command, by name."""

    def assigned(self, name: str, value: str) -> None:
        """Take note that a variable was set."""

    async def run_text(self, text: str, environment: Environment, stdio: Stdio) -> int:
        """Run a script in this environment, and return its exit status."""

    async def run_nested(self, text: str, environment: Environment, stdio: Stdio) -> int:
        """Run a script in a subshell, and return its exit status."""


@dataclass(frozen=True, slots=True)
class Call:
    """One command with its expanded arguments (without its name)."""

    name: str
    args: tuple[str, ...]
    stdio: Stdio
    phone: PhoneSystem
    environment: Environment
    shell: Surroundings

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
