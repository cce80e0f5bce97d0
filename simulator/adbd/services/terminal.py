"""Run an interactive session: lines from stdin, one after another in one environment."""

from __future__ import annotations

from manyhands.simulator.shell.command import Environment, decode
from manyhands.simulator.shell.language.interpreter import Shell, ShellExit
from manyhands.simulator.shell.streams import Buffer, BytesInput, Reader, Stdio, Writer

PROMPT = b"virtual:/ $ "
END_OF_FILE = 0x04
INTERRUPT = 0x03
ERASE = (0x08, 0x7F)
MAX_LINE = 1 << 20


class Terminal:
    """Echo what a person types, handle erasing, and end output lines in CR LF."""

    def __init__(self, stdin: Reader, stdout: Writer) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._typed = bytearray()

    async def write(self, data: Buffer) -> None:
        await self._stdout.write(bytes(data).replace(b"\n", b"\r\n"))

    async def read(self) -> bytes:
        """Return the next line with its newline; b"" at Ctrl-D on an empty line, or if the client has gone."""
        line = bytearray()
        while True:
            if not self._typed:
                self._typed += await self._stdin.read()
                if not self._typed:
                    return bytes(line)
            key = self._typed.pop(0)
            if key == END_OF_FILE and not line:
                return b""
            if key in (0x0A, 0x0D):
                await self._stdout.write(b"\r\n")
                return bytes(line + b"\n")
            if key == INTERRUPT:
                await self._stdout.write(b"^C\r\n")
                return b"\n"
            if key in ERASE:
                if line:
                    line.pop()
                    await self._stdout.write(b"\b \b")
            elif key >= 0x20 and len(line) < MAX_LINE:
                line.append(key)
                await self._stdout.write(bytes([key]))


class Lines:
    """Split what a client pipes into ``adb shell`` into lines."""

    def __init__(self, stdin: Reader) -> None:
        self._stdin = stdin
        self._rest = bytearray()

    async def read(self) -> bytes:
        """Return the next line with its newline, a last line without one, and then b""."""
        while b"\n" not in self._rest and len(self._rest) < MAX_LINE:
            piece = await self._stdin.read()
            if not piece:
                break
            self._rest += piece
        end = self._rest.find(b"\n") + 1 or len(self._rest)
        line = bytes(self._rest[:end])
        del self._rest[:end]
        return line


async def run_lines(shell: Shell, stdio: Stdio, terminal: Terminal | None) -> int:
    """Run lines until the input ends or a line is ``exit``. Return the status of the last line.

    The ledger gets a row for each line. Commands of a session have no input.
    """
    environment = Environment()
    lines: Reader = terminal or Lines(stdio.stdin)
    while True:
        if terminal is not None:
            await stdio.stdout.write(PROMPT)
        line = await lines.read()
        if not line:
            return environment.status
        try:
            text = decode(line.rstrip(b"\r\n"))
            environment.status = await shell.run(text, Stdio(BytesInput(b""), stdio.stdout, stdio.stderr), environment)
        except ShellExit as ended:
            return ended.status
