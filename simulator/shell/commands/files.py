"""Provide commands on the phone's files: ls, cat, stat, md5sum, df, rm, mkdir, touch, cp, mv."""

from __future__ import annotations

import hashlib
import posixpath
import time

from manyhands.simulator.shell.command import FAILED, Call, Command, prints
from manyhands.simulator.system.files import Entry
from manyhands.simulator.system.phone_system import STORAGE_KB

PERMISSIONS = "rwx"
DISKS = (("/dev/block/dm-5", "/data"), ("/dev/fuse", "/storage/emulated"))
"""File systems and where they are mounted. As on a real phone, both are names of the same storage."""


# ---------------------------------------------------------------------------- looking
def long_line(name: str, entry: Entry) -> str:
    """Return the line that ``ls -l`` prints for an entry."""
    bits = "".join(mark if entry.mode >> (8 - i) & 1 else "-" for i, mark in enumerate(PERMISSIONS * 3))
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(entry.mtime))
    return f"{'d' if entry.is_directory else '-'}{bits} 1 shell shell {entry.size} {when} {name}"


async def ls(call: Call) -> int:
    options, names = call.options("1adl")
    lines: list[str] = []

    async def look(name: str) -> None:
        entry = call.phone.files.entry(call.path(name))
        rows = [(name, entry)]
        if entry.is_directory and "-d" not in options:
            rows = [row for row in call.phone.files.children(call.path(name)) if "-a" in options or row[0][0] != "."]
            if len(names) > 1:
                lines.append(f"{name}:")
            if "-l" in options:
                lines.append(f"total {sum(row[1].size // 512 for row in rows)}")
        lines.extend(long_line(*row) if "-l" in options else row[0] for row in rows)

    status = await call.each(names or ["."], look)
    if lines:
        await call.print("\n".join(lines))
    return status


async def cat(call: Call) -> int:
    async def show(name: str) -> None:
        data = await call.read(name)
        if data:
            await call.stdio.stdout.write(data)

    return await call.each(call.options("u")[1] or ["-"], show)


async def stat(call: Call) -> int:
    """Run ``stat [-c FORMAT] FILE...``. The format may have %s, %n, %Y, %F and %a."""
    options, names = call.options("c:")

    async def show(name: str) -> None:
        entry = call.phone.files.entry(call.path(name))
        kind = "directory" if entry.is_directory else "regular file"
        values = {"%s": entry.size, "%n": name, "%Y": entry.mtime, "%F": kind, "%a": f"{entry.mode & 0o777:o}"}
        line = options.get("-c", "  File: %n\n  Size: %s\t%F")
        for mark, value in values.items():
            line = line.replace(mark, str(value))
        await call.print(line)

    return await call.each(names, show)


async def md5sum(call: Call) -> int:
    async def show(name: str) -> None:
        await call.print(f"{hashlib.md5(await call.read(name), usedforsecurity=False).hexdigest()}  {name}")

    return await call.each(call.args or ("-",), show)


async def df(call: Call) -> int:
    """Print the storage of the file system of each given file; without files, of all file systems."""
    _, names = call.options("ahk")
    free = call.phone.free_kb
    used = STORAGE_KB - free
    asked = [call.path(name) for name in names]
    lines = ["Filesystem      1K-blocks     Used Available Use% Mounted on"]
    for device, place in DISKS:
        if not names or any(_mounted(path) == place for path in asked):
            lines.append(f"{device:<15} {STORAGE_KB:>9} {used:>8} {free:>9} {100 * used // STORAGE_KB:>3}% {place}")
    await call.print("\n".join(lines))
    return 0


def _mounted(path: str) -> str:
    return DISKS[0][1] if path == "/data" or path.startswith("/data/") else DISKS[1][1]


# ---------------------------------------------------------------------------- changing
async def rm(call: Call) -> int:
    options, names = call.options("frRv")
    files = call.phone.files
    remove = files.remove_tree if options.keys() & {"-r", "-R"} else files.remove

    async def work(name: str) -> None:
        if "-f" not in options or files.exists(call.path(name)):
            remove(call.path(name))

    return await call.each(names, work)


async def mkdir(call: Call) -> int:
    options, names = call.options("pm:")

    async def make(name: str) -> None:
        call.phone.files.make_directory(call.path(name), parents="-p" in options)

    return await call.each(names, make)


async def touch(call: Call) -> int:
    files = call.phone.files

    async def write(name: str) -> None:
        path = call.path(name)
        files.write(path, files.read(path) if files.exists(path) else b"")

    return await call.each(call.options("cam")[1], write)


async def copy_or_move(call: Call) -> int:
    """Copy files (``cp``), or move files and directories (``mv``)."""
    _, names = call.options("afprv")
    if len(names) < 2:
        await call.complain(f"{call.name}: Needs 2 arguments")
        return FAILED
    files, place = call.phone.files, call.path(names[-1])

    async def work(name: str) -> None:
        path = call.path(name)
        into = files.exists(place) and files.entry(place).is_directory
        goal = f"{place}/{posixpath.basename(path)}" if into else place
        if call.name == "mv":
            files.move(path, goal)
        else:
            files.write(goal, files.read(path))

    return await call.each(names[:-1], work)


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
    "chmod": prints(""),
    "sync": prints(""),
}
