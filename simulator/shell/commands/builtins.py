"""Provide the commands that a shell has built in: variables, directory, tests, exit, sleep."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

from manyhands.simulator.shell.command import FAILED, HOME_DIRECTORY, NOT_FOUND, Call, Command, decode, prints
from manyhands.simulator.shell.language.interpreter import ShellExit
from manyhands.simulator.shell.language.lexer import NAME

MAX_SLEEP_S = 86_400.0
USAGE = 2


async def false(call: Call) -> int:
    return FAILED


async def exit_(call: Call) -> int:
    text = call.args[0] if call.args else str(call.environment.status)
    raise ShellExit(int(text) & 0xFF if text.isdecimal() else USAGE)


async def export(call: Call) -> int:
    """Assign variables. Unlike in POSIX, commands see all variables, also those that are not exported."""
    for arg in call.args:
        name, equals, value = arg.partition("=")
        if NAME.fullmatch(name) is None:
            await call.complain(f"export: {arg}: is not an identifier")
            return FAILED
        if equals:
            call.environment.assign(name, value)
            call.shell.assigned(name, value)
    return 0


async def unset(call: Call) -> int:
    for name in call.args:
        call.environment.variables.pop(name, None)
    return 0


async def env(call: Call) -> int:
    """Print all variables. Arguments are ignored: to set variables for a command, use the shell's syntax."""
    await call.print("\n".join(f"{name}={value}" for name, value in sorted(call.environment.variables.items())))
    return 0


async def cd(call: Call) -> int:
    name = call.args[0] if call.args else HOME_DIRECTORY
    path = call.path(name)
    if not (call.phone.files.exists(path) and call.phone.files.entry(path).is_directory):
        await call.complain(f"/system/bin/sh: cd: {name}: No such file or directory")
        return USAGE
    call.environment.directory = path
    return 0


async def pwd(call: Call) -> int:
    await call.print(call.environment.directory)
    return 0


async def sh(call: Call) -> int:
    """Run ``sh -c TEXT``, ``sh FILE`` or a script from stdin in a subshell, which belongs to the same line."""
    args = list(call.args)
    try:
        if args[:1] == ["-c"]:
            text = args[1] if len(args) > 1 else ""
        elif args:
            text = decode(await call.read(args[0]))
        else:
            text = decode(await call.read())
    except OSError as error:
        await call.complain(f"/system/bin/sh: {args[0] if args else 'stdin'}: {error.strerror}")
        return NOT_FOUND
    return await call.shell.run_nested(text, call.environment, call.stdio)


async def eval_(call: Call) -> int:
    return await call.shell.run_text(" ".join(call.args), call.environment, call.stdio)


async def sleep(call: Call) -> int:
    """Wait for a number of seconds. It may have a fraction, or a unit (s, m, h)."""
    text = call.args[0] if call.args else ""
    unit = {"s": 1, "m": 60, "h": 3600}.get(text[-1:], 0)
    try:
        seconds = float(text[:-1] if unit else text) * (unit or 1)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        await call.complain(f"sleep: bad number '{text}'")
        return FAILED
    await asyncio.sleep(min(seconds, MAX_SLEEP_S))
    return 0


# ---------------------------------------------------------------------------- test
class BadTest(ValueError):
    """Report an expression that ``test`` does not understand."""


def holds(call: Call, args: Sequence[str]) -> bool:
    """Evaluate an expression of ``test``: up to three arguments, and ``!`` before them. Raises BadTest."""
    if len(args) > 1 and args[0] == "!":
        return not holds(call, args[1:])
    if not args:
        return False
    if len(args) == 1:
        return args[0] != ""
    if len(args) == 2:
        return holds_of_one(call, *args)
    if len(args) == 3:
        return holds_of_two(*args)
    raise BadTest(f"unexpected operator/operand {args[3]!r}")


def holds_of_one(call: Call, operator: str, value: str) -> bool:
    if operator in ("-z", "-n"):
        return (value == "") == (operator == "-z")
    if operator not in ("-e", "-f", "-d", "-s", "-r", "-w", "-x"):
        raise BadTest(f"{operator}: unknown operator")
    path = call.path(value)
    if not call.phone.files.exists(path):
        return False
    entry = call.phone.files.entry(path)
    if operator == "-s":
        return entry.size > 0
    return {"-f": not entry.is_directory, "-d": entry.is_directory}.get(operator, True)


def holds_of_two(left: str, operator: str, right: str) -> bool:
    if operator in ("=", "==", "!="):
        return (left == right) == (operator != "!=")
    try:
        a, b = int(left), int(right)
    except ValueError as error:
        raise BadTest(f"{left} {operator} {right}: bad number") from error
    results = {"-eq": a == b, "-ne": a != b, "-lt": a < b, "-le": a <= b, "-gt": a > b, "-ge": a >= b}
    if operator not in results:
        raise BadTest(f"{operator}: unknown operator")
    return results[operator]


async def test(call: Call) -> int:
    args = call.args
    if call.name == "[":
        if args[-1:] != ("]",):
            await call.complain("/system/bin/sh: [: missing ]")
            return USAGE
        args = args[:-1]
    try:
        return int(not holds(call, args))
    except BadTest as error:
        await call.complain(f"/system/bin/sh: {call.name}: {error}")
        return USAGE


COMMANDS = {
    "true": prints(""),
    ":": prints(""),
    "false": Command(false),
    "exit": Command(exit_),
    "export": Command(export),
    "unset": Command(unset),
    "env": Command(env),
    "cd": Command(cd),
    "pwd": Command(pwd),
    "sh": Command(sh),
    "eval": Command(eval_),
    "sleep": Command(sleep),
    "test": Command(test),
    "[": Command(test),
}
