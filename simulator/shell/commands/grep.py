"""``grep``, ``egrep`` and ``fgrep``, as far as toybox on a phone has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from simulator.shell.command import FAILED, Call, Command, encode
from simulator.shell.commands.text import inputs
from simulator.shell.patterns import BadPattern, Pattern, Syntax, within_limits

FLAGS = "EFGHhaivcoqnwlsx"
TROUBLE = 2


@dataclass(frozen=True, slots=True)
class Asked:
    """The arguments of a ``grep``."""

    flags: frozenset[str]
    patterns: tuple[str, ...]
    names: tuple[str, ...]


class UnknownOption(ValueError):
    """An option that this phone's ``grep`` does not have."""


def arguments(args: Sequence[str]) -> Asked:
    """Read the arguments. Raises UnknownOption."""
    flags: set[str] = set()
    patterns: list[str] = []
    names: list[str] = []
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        if arg == "--":
            names += rest
            break
        if not arg.startswith("-") or arg == "-":
            names.append(arg)
            continue
        letters, has_pattern, pattern = arg[1:].partition("e")
        if not set(letters) <= set(FLAGS):
            raise UnknownOption(arg)
        flags |= set(letters)
        if has_pattern:
            patterns.append(pattern or (rest.pop(0) if rest else ""))
    if not patterns and names:
        patterns.append(names.pop(0))
    return Asked(frozenset(flags), tuple(patterns), tuple(names))


def compiled(name: str, asked: Asked) -> Pattern:
    """The pattern that is asked for. Raises BadPattern."""
    syntax: Syntax = "basic"
    if "F" in asked.flags or name == "fgrep":
        syntax = "fixed"
    elif "E" in asked.flags or name == "egrep":
        syntax = "extended"
    lines = [line for pattern in asked.patterns for line in pattern.split("\n")]
    whole = asked.flags & {"x", "w"}
    return Pattern(
        lines,
        syntax,
        ignore_case="i" in asked.flags,
        whole="line" if "x" in whole else "word" if "w" in whole else "",
    )


def split_lines(data: bytes) -> list[bytes]:
    """The lines of a file, without their newlines."""
    lines = data.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def select(
    pattern: Pattern, lines: Sequence[bytes], flags: frozenset[str], unwanted: Callable[[], bool]
) -> list[tuple[int, list[bytes]]]:
    """The numbers of the lines that are asked for, and what is printed of each. Raises BadPattern, TimeoutError."""
    found: list[tuple[int, list[bytes]]] = []
    for number, line in enumerate(lines, start=1):
        if unwanted():
            raise TimeoutError
        if pattern.holds(line) == ("v" in flags):
            continue
        shown = [line]
        if "o" in flags:
            shown = []
            for match in pattern.matches(line) if "v" not in flags else ():
                if unwanted():
                    raise TimeoutError
                shown.append(match)
        found.append((number, shown))
    return found


async def grep(call: Call) -> int:
    try:
        asked = arguments(call.args)
        if not asked.patterns:
            await call.complain(f"{call.name}: no REGEX")
            return TROUBLE
        pattern = compiled(call.name, asked)
        sources, status = await inputs(call, asked.names)
        matches = 0
        for name, data in sources:
            lines = split_lines(data)
            longest = max(map(len, lines), default=0) if "o" in asked.flags else 1
            work = pattern.work(len(data)) * max(1, longest)
            found = await within_limits(work, partial(select, pattern, lines, asked.flags))
            matches += len(found)
            await show(call, asked, name, found)
    except UnknownOption as error:
        await call.complain(f"{call.name}: Unknown option {error}")
        return TROUBLE
    except BadPattern as error:
        await call.complain(f"{call.name}: bad REGEX: {error}")
        return TROUBLE
    except TimeoutError:
        await call.complain(f"{call.name}: bad REGEX: this takes longer than a virtual phone gives it")
        return TROUBLE
    return (0 if matches else FAILED) if status == 0 else TROUBLE


async def show(call: Call, asked: Asked, name: str, found: Sequence[tuple[int, Sequence[bytes]]]) -> None:
    """Print what was found in one file."""
    flags = asked.flags
    named = ("H" in flags or len(asked.names) > 1) and "h" not in flags
    prefix = encode(f"{'(standard input)' if name == '-' else name}:") if named else b""
    output: list[bytes] = []
    if "q" in flags:
        return
    if "l" in flags:
        output += [encode(name)] if found else []
    elif "c" in flags:
        output.append(prefix + b"%d" % len(found))
    else:
        for number, shown in found:
            output += [prefix + (b"%d:" % number if "n" in flags else b"") + piece for piece in shown]
    if output:
        await call.stdio.stdout.write(b"\n".join(output) + b"\n")


COMMANDS = {name: Command(grep) for name in ("grep", "egrep", "fgrep")}
