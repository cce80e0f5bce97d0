"""Provide commands that print and cut text: echo, printf, head, tail, wc, base64."""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from manyhands.simulator.shell.command import FAILED, Call, Command, encode

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def unescape(text: str) -> str:
    """Replace the backslash escapes of ``echo -e`` and ``printf``."""
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
    """Print arguments in a format that has only ``%s``, ``%d`` and ``%%``. Repeat it while arguments are left."""
    if not call.args:
        await call.complain("usage: printf FORMAT [ARGUMENT...]")
        return FAILED
    form, rest = unescape(call.args[0]), deque(call.args[1:])

    def fill(match: re.Match[str]) -> str:
        if match.group() == "%%":
            return "%"
        return rest.popleft() if rest else "0" if match.group() == "%d" else ""

    while True:
        before = len(rest)
        await call.stdio.stdout.write(encode(re.sub(r"%[sd%]", fill, form)))
        await asyncio.sleep(0)
        if not rest or len(rest) == before:
            return 0


# ---------------------------------------------------------------------------- head, tail, wc, base64
async def head_or_tail(call: Call) -> int:
    """Print the first lines (``head``) or the last ones (``tail``): ``-n N`` or ``-N`` lines, or ``-c N`` bytes."""
    args = tuple(re.sub(r"^-(?=\d)", "-n", arg) for arg in call.args)
    options, names = replace(call, args=args).options("n:c:q")
    by_bytes = "-c" in options
    count = options.get("-c" if by_bytes else "-n", "10")
    if not count.isdecimal():
        await call.complain(f"{call.name}: bad count {count}")
        return FAILED
    number = int(count)
    sources, status = await call.contents(names)
    for _, data in sources:
        units: Sequence[bytes] | bytes = data if by_bytes else data.splitlines(keepends=True)
        kept = units[:number] if call.name == "head" else units[max(0, len(units) - number) :]
        output = kept if isinstance(kept, bytes) else b"".join(kept)
        if output:
            await call.stdio.stdout.write(output)
    return status


async def wc(call: Call) -> int:
    options, names = call.options("lwc")
    sources, status = await call.contents(names)
    for name, data in sources:
        counts = {"-l": data.count(b"\n"), "-w": len(data.split()), "-c": len(data)}
        shown = [str(count) for letter, count in counts.items() if letter in (options or counts)]
        await call.print(" ".join(shown + ([name] if name != "-" else [])))
    return status


async def base64_(call: Call) -> int:
    """Run ``base64 [-d] [-w COLUMNS] [FILE]``: encode in lines of 76 or COLUMNS characters, or decode with ``-d``."""
    options, names = call.options("diw:")
    columns = options.get("-w", "76")
    sources, status = await call.contents(names)
    for _, data in sources:
        if "-d" in options:
            try:
                output = base64.b64decode(b"".join(data.split()), validate=True)
            except binascii.Error:
                await call.complain("base64: bad input")
                return FAILED
        else:
            text = base64.b64encode(data)
            width = (int(columns) if columns.isdecimal() else 0) or max(1, len(text))
            output = b"".join(text[at : at + width] + b"\n" for at in range(0, len(text), width))
        if output:
            await call.stdio.stdout.write(output)
    return status


COMMANDS = {
    "echo": Command(echo),
    "printf": Command(printf),
    "head": Command(head_or_tail),
    "tail": Command(head_or_tail),
    "wc": Command(wc),
    "base64": Command(base64_),
}
