"""Commands of the phone's shell: what one is, and what it is called with."""

from __future__ import annotations

import getopt
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
"""The exit status of Android's own commands (am, pm, input) for -1."""


NOT_FOUND = 127
"""The exit status where the phone does not know the command, or what it is to do; nothing was done then."""


class BadOption(ValueError):
    """Report an option that a command does not have, or one without its value."""


class NotSimulated(Exception):
    """Report by name what a phone does and a virtual one does not know. Nothing was done yet where it is raised."""


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


def options_of(args: Sequence[str], letters: str, names: Sequence[str] = ()) -> tuple[dict[str, str], list[str]]:
    """Return the options among arguments with their values, and the others. Raises BadOption.

    ``letters`` and ``names`` are those of ``getopt``: ``:`` or ``=`` after an option that has a value.
    """
    try:
        found, rest = getopt.gnu_getopt(args, letters, names)
    except getopt.GetoptError as error:
        raise BadOption(error.msg) from error
    return dict(found), rest


@dataclass(frozen=True, slots=True)
class Call:
    """One command with its expanded arguments (without its name)."""

    name: str
    args: tuple[str, ...]
    stdio: Stdio
    phone: PhoneSystem
    environment: Environment
    shell: Surroundings

    def options(self, letters: str, names: Sequence[str] = ()) -> tuple[dict[str, str], list[str]]:
        """Return the options with their values, and the other arguments, as ``options_of``. Raises BadOption."""
        return options_of(self.args, letters, names)

    async def print(self, text: str) -> None:
        """Write lines to stdout; a newline is added."""
        await self.stdio.stdout.write(encode(text + "\n"))

    async def complain(self, text: str) -> None:
        """Write lines to stderr; a newline is added."""
        await self.stdio.stderr.write(encode(text + "\n"))

    async def refuse(self, name: str, error: OSError) -> int:
        """Write why a file cannot be used to stderr, and return the exit status."""
        await self.complain(f"{self.name}: {name}: {error.strerror}")
        return FAILED

    def path(self, name: str) -> str:
        """Return a file name as an absolute path."""
        return self.phone.files.resolve(name, self.environment.directory)

    async def read(self, name: str = "-") -> bytes:
        """Return the content of a file, or of stdin for ``-``. Raises OSError, also for too much input."""
        return await read_all(self.stdio.stdin) if name == "-" else self.phone.files.read(self.path(name))

    async def contents(self, names: Sequence[str]) -> tuple[list[tuple[str, bytes]], int]:
        """Return name and content of each file that can be read, of stdin without names; and the status so far."""
        found: list[tuple[str, bytes]] = []

        async def keep(name: str) -> None:
            found.append((name, await self.read(name)))

        return found, await self.each(names or ["-"], keep)

    async def each(self, names: Sequence[str], work: Callable[[str], Awaitable[None]]) -> int:
        """Do the work for each name, complain of those where it raises OSError, and return the exit status."""
        status = 0
        for name in names:
            try:
                await work(name)
            except OSError as error:
                status = await self.refuse(name, error)
        return status


Run = Callable[[Call], Awaitable[int]]


def never(args: Sequence[str]) -> bool:
    """Return False, as most commands only ask."""
    return False


@dataclass(frozen=True, slots=True)
class Command:
    """Hold how a command runs, to its exit status, and whether it acts on the phone with these arguments.

    A line with a command that acts is written to the ledger before that command runs. One that raises NotSimulated
    does not act.
    """

    run: Run
    acts: Callable[[Sequence[str]], bool] = never


def prints(text: str) -> Command:
    """Return a command that prints the same whatever it is called with; nothing for an empty text."""

    async def run(call: Call) -> int:
        if text:
            await call.print(text)
        return 0

    return Command(run)


def encode(text: str) -> bytes:
    """Return output as bytes; bytes of arguments that were not UTF-8 come back as they were."""
    return text.encode("utf-8", "surrogateescape")


def decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
