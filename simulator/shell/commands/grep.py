"""``grep``, ``egrep`` and ``fgrep``, as far as toybox on a phone has them."""

from __future__ import annotations

import asyncio
import getopt
import io
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from manyhands.simulator.shell.command import FAILED, Call, Command, encode
from manyhands.simulator.shell.patterns import BadPattern, Pattern, Syntax
from manyhands.simulator.shell.streams import TooMuch

FLAGS = "EFGHhaivcoqnwlsx"
TROUBLE = 2
LITTLE = 4096
"""Bytes that are looked at without a thread."""
LONGEST_S = 10.0
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
    """Return the pattern that is asked for. Raises BadPattern."""
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


def select(pattern: Pattern, data: bytes, flags: frozenset[str]) -> list[tuple[int, list[bytes]]]:
    """Return the numbers of the lines that are asked for, and what is printed of each.

    Raises BadPattern, TimeoutError, TooMuch.
    """
    found: list[tuple[int, list[bytes]]] = []
    pieces, end = 0, time.monotonic() + LONGEST_S
    for number, ended in enumerate(io.BytesIO(data), start=1):
        line = ended.removesuffix(b"\n")
        if time.monotonic() > end:
            raise TimeoutError
        if pattern.holds(line) == ("v" in flags):
            continue
        shown = [line] if "o" not in flags else []
        for match in pattern.matches(line) if "o" in flags and "v" not in flags else ():
            if time.monotonic() > end:
                raise TimeoutError
            shown.append(match)
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
            work = partial(select, pattern, data, asked.flags)
            found = work() if len(data) <= LITTLE else await asyncio.to_thread(work)
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
