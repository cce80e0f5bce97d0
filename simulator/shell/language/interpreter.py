"""Execute a parsed shell line on a phone.

Unlike in POSIX, the commands of a pipeline run one after another: each reads the whole output of the previous one.
Everything else that the grammar has follows POSIX.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from manyhands.simulator.phone.device import refresh
from manyhands.simulator.shell.command import (
    FAILED,
    MOST_TEXT,
    NOT_FOUND,
    BadOption,
    Call,
    Command,
    Environment,
    NotSimulated,
    encode,
)
from manyhands.simulator.shell.language.expansion import Expander
from manyhands.simulator.shell.language.parser import AndOr, Choice, Group, Node, Pipeline, Script, Simple, parse
from manyhands.simulator.shell.language.words import Redirect, ShellSyntaxError
from manyhands.simulator.shell.streams import (
    BytesInput,
    Collector,
    FileOutput,
    Reader,
    Stdio,
    TooMuch,
    Writer,
)
from manyhands.simulator.system.ledger import KEY_VARIABLE
from manyhands.simulator.system.phone_system import PhoneSystem

log = logging.getLogger(__name__)

SHELL = "/system/bin/sh"
SYSTEM_BIN = "/system/bin/"
MAX_DEPTH = 20
MOST_COMMANDS = 100_000
TURN = 64
"""After so many commands, a line lets the other phones of the process run."""
NOT_EXECUTABLE = 126
DEFECT = 255


class ShellExit(Exception):
    """Signal that ``exit`` or ``exec`` ends the shell with this status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class RedirectError(Exception):
    """Report a redirection that cannot be made. Its command does not run."""


@dataclass(slots=True)
class Line:
    """Hold one line as a client sent it. The shell writes it to the ledger once, before its first command that acts."""

    text: str
    phone: PhoneSystem
    key: str | None = None
    recorded: bool = False
    commands: int = 0
    """How many commands the line has run so far, including those of scripts that it calls."""

    def assigned(self, name: str, value: str) -> None:
        if name == KEY_VARIABLE:
            self.key = value

    async def goes_on(self) -> None:
        """Count a command. Raises TooMuch after too many, because scripts that call each other would never end."""
        self.commands += 1
        if self.commands > MOST_COMMANDS:
            raise TooMuch(f"a virtual phone runs at most {MOST_COMMANDS} commands for a line")
        if self.commands % TURN == 0:
            await asyncio.sleep(0)

    def acts(self) -> None:
        """Write the line to the ledger, unless it is written already."""
        if not self.recorded:
            self.recorded = True
            self.phone.line_acts(self.key, self.text)


class Shell:
    """Run lines in the shell of one phone."""

    def __init__(self, phone: PhoneSystem, commands: Mapping[str, Command]) -> None:
        self.phone = phone
        self.commands = commands

    async def run(self, text: str, stdio: Stdio, environment: Environment | None = None) -> int:
        """Run a line, and return its exit status.

        Raises ShellExit if the line ends the shell and an ``environment`` is given, which other lines may share.
        """
        self.phone.line_begins()
        line = Line(text, self.phone)
        interpreter = Interpreter(self.phone, self.commands, line)
        try:
            return await interpreter.run_text(text, environment or Environment(), stdio)
        except ShellExit as ended:
            if environment is not None:
                raise
            return ended.status
        except TooMuch as error:
            await stdio.stderr.write(encode(f"{SHELL}: {error}\n"))
            return 1


