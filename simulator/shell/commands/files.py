"""Commands on the phone's own files: ls, cat, rm, mkdir, cp, mv, touch, stat, df, ..."""

from __future__ import annotations

import hashlib
import posixpath
import time
from collections.abc import Sequence

from manyhands.simulator.shell.command import FAILED, Call, Command
from manyhands.simulator.system.files import Entry

PERMISSIONS = "rwx"


def split_options(args: Sequence[str]) -> tuple[set[str], list[str]]:
    """Single-letter options (also joined, ``-rf``), and the other arguments; ``--`` ends options."""
    options: set[str] = set()
    rest: list[str] = []
    for index, arg in enumerate(args):
        if arg == "--":
            return options, [*rest, *args[index + 1 :]]
        if arg.startswith("-") and len(arg) > 1:
            options |= set(arg[1:])
        else:
            rest.append(arg)
    return options, rest


async def refuse(call: Call, name: str, error: OSError) -> int:
    await call.complain(f"{call.name}: {name}: {error.strerror}")
    return FAILED


# ---------------------------------------------------------------------------- looking
def long_line(name: str, entry: Entry) -> str:
    """A line of ``ls -l``."""
    bits = "".join(mark if entry.mode >> (8 - i) & 1 else "-" for i, mark in enumerate(PERMISSIONS * 3))
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(entry.mtime))
    return f"{'d' if entry.is_directory else '-'}{bits} 1 shell shell {entry.size} {when} {name}"


async def ls(call: Call) -> int:
    options, names = split_options(call.args)
    status = 0
    lines: list[str] = []
    for name in names or ["."]:
        try:
            path = call.path(name)
            entry = call.phone.files.entry(path)
            rows = [(name, entry)]
            if entry.is_directory and "d" not in options:
                rows = [row for row in call.phone.files.children(path) if "a" in options or row[0][0] != "."]
                if len(names) > 1:
                    lines.append(f"{name}:")
                if "l" in options:
                    lines.append(f"total {sum(row[1].size // 512 for row in rows)}")
            lines += [long_line(*row) if "l" in options else row[0] for row in rows]
        except OSError as error:
            status = await refuse(call, name, error)
    if lines:
        await call.print("\n".join(lines))
    return status


async def cat(call: Call) -> int:
    _, names = split_options(call.args)
    status = 0
    for name in names or ["-"]:
        try:
            data = await call.read_input() if name == "-" else call.phone.files.read(call.path(name))
        except OSError as error:
            status = await refuse(call, name, error)
            continue
        if data:
            await call.stdio.stdout.write(data)
    return status


async def stat(call: Call) -> int:
    """``stat [-c FORMAT] FILE...`` with %s %n %Y %F %a."""
    args = list(call.args)
    form = "  File: %n\n  Size: %s\t%F"
    if args[:1] == ["-c"]:
        form = args[1] if len(args) > 1 else ""
        del args[:2]
    status = 0
    for name in args:
        try:
            entry = call.phone.files.entry(call.path(name))
        except OSError as error:
            status = await refuse(call, name, error)
            continue
        kind = "directory" if entry.is_directory else "regular file"
        values = {"%s": entry.size, "%n": name, "%Y": entry.mtime, "%F": kind, "%a": f"{entry.mode & 0o777:o}"}
        line = form
        for mark, value in values.items():
            line = line.replace(mark, str(value))
        await call.print(line)
    return status


async def md5sum(call: Call) -> int:
    status = 0
    for name in call.args or ("-",):
        try:
            data = await call.read_input() if name == "-" else call.phone.files.read(call.path(name))
        except OSError as error:
            status = await refuse(call, name, error)
            continue
        await call.print(f"{hashlib.md5(data, usedforsecurity=False).hexdigest()}  {name}")
    return status


async def df(call: Call) -> int:
    await call.print(
        "Filesystem     1K-blocks    Used Available Use% Mounted on\n"
        "/dev/fuse        6082144 1042144   5040000  18% /storage/emulated"
    )
    return 0


# ---------------------------------------------------------------------------- changing
async def rm(call: Call) -> int:
    options, names = split_options(call.args)
    status = 0
    for name in names:
        path = call.path(name)
        try:
            if options & {"r", "R"}:
                call.phone.files.remove_tree(path)
            else:
                call.phone.files.remove(path)
        except OSError as error:
            if not (isinstance(error, FileNotFoundError) and "f" in options):
                status = await refuse(call, name, error)
    return status


async def mkdir(call: Call) -> int:
    options, names = split_options(call.args)
    status = 0
    for name in names:
        try:
            call.phone.files.make_directory(call.path(name), parents="p" in options)
        except OSError as error:
            status = await refuse(call, name, error)
    return status


async def touch(call: Call) -> int:
    _, names = split_options(call.args)
    status = 0
    for name in names:
        try:
            path = call.path(name)
            call.phone.files.write(path, call.phone.files.read(path) if call.phone.files.exists(path) else b"")
        except OSError as error:
            status = await refuse(call, name, error)
    return status


async def copy_or_move(call: Call) -> int:
    """``cp`` and ``mv`` of files, and ``mv`` of directories."""
    _, names = split_options(call.args)
    if len(names) < 2:
        await call.complain(f"{call.name}: Needs 2 arguments")
        return FAILED
    files = call.phone.files
    *sources, target = names
    place = call.path(target)
    status = 0
    for source in sources:
        path = call.path(source)
        try:
            into = files.exists(place) and files.entry(place).is_directory
            goal = f"{place}/{posixpath.basename(path)}" if into else place
            if call.name == "mv":
                files.move(path, goal)
            else:
                files.write(goal, files.read(path))
        except OSError as error:
            status = await refuse(call, source, error)
    return status


async def accept(call: Call) -> int:
    """``chmod`` and ``sync`` have nothing to do here."""
    return 0


COMMANDS = {
    "ls": Command(ls),
    "cat": Command(cat),
    "stat": Command(stat),
    "md5sum": Command(md5sum),
    "df": Command(df),
    "rm": Command(rm),
    "mkdir": Command(mkdir),
    "touch": Command(touch),
    "cp": Command(copy_or_move),
    "mv": Command(copy_or_move),
    "chmod": Command(accept),
    "sync": Command(accept),
}
