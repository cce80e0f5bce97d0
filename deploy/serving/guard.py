"""``python guard.py GRACE COMMAND ...``: runs a command that ends when our standard input closes, however that came.

A supervisor that is killed hard cannot stop what it started, but the kernel closes its pipes. So between it and each
server stands this: it starts the server as a group of its own, and when its own input ends, or a signal asks it to,
it ends the server (SIGTERM; after GRACE seconds SIGKILL), and then what the server has left of its group, because a
model server has worker processes. It prints the server's pid on a line, and ends as the server ended. Not covered:
this process killed hard as well.
It imports nothing of ours, so that it starts at once.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence

_LEFT_OVER_S = 3.0
_LOOK_EVERY_S = 0.05


async def guard(command: Sequence[str], grace_s: float) -> int:
    """The command's exit code; 128 + n after signal n.

    The sockets by which a server's processes talk lie in a folder of their own, which goes when they have: vLLM
    leaves them behind, and else they would lie where everybody's files do.
    """
    with tempfile.TemporaryDirectory(prefix="manyhands-", ignore_cleanup_errors=True) as sockets:
        return await _guarded(command, grace_s, {"VLLM_RPC_BASE_PATH": sockets, **os.environ})


async def _guarded(command: Sequence[str], grace_s: float, environment: Mapping[str, str]) -> int:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    # A terminal's Ctrl-C is for the supervisor, which then closes our input; we are in its group no more.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=sys.stderr, env=environment, start_new_session=True
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
            # It tells its workers itself, in order.
            process.terminate()
            await asyncio.wait((ended,), timeout=grace_s)
            if not ended.done():
                process.kill()
        code = await ended
        await _end_group(process.pid)
        closed.cancel()
        told.cancel()
    return code if code >= 0 else 128 - code


async def _read_to_end(reader: asyncio.StreamReader) -> None:
    while await reader.read(1024):
        pass


async def _end_group(group: int) -> None:
    """End what a server that has ended left behind: workers of one that crashed, or that was killed."""
    rounds = round(_LEFT_OVER_S / _LOOK_EVERY_S)
    for number in (signal.SIGTERM, *[0] * rounds, signal.SIGKILL):
        try:
            os.killpg(group, number)
        except ProcessLookupError:
            return
        await asyncio.sleep(_LOOK_EVERY_S)


if __name__ == "__main__":
    sys.exit(asyncio.run(guard(sys.argv[2:], float(sys.argv[1]))))