class Interpreter:
    """Execute the scripts of one line."""

    def __init__(self, phone: PhoneSystem, commands: Mapping[str, Command], line: Line) -> None:
        self.phone = phone
        self.commands = commands
        self._line = line
        self._depth = 0

    async def run_text(self, text: str, environment: Environment, stdio: Stdio) -> int:
        """Parse and execute a text, and return its exit status. A syntax error is written to stderr, with status 1."""
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:
                raise TooMuch(f"commands nested too deep: more than {MAX_DEPTH}")
            return await self._script(parse(text), environment, stdio)
        except ShellSyntaxError as error:
            await stdio.stderr.write(encode(f"{SHELL}: syntax error: {error}\n"))
            environment.status = 1
            return 1
        finally:
            self._depth -= 1

    def assigned(self, name: str, value: str) -> None:
        """Tell the line that a variable was set, because one variable holds the ledger's key."""
        self._line.assigned(name, value)

    async def run_nested(self, text: str, environment: Environment, stdio: Stdio) -> int:
        """Run a text in a subshell, for ``sh -c`` and ``$(...)``. It belongs to the same line."""
        try:
            return await self.run_text(text, environment.copy(), stdio)
        except ShellExit as ended:
            return ended.status

    # ------------------------------------------------------------------ lists and pipelines
    async def _script(self, script: Script, environment: Environment, stdio: Stdio) -> int:
        for item in script.items:
            environment.status = await self._and_or(item, environment, stdio)
        return environment.status

    async def _and_or(self, item: AndOr, environment: Environment, stdio: Stdio) -> int:
        status = environment.status = await self._pipeline(item.first, environment, stdio)
        for operator, pipeline in item.rest:
            if (operator == "&&") == (status == 0):
                status = environment.status = await self._pipeline(pipeline, environment, stdio)
        return status

    async def _pipeline(self, pipeline: Pipeline, environment: Environment, stdio: Stdio) -> int:
        status = 0
        *before, last = pipeline.commands
        stdin = stdio.stdin
        for command in before:
            output = Collector()
            await self._subshell(command, environment, replace(stdio, stdin=stdin, stdout=output))
            stdin = BytesInput(bytes(output.data))
        if before:
            status = await self._subshell(last, environment, replace(stdio, stdin=stdin))
        else:
            status = await self._node(last, environment, stdio)
        return int(status == 0) if pipeline.negated else status

    async def _subshell(self, node: Node, environment: Environment, stdio: Stdio) -> int:
        try:
            return await self._node(node, environment.copy(), stdio)
        except ShellExit as ended:
            return ended.status

    # ------------------------------------------------------------------ commands
    async def _node(self, node: Node, environment: Environment, stdio: Stdio) -> int:
        expander = Expander(environment, self.phone.files, lambda source: self._substitute(source, environment, stdio))
        opened: list[FileOutput] = []
        unwritten: OSError | None = None
        try:
            if isinstance(node, Simple):
                status = await self._simple(node, environment, stdio, expander, opened)
            else:
                inner = await self._redirect(node.redirects, environment, stdio, expander, opened)
                if isinstance(node, Choice):
                    status = await self._choice(node, environment, inner)
                else:
                    status = await self._group(node, environment, inner)
        except RedirectError as error:
            await stdio.stderr.write(encode(f"{SHELL}: {error}\n"))
            status = 1
        finally:
            for output in opened:
                try:
                    output.close()
                except OSError as error:
                    unwritten = error
        if unwritten is not None:
            await stdio.stderr.write(encode(f"{SHELL}: write error: {unwritten.strerror}\n"))
            status = 1
        return status

    async def _group(self, group: Group, environment: Environment, stdio: Stdio) -> int:
        if not group.subshell:
            return await self._script(group.script, environment, stdio)
        try:
            return await self._script(group.script, environment.copy(), stdio)
        except ShellExit as ended:
            return ended.status

    async def _choice(self, choice: Choice, environment: Environment, stdio: Stdio) -> int:
        for condition, script in choice.branches:
            if await self._script(condition, environment, stdio) == 0:
                return await self._script(script, environment, stdio)
        environment.status = 0
        return await self._script(choice.otherwise, environment, stdio)

    async def _simple(
        self, node: Simple, environment: Environment, stdio: Stdio, expander: Expander, opened: list[FileOutput]
    ) -> int:
        await self._line.goes_on()
        before = environment.status
        environment.status = 0  # if there are only assignments, the status is that of their last $(...)
        words = [field for word in node.words for field in await expander.fields(word)]
        stdio = await self._redirect(node.redirects, environment, stdio, expander, opened)
        hidden = {item.name: environment.variables.get(item.name) for item in node.assignments}
        for item in node.assignments:
            value = await expander.text(item.value)
            environment.assign(item.name, value)
            self.assigned(item.name, value)
        if not words:
            return environment.status
        try:
            if words[0] == "exec":
                raise ShellExit(await self._call(words[1:], environment, stdio, before) if words[1:] else before)
            return await self._call(words, environment, stdio, before)
        finally:
            for name, old in hidden.items():
                if old is None:
                    environment.variables.pop(name, None)
                else:
                    environment.variables[name] = old

    async def _call(self, words: Sequence[str], environment: Environment, stdio: Stdio, status: int) -> int:
        name, args = words[0], tuple(words[1:])
        command = self.commands.get(name.removeprefix(SYSTEM_BIN))
        if command is None:
            path = self.phone.files.resolve(name, environment.directory)
            if "/" in name and self.phone.files.exists(path):
                await stdio.stderr.write(encode(f"{SHELL}: {name}: can't execute: Permission denied\n"))
                return NOT_EXECUTABLE
            await stdio.stderr.write(encode(f"{SHELL}: {name}: inaccessible or not found\n"))
            return NOT_FOUND
        environment.status = status
        call = Call(name.removeprefix(SYSTEM_BIN), args, stdio, self.phone, environment, self)
        await refresh(self.phone.device)
        if command.acts(args):
            self._line.acts()
        try:
            status = await command.run(call)
            await refresh(self.phone.device)
            return status
        except (ConnectionError, ShellExit, TooMuch):
            raise
        except BadOption as error:
            await call.complain(f"{call.name}: {error}")
            return FAILED
        except NotSimulated as error:
            await call.complain(f"{call.name}: a virtual phone does not know {error}")
            return NOT_FOUND
        except Exception as error:
            # This is a defect of the virtual phone. Report it in the log and on stderr, with a status of its own.
            log.exception("command %r of a virtual phone failed", words)
            await stdio.stderr.write(encode(f"{name}: internal error of the virtual phone: {error!r}\n"))
            return DEFECT

    async def _substitute(self, source: str, environment: Environment, stdio: Stdio) -> bytes:
        output = Collector(MOST_TEXT)
        environment.status = await self.run_nested(source, environment, replace(stdio, stdout=output))
        return bytes(output.data)

    # ------------------------------------------------------------------ redirections
    async def _redirect(
        self,
        redirects: Sequence[Redirect],
        environment: Environment,
        stdio: Stdio,
        expander: Expander,
        opened: list[FileOutput],
    ) -> Stdio:
        """Apply the redirections from left to right, and return the resulting streams. Raises RedirectError.

        Files that are opened for output are added to ``opened``; the caller closes them.
        """
        stdin: Reader = stdio.stdin
        outputs: dict[int, Writer] = {1: stdio.stdout, 2: stdio.stderr}
        for redirect in redirects:
            target = await expander.text(redirect.target)
            if redirect.operator in ("<", "<&"):
                closes = redirect.operator == "<&" and target == "-"
                if redirect.fd != 0 or (redirect.operator == "<&" and not closes):
                    raise RedirectError(f"{redirect.fd}{redirect.operator}{target}: bad file descriptor")
                stdin = BytesInput(b"") if closes else self._open_input(target, environment)
                continue
            if redirect.fd not in outputs:
                raise RedirectError(f"{redirect.fd}{redirect.operator}{target}: bad file descriptor")
            if redirect.operator == ">&":
                if target not in ("1", "2", "-"):
                    raise RedirectError(f"{redirect.fd}>&{target}: bad file descriptor")
                outputs[redirect.fd] = Collector() if target == "-" else outputs[int(target)]
            else:
                output = self._open_output(target, environment, append=redirect.operator == ">>")
                opened.append(output)
                outputs[redirect.fd] = output
        return Stdio(stdin, outputs[1], outputs[2])

    def _open_input(self, target: str, environment: Environment) -> Reader:
        path = self.phone.files.resolve(target, environment.directory)
        try:
            return BytesInput(self.phone.files.read(path))
        except OSError as error:
            raise RedirectError(f"can't open {target}: {error.strerror}") from error

    def _open_output(self, target: str, environment: Environment, *, append: bool) -> FileOutput:
        path = self.phone.files.resolve(target, environment.directory)
        try:
            return FileOutput(self.phone.files, path, append=append)
        except OSError as error:
            raise RedirectError(f"can't create {target}: {error.strerror}") from error
