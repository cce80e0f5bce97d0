"""Define a command of the phone's shell, and what it receives when it is called."""

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
"""The most characters that all variables may have together. The words of one command may expand to as many."""
FAILED = 1
BAD_USAGE = 255
"""The exit status of Android's own commands (am, pm, input) for -1."""


NOT_FOUND = 127
"""The exit status if the phone does not know the command, or does not simulate what the command asks for. Then nothing
was done."""


class BadOption(ValueError):
    """Report an option that a command does not know, or an option without its value."""


class NotSimulated(Exception):
    """Report something that a real phone does and a virtual one does not. Commands raise it before they do anything."""


@dataclass(slots=True)
class Environment:
    """Hold what a shell remembers between its commands."""

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
        """Return a copy for a subshell, so that its changes do not reach the outer shell."""
        return Environment(dict(self.variables), self.directory, self.status)


class Surroundings(Protocol):
    """Define what a command may ask of the shell that runs it."""

    @property
    def commands(self) -> Mapping[str, Command]:
        """Return every command, by name."""

    def assigned(self, name: str, value: str) -> None:
        """Tell the shell that a variable was set."""

    async def run_text(self, text: str, environment: Environment, stdio: Stdio) -> int:
        """Run a script in this environment, and return its exit status."""

    async def run_nested(self, text: str, environment: Environment, stdio: Stdio) -> int:
        """Run a script in a subshell, and return its exit status."""


def options_of(args: Sequence[str], letters: str, names: Sequence[str] = ()) -> tuple[dict[str, str], list[str]]:
    """Return the options among arguments with their values, and the others. Raises BadOption.

    ``letters`` and ``names`` have the form of ``getopt``: a ``:`` or ``=`` follows each option that has a value.
    """
    try:
        found, rest = getopt.gnu_getopt(args, letters, names)
    except getopt.GetoptError as error:
        raise BadOption(error.msg) from error
    return dict(found), rest


@dataclass(frozen=True, slots=True)
class Call:
    """Hold one call of a command. ``args``: its expanded arguments, without its name."""

    name: str
    args: tuple[str, ...]
    stdio: Stdio
    phone: PhoneSystem
    environment: Environment
    shell: Surroundings

    def options(self, letters: str, names: Sequence[str] = ()) -> tuple[dict[str, str], list[str]]:
        """Return the options with their values, and the other arguments; see ``options_of``. Raises BadOption."""
        return options_of(self.args, letters, names)

    async def print(self, text: str) -> None:
        """Write lines to stdout; a newline is added."""
        await self.stdio.stdout.write(encode(text + "\n"))

    async def complain(self, text: str) -> None:
        """Write lines to stderr; a newline is added."""
        await self.stdio.stderr.write(encode(text + "\n"))

    async def refuse(self, name: str, error: OSError) -> int:
        """Write to stderr why the file ``name`` cannot be used, and return the exit status."""
        await self.complain(f"{self.name}: {name}: {error.strerror}")
        return FAILED

    def path(self, name: str) -> str:
        """Return a file name as an absolute path."""
        return self.phone.files.resolve(name, self.environment.directory)

    async def read(self, name: str = "-") -> bytes:
        """Return the content of a file, or of stdin for ``-``. Raises OSError, also for too much input."""
        return await read_all(self.stdio.stdin) if name == "-" else self.phone.files.read(self.path(name))

    async def contents(self, names: Sequence[str]) -> tuple[list[tuple[str, bytes]], int]:
        """Return the name and content of each file that can be read, and the exit status. Without names, read stdin."""
        found: list[tuple[str, bytes]] = []

        async def keep(name: str) -> None:
            found.append((name, await self.read(name)))

        return found, await self.each(names or ["-"], keep)

    async def each(self, names: Sequence[str], work: Callable[[str], Awaitable[None]]) -> int:
        """Call ``work`` with each name, write its OSErrors to stderr, and return the exit status."""
        status = 0
        for name in names:
            try:
                await work(name)
            except OSError as error:
                status = await self.refuse(name, error)
        return status


Run = Callable[[Call], Awaitable[int]]


def never(args: Sequence[str]) -> bool:
    """Return False: most commands only read the phone's state."""
    return False


@dataclass(frozen=True, slots=True)
class Command:
    """Hold a command of the shell.

    ``run`` executes the command and returns its exit status. ``acts`` tells whether it acts on the phone when it is
    called with these arguments. If so, the shell writes the line to the ledger before the command runs. ``acts``
    must be False for arguments with which ``run`` raises NotSimulated.
    """

    run: Run
    acts: Callable[[Sequence[str]], bool] = never


def prints(text: str) -> Command:
    """Return a command that prints ``text`` for all arguments, or nothing if the text is empty."""

    async def run(call: Call) -> int:
        if text:
            await call.print(text)
        return 0

    return Command(run)


def encode(text: str) -> bytes:
    """Return a text as bytes. Bytes that ``decode`` could not read as UTF-8 come back unchanged."""
    return text.encode("utf-8", "surrogateescape")


def decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
