"""Children: ready by a deadline or refused, their last words told, stopped however they resist."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from manyhands.deploy.child_process import ChildProcess, run_program
from manyhands.protocol.errors import BadInput, CallError

ECHO = "import sys\nprint('{\"port\": 7}', flush=True)\nfor line in sys.stdin: print(line, end='', flush=True)"
DEAF = """
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('{}', flush=True)
while True: time.sleep(60)
"""


def child(tmp_path: Path, code: str, **options: object) -> ChildProcess:
    return ChildProcess("the child", (sys.executable, "-c", code), tmp_path / "logs" / "child.log", **options)  # type: ignore[arg-type]


async def test_a_child_is_ready_answers_and_ends_with_its_input(tmp_path: Path) -> None:
    async with child(tmp_path, ECHO) as echo:
        assert echo.ready == {"port": 7}
        await echo.write_line('{"said": "hello"}')
        assert await echo.read_json() == {"said": "hello"}
    assert echo.returncode == 0


async def test_a_child_that_heeds_nothing_is_killed(tmp_path: Path) -> None:
    async with child(tmp_path, DEAF, stop_s=0.1) as deaf:
        pass
    assert deaf.returncode == -signal.SIGKILL


async def test_a_child_without_input_is_asked_by_a_signal(tmp_path: Path) -> None:
    code = "import time; print('{}', flush=True); time.sleep(600)"
    async with child(tmp_path, code, ends_with_stdin=False) as sleeper:
        pass
    assert sleeper.returncode == -signal.SIGTERM


async def test_a_killed_child_can_be_started_again(tmp_path: Path) -> None:
    async with child(tmp_path, ECHO) as echo:
        first = echo.pid
        await echo.kill()
        assert echo.returncode == -signal.SIGKILL
        await echo.start()
        assert echo.pid != first
        assert echo.ready == {"port": 7}


@pytest.mark.parametrize(
    ("code", "error", "words"),
    [
        ("import sys; sys.exit('error: no such phone')", CallError, "ended with exit code 1: error: no such phone"),
        ("import sys; print('error: no phone', file=sys.stderr); sys.exit(2)", BadInput, "^no phone$"),
        ("print('hello')", CallError, "printed b'hello"),
        ('print(\'{"error": "no mosquitto"}\')', BadInput, "the child: no mosquitto"),
    ],
)
async def test_why_a_child_is_not_ready_is_told(tmp_path: Path, code: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        await child(tmp_path, code).start()


async def test_a_child_that_is_not_ready_in_time_is_stopped(tmp_path: Path) -> None:
    silent = child(tmp_path, "import time; time.sleep(600)", ready_s=0.2, stop_s=0.1)
    with pytest.raises(CallError, match="was not ready within 0 s"):
        await silent.start()
    assert silent.returncode is not None


async def test_output_may_go_to_a_file(tmp_path: Path) -> None:
    output = tmp_path / "out.json"
    printer = child(tmp_path, "print(3)", output=output)
    await printer.start()
    assert await printer.wait() == 0
    assert output.read_text() == "3\n"


async def test_a_program_is_run_to_its_end_or_killed() -> None:
    done = await run_program(sys.executable, "-c", "import os; print(os.environ['WORD'])", environment={"WORD": "x"})
    assert (done.code, done.output, done.errors) == (0, "x\n", "")
    with pytest.raises(TimeoutError):
        await run_program(sys.executable, "-c", "import time; time.sleep(600)", seconds=0.2)
