"""Define a vendor's phone by the commands that it answers in a way of its own.

``answer`` gives a fixed answer in place of a command, ``precede`` delays it, ``rewrite`` changes what it prints, and a
``Change`` with a function of its own does anything else. All of them name the command and its arguments, so a
declaration is short:

    Vendor("no-input", "Who reported what, of which phone", (answer("input", "tap .*", stderr="...", status=255),))
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from manyhands.simulator.shell.command import NOT_FOUND, Call, Command, Run, decode, encode
from manyhands.simulator.shell.streams import Collector
from manyhands.simulator.system.phone_system import PhoneSystem

Respond = Callable[[Call, Run], Awaitable[int]]
"""Answer a call, and return the exit status. The second argument runs the command as Android does."""
When = Callable[[PhoneSystem], bool]


@dataclass(frozen=True, slots=True)
class Change:
    """Hold a change of one command.

    ``arguments``: a regular expression for all arguments of the calls that are changed, joined by blanks. What ``cmd``
    runs as a service is changed under the command's own name (``pm`` for ``cmd package``). ``has_effect``: whether the
    changed call still acts on the phone, and so belongs in the ledger.
    """

    command: str
    arguments: str
    respond: Respond
    has_effect: bool = True

    def matches(self, args: Sequence[str]) -> bool:
        return re.fullmatch(self.arguments, " ".join(args), re.DOTALL) is not None


@dataclass(frozen=True, slots=True)
class Vendor:
    """Declare a vendor's phone: its name for ``--vendor``, who reported it of which phone, and what it changes.

    ``serial``: the end of its serial. An adb server reaches such a phone by a socket with this name in place of a port.
    """

    name: str
    report: str
    changes: tuple[Change, ...] = ()
    serial: str = ""


def answer(
    command: str,
    arguments: str = ".*",
    *,
    stdout: str = "",
    stderr: str = "",
    status: int = 0,
    when: When | None = None,
) -> Change:
    """Return a change that prints fixed texts in place of a command's work. ``when``: only while this is true."""

    async def respond(call: Call, original: Run) -> int:
        if when is not None and not when(call.phone):
            return await original(call)
        await call.stdio.stdout.write(encode(stdout))
        await call.stdio.stderr.write(encode(stderr))
        return status

    return Change(command, arguments, respond, has_effect=when is not None)


def precede(command: str, arguments: str = ".*", *, stderr: str = "", seconds: float = 0.0) -> Change:
    """Return a change that prints a text, and waits, before a command's own work."""

    async def respond(call: Call, original: Run) -> int:
        await call.stdio.stderr.write(encode(stderr))
        await asyncio.sleep(seconds)
        return await original(call)

    return Change(command, arguments, respond)


def rewrite(command: str, arguments: str, pattern: str, replacement: str) -> Change:
    """Return a change that replaces a pattern in what a command prints, and in the file that its last argument names.

    ``pattern`` and ``replacement`` are as for ``re.sub``, with ``^`` and ``$`` at each line. Bytes that are no UTF-8
    are lone surrogates (``surrogateescape``), both in what is matched and in the replacement.
    """
    expression = re.compile(pattern, re.MULTILINE)

    def changed(data: bytes) -> bytes:
        return encode(expression.sub(replacement, decode(data)))

    async def respond(call: Call, original: Run) -> int:
        output = Collector()
        status = await original(replace(call, stdio=replace(call.stdio, stdout=output)))
        await call.stdio.stdout.write(changed(bytes(output.data)))
        path = call.path(call.args[-1]) if call.args else ""
        if call.phone.files.exists(path):
            call.phone.files.write(path, changed(call.phone.files.read(path)))
        return status

    return Change(command, arguments, respond)


def in_front(package: str) -> When:
    """Return a condition for ``answer``: the app in front is this one."""
    return lambda phone: phone.device.focus().partition("/")[0] == package


def change_commands(commands: Mapping[str, Command], vendors: Iterable[Vendor]) -> dict[str, Command]:
    """Return a phone's commands with the changes of vendors. Of two changes of one call, the last one answers."""
    table = dict(commands)
    for vendor in vendors:
        for change in vendor.changes:
            table[change.command] = _changed(table.get(change.command, Command(_not_found)), change)
    return table


def _changed(original: Command, change: Change) -> Command:
    async def run(call: Call) -> int:
        return await (change.respond(call, original.run) if change.matches(call.args) else original.run(call))

    def acts(args: Sequence[str]) -> bool:
        return original.acts(args) and (change.has_effect or not change.matches(args))

    return Command(run, acts)


async def _not_found(call: Call) -> int:
    await call.complain(f"/system/bin/sh: {call.name}: inaccessible or not found")
    return NOT_FOUND
