"""``python guard.py COMMAND ...``: runs a command that ends when our standard input closes, however that came.

A supervisor that is killed hard cannot stop what it started, but the kernel closes its pipes. So between it and each
server stands this: it starts the server as a group of its own, and when its own input ends, or a signal asks it to,
it ends the whole group (SIGTERM, and SIGKILL after a while), because a model server has worker processes. It prints
the server's pid on a line, and ends as the server ended. Not covered: this process killed hard as well.
It imports nothing of ours, so that it starts at once.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence

GRACE_S = 20.0


async def guard(command: Sequence[str]) -> int:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    # A terminal's Ctrl-C is for the supervisor, which then closes our input; we are in its group no more.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=sys.stderr, start_new_session=True
    )
    sys.stdout.write(f"{process.pid}\n")
    sys.stdout.flush()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async with asyncio.TaskGroup() as tasks:
        ended = tasks.create_task(process.wait())
        closed = tasks.create_task(_read_to_end(reader))
        told = tasks.create_task(stop.wait())
        await asyncio.wait((ended, closed, told), return_when=asyncio.FIRST_COMPLETED)
        if not ended.done():
            _signal(process.pid, signal.SIGTERM)
            await asyncio.wait((ended,), timeout=GRACE_S)
        # Also what a server that died has left behind in its group.
        _signal(process.pid, signal.SIGKILL)
        code = await ended
        closed.cancel()
        told.cancel()
    return code if code >= 0 else 128 - code


async def _read_to_end(reader: asyncio.StreamReader) -> None:
    while await reader.read(1024):
        pass


def _signal(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return  # all of it has ended


if __name__ == "__main__":
    sys.exit(asyncio.run(guard(sys.argv[1:])))
