"""Commands that make and cut text: echo, printf, head, tail, wc, base64."""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
from collections import deque
from collections.abc import Sequence

from manyhands.simulator.shell.command import FAILED, Call, Command, encode
from manyhands.simulator.shell.commands.files import refuse

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}

PIECE = 1 << 16


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
    form, rest = unescape(call.args[0]), deque(call.args[1:])

    def fill(match: re.Match[str]) -> str:
        if match.group() == "%%":
            return "%"
        return rest.popleft() if rest else "0" if match.group() == "%d" else ""

    output, ended = "", False
    while not ended:
        before = len(rest)
        output += re.sub(r"%[sd%]", fill, form)
        ended = not rest or len(rest) == before
        if output and (ended or len(output) > PIECE):
            await call.stdio.stdout.write(encode(output))
            await asyncio.sleep(0)
            output = ""
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
    "head": Command(head_or_tail),
    "tail": Command(head_or_tail),
    "wc": Command(wc),
    "base64": Command(base64_),
}
