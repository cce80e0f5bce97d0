"""Serve ``shell:``, ``shell,v2:`` and ``exec:``.

With ``v2``, packets carry stdout, stderr and the exit status. Without it, and in ``exec``, stdout and stderr share one
raw stream, and there is no status. A terminal (``pty``) has only what a person at ``adb shell`` needs.
"""

from __future__ import annotations

from manyhands.simulator.adbd.services.terminal import Terminal, run_lines
from manyhands.simulator.adbd.shell_packets import HEADER, Kind, PacketReader, PacketWriter
from manyhands.simulator.adbd.stream import Stream
from manyhands.simulator.shell.language.interpreter import Shell
from manyhands.simulator.shell.streams import Reader, Stdio, Writer

EXEC_LINGER_S = 10.0
"""Seconds that a command may go on after ``adb exec-in`` has closed the stream. It does so when its own input ends."""


async def shell_service(shell: Shell, options: frozenset[str], command: str, stream: Stream) -> None:
    """Serve ``shell[,v2][,TERM=x][,raw|,pty]:COMMAND``. Without a command, run an interactive session."""
    packets = "v2" in options
    stdin: Reader = PacketReader(stream) if packets else stream
    stdout: Writer = PacketWriter(stream, Kind.STDOUT) if packets else stream
    stderr: Writer = PacketWriter(stream, Kind.STDERR) if packets else stream
    with_terminal = "pty" in options or (not packets and not command and "raw" not in options)
    if with_terminal:
        terminal = Terminal(stdin, stdout)
        stdio = Stdio(terminal, terminal, terminal)
    else:
        terminal = None
        stdio = Stdio(stdin, stdout, stderr)
    status = await (shell.run(command, stdio) if command else run_lines(shell, stdio, terminal))
    if packets:
        await stream.write_packet(HEADER.pack(Kind.EXIT, 1), bytes([status & 0xFF]))


async def exec_service(shell: Shell, command: str, stream: Stream) -> None:
    """Serve ``exec:COMMAND``, with raw bytes in both directions."""
    stream.linger_s = EXEC_LINGER_S
    await shell.run(command, Stdio(stream, stream, stream))
