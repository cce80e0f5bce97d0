"""Provide ``grep``, ``egrep`` and ``fgrep`` with options of toybox, which phones have."""

from __future__ import annotations

import getopt
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from manyhands.simulator.shell.command import FAILED, Call, Command, encode
from manyhands.simulator.shell.patterns import BadPattern, Pattern, Syntax, within_limits
from manyhands.simulator.shell.streams import TooMuch

FLAGS = "EFGHhaivcoqnwlsx"
TROUBLE = 2
WORK_OF_A_LINE = 100
"""The work of handling one line or match, without the search itself, in the unit of ``Pattern.work``."""
MOST_FOUND = 1_000_000


@dataclass(frozen=True, slots=True)
class Asked:
    """Hold the arguments of a ``grep``."""

    flags: frozenset[str]
    patterns: tuple[str, ...]
    names: tuple[str, ...]


def arguments(args: Sequence[str]) -> Asked:
    """Read the arguments. Raises GetoptError."""
    options, names = getopt.gnu_getopt(args, f"{FLAGS}e:")
    patterns = [value for option, value in options if option == "-e"]
    if not patterns and names:
        patterns.append(names.pop(0))
    return Asked(frozenset(option[1:] for option, _ in options), tuple(patterns), tuple(names))


def compiled(name: str, asked: Asked) -> Pattern:
    """Return the compiled pattern. ``name``: the command, which decides about the syntax. Raises BadPattern."""
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


def work_of(pattern: Pattern, data: bytes, flags: frozenset[str]) -> int:
    """Return the most work that the search of a file takes. With ``-o``, each match starts a new search of its line."""
    work = pattern.work(len(data)) + WORK_OF_A_LINE * len(data)
    return work * len(data) if "o" in flags else work


def select(
    pattern: Pattern, data: bytes, flags: frozenset[str], unwanted: Callable[[], bool]
) -> list[tuple[int, list[bytes]]]:
    """Return a pair for each selected line: the line's number from 1, and the texts to print.

    The text to print is the line itself. With ``-o``, the texts are the line's matches. ``unwanted``: tells whether
    nobody waits any more for the result. Raises BadPattern, TooMuch, and TimeoutError once ``unwanted()`` is true.
    """
    found: list[tuple[int, list[bytes]]] = []
    pieces = 0
    for number, ended in enumerate(io.BytesIO(data), start=1):
        line = ended.removesuffix(b"\n")
        if unwanted():
            raise TimeoutError
        if pattern.holds(line) == ("v" in flags):
            continue
        shown = [line] if "o" not in flags else []
        for match in pattern.matches(line) if "o" in flags and "v" not in flags else ():
            if unwanted():
                raise TimeoutError
            shown.append(match)
            if pieces + len(shown) > MOST_FOUND:
                break
        found.append((number, shown))
        pieces += max(1, len(shown))
        if pieces > MOST_FOUND:
            raise TooMuch(f"a virtual phone's grep finds at most {MOST_FOUND} lines or matches")
    return found


async def grep(call: Call) -> int:
    try:
        asked = arguments(call.args)
        if not asked.patterns:
            await call.complain(f"{call.name}: no REGEX")
            return TROUBLE
        pattern = compiled(call.name, asked)
        sources, status = await call.contents(asked.names)
        matches = 0
        for name, data in sources:
            work = work_of(pattern, data, asked.flags)
            found = await within_limits(work, partial(select, pattern, data, asked.flags))
            matches += len(found)
            await show(call, asked, name, found)
    except getopt.GetoptError as error:
        await call.complain(f"{call.name}: Unknown option -{error.opt}")
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
