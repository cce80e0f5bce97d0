"""``python guard.py GRACE COMMAND ...``: runs a command until standard input closes.

A supervisor that is killed with SIGKILL cannot stop what it started, but the kernel closes its pipes. So this process
stands between it and each server: it starts the server as a process group, and when its own input ends, or a signal
asks for it, it ends the server (SIGTERM; after GRACE seconds SIGKILL), and then what is left of the group, because a
model server has worker processes. It prints the server's pid on a line, and ends with the server's exit code. SIGKILL
for this process as well is not covered. It imports nothing of Manyhands, so that it starts at once.
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
    """Run a command and return its exit code; 128 + n after signal n.

    The sockets between a server's processes lie in a folder of their own, which is removed afterwards, because vLLM
    leaves them behind.
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
        signalled = tasks.create_task(stop.wait())
        await asyncio.wait((ended, closed, signalled), return_when=asyncio.FIRST_COMPLETED)
        if not ended.done():
            # It ends its workers itself, in order.
            process.terminate()
            await asyncio.wait((ended,), timeout=grace_s)
            if not ended.done():
                process.kill()
        code = await ended
        await _end_group(process.pid)
        closed.cancel()
        signalled.cancel()
    return code if code >= 0 else 128 - code


async def _read_to_end(reader: asyncio.StreamReader) -> None:
    while await reader.read(1024):
        pass


async def _end_group(group: int) -> None:
    """End what a server that crashed or was killed has left behind: its workers."""
    rounds = round(_LEFT_OVER_S / _LOOK_EVERY_S)
    for number in (signal.SIGTERM, *[0] * rounds, signal.SIGKILL):
        try:
            os.killpg(group, number)
        except ProcessLookupError:
            return
        await asyncio.sleep(_LOOK_EVERY_S)


if __name__ == "__main__":
    sys.exit(asyncio.run(guard(sys.argv[2:], float(sys.argv[1]))))
