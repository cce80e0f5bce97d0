"""Commands that make and filter text: echo, printf, grep, head, tail, wc, base64."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence

from simulator.shell.command import FAILED, Call, Command, decode, encode
from simulator.shell.commands.files import refuse

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
GREP_OPTIONS = "EFGHhaivcoqnwlsx"
TROUBLE = 2


def unescape(text: str) -> str:
    """Backslash escapes of ``echo -e`` and ``printf``."""
    return re.sub(r"\\([ntr\\abfv])", lambda match: ESCAPES[match.group(1)], text)


async def echo(call: Call) -> int:
    args = list(call.args)
    newline, escapes = "\n", False
    while args and re.fullmatch(r"-[neE]+", args[0]):
        flags = args.pop(0)
        newline = "" if "n" in flags else newline
        escapes = ("e" in flags) or (escapes and "E" not in flags)
    text = " ".join(args)
    data = encode((unescape(text) if escapes else text) + newline)
    if data:
        await call.stdio.stdout.write(data)
    return 0


async def printf(call: Call) -> int:
    """Only ``%s``, ``%d`` and ``%%``; the format is used again while arguments are left."""
    if not call.args:
        await call.complain("usage: printf FORMAT [ARGUMENT...]")
        return FAILED
    form, rest = unescape(call.args[0]), list(call.args[1:])

    def fill(match: re.Match[str]) -> str:
        if match.group() == "%%":
            return "%"
        return rest.pop(0) if rest else "0" if match.group() == "%d" else ""

    output = re.sub(r"%[sd%]", fill, form)
    before = -1
    while rest and len(rest) != before:
        before = len(rest)
        output += re.sub(r"%[sd%]", fill, form)
    if output:
        await call.stdio.stdout.write(encode(output))
    return 0


async def inputs(call: Call, names: Sequence[str]) -> tuple[list[tuple[str, bytes]], int]:
    """(name, content) of each file, or of stdin; and the status so far."""
    found: list[tuple[str, bytes]] = []
    status = 0
    for name in names or ["-"]:
        try:
            data = await call.read_input() if name == "-" else call.phone.files.read(call.path(name))
            found.append((name, data))
        except OSError as error:
            status = await refuse(call, name, error)
    return found, status


# ---------------------------------------------------------------------------- grep
def basic_to_extended(pattern: str) -> str:
    """A basic regular expression with the meaning of ``+ ? { } ( ) |`` and their escapes swapped."""
    return re.sub(
        r"\\([+?{}()|])|([+?{}()|])|\\(.)",
        lambda match: match.group(1) or (f"\\{match.group(2)}" if match.group(2) else match.group()),
        pattern,
    )


def grep_pattern(name: str, options: set[str], patterns: Sequence[str]) -> re.Pattern[str]:
    """Raises re.error."""
    lines = [line for pattern in patterns for line in pattern.split("\n")]
    if "F" in options or name == "fgrep":
        lines = [re.escape(line) for line in lines]
    elif not ("E" in options or name == "egrep"):
        lines = [basic_to_extended(line) for line in lines]
    joined = "|".join(f"(?:{line})" for line in lines)
    if "x" in options:
        joined = f"^(?:{joined})$"
    elif "w" in options:
        joined = rf"\b(?:{joined})\b"
    return re.compile(joined, re.IGNORECASE if "i" in options else 0)


def grep_arguments(args: Sequence[str]) -> tuple[set[str], list[str], list[str]] | str:
    """(options, patterns, files), or the option that is not known."""
    options: set[str] = set()
    patterns: list[str] = []
    names: list[str] = []
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        if arg == "--":
            names += rest
            break
        if arg.startswith("-e") or (arg.startswith("-") and arg.endswith("e") and set(arg[1:-1]) <= set(GREP_OPTIONS)):
            patterns.append(arg[2:] if arg.startswith("-e") and len(arg) > 2 else rest.pop(0) if rest else "")
            options |= set() if arg.startswith("-e") else set(arg[1:-1])
        elif arg.startswith("-") and len(arg) > 1:
            if not set(arg[1:]) <= set(GREP_OPTIONS):
                return arg
            options |= set(arg[1:])
        else:
            names.append(arg)
    if not patterns and names:
        patterns.append(names.pop(0))
    return options, patterns, names


async def grep(call: Call) -> int:
    parsed = grep_arguments(call.args)
    if isinstance(parsed, str) or not parsed[1]:
        await call.complain(f"{call.name}: {'no REGEX' if not isinstance(parsed, str) else f'Unknown option {parsed}'}")
        return TROUBLE
    options, patterns, names = parsed
    try:
        pattern = grep_pattern(call.name, options, patterns)
    except re.error as error:
        await call.complain(f"{call.name}: bad REGEX: {error}")
        return TROUBLE
    sources, status = await inputs(call, names)
    lines: list[str] = []
    matches = 0
    for name, data in sources:
        prefix = f"{name}:" if len(names) > 1 and "h" not in options else ""
        found = [
            (number, line, match)
            for number, line in enumerate(decode(data).splitlines(), start=1)
            if ((match := pattern.search(line)) is None) == ("v" in options)
        ]
        matches += len(found)
        if "l" in options:
            lines += [name] if found else []
        elif "c" in options:
            lines.append(f"{prefix}{len(found)}")
        else:
            for number, line, match in found:
                shown = match.group() if match is not None and "o" in options else line
                lines.append(prefix + (f"{number}:" if "n" in options else "") + shown)
    if lines and "q" not in options:
        await call.print("\n".join(lines))
    return (0 if matches else FAILED) if status == 0 else TROUBLE


# ---------------------------------------------------------------------------- head, tail, wc, base64
async def head_or_tail(call: Call) -> int:
    """``-n N`` or ``-N`` lines, ``-c N`` bytes."""
    count, by_bytes = 10, False
    names: list[str] = []
    rest = list(call.args)
    while rest:
        arg = rest.pop(0)
        number = arg.lstrip("-nc") or (rest.pop(0) if arg in ("-n", "-c") and rest else "")
        if not arg.startswith("-") or arg == "-":
            names.append(arg)
        elif number.isdecimal():
            count, by_bytes = int(number), arg.startswith("-c")
        else:
            await call.complain(f"{call.name}: bad count {arg}")
            return FAILED
    sources, status = await inputs(call, names)
    for _, data in sources:
        units: Sequence[bytes] | bytes = data if by_bytes else data.splitlines(keepends=True)
        kept = units[:count] if call.name == "head" else units[max(0, len(units) - count) :]
        output = kept if isinstance(kept, bytes) else b"".join(kept)
        if output:
            await call.stdio.stdout.write(output)
    return status


async def wc(call: Call) -> int:
    options = {letter for arg in call.args if arg.startswith("-") for letter in arg[1:]} or {"l", "w", "c"}
    sources, status = await inputs(call, [arg for arg in call.args if not arg.startswith("-")])
    for name, data in sources:
        counts = {"l": data.count(b"\n"), "w": len(data.split()), "c": len(data)}
        shown = [str(counts[letter]) for letter in "lwc" if letter in options]
        await call.print(" ".join(shown + ([name] if name != "-" else [])))
    return status


async def base64_(call: Call) -> int:
    """``base64 [-d] [-w COLUMNS] [FILE]``; 76 columns unless told."""
    rest = list(call.args)
    columns = 76
    for mark in ("-w", "--wrap"):
        if mark in rest[:-1] and rest[rest.index(mark) + 1].isdecimal():
            columns = int(rest[rest.index(mark) + 1])
            del rest[rest.index(mark) : rest.index(mark) + 2]
    sources, status = await inputs(call, [arg for arg in rest if not arg.startswith("-")])
    for _, data in sources:
        if "-d" in rest:
            try:
                output = base64.b64decode(b"".join(data.split()), validate=True)
            except binascii.Error:
                await call.complain("base64: bad input")
                return FAILED
        else:
            text = base64.b64encode(data)
            width = columns or max(1, len(text))
            output = b"".join(text[at : at + width] + b"\n" for at in range(0, len(text), width))
        if output:
            await call.stdio.stdout.write(output)
    return status


COMMANDS = {
    "echo": Command(echo),
    "printf": Command(printf),
    "grep": Command(grep),
    "egrep": Command(grep),
    "fgrep": Command(grep),
    "head": Command(head_or_tail),
    "tail": Command(head_or_tail),
    "wc": Command(wc),
    "base64": Command(base64_),
}
