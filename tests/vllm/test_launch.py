"""``manyhands mllm`` with the installed vLLM: its printed commands are understood, and what it starts serves."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from manyhands.actors.mllm import ModelClient, ModelSettings, served_name
from tests.vllm.asking import started, within
from tests.vllm.conftest import MakeModel
from tests.vllm.many import varied
from tests.vllm.server import START_TIMEOUT_S, free_port, shared_memory

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "deploy" / "serving" / "golden"


def test_vllms_own_parser_takes_every_golden_command(vllm: Path) -> None:
    golden = sorted(str(path) for path in GOLDEN.iterdir())
    assert golden
    done = subprocess.run(
        [str(vllm.with_name("python")), str(HERE / "check_flags.py"), *golden], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


async def test_what_mllm_starts_serves_comes_back_and_ends(vllm: Path, tiny_model: MakeModel, tmp_path: Path) -> None:
    model = tiny_model("qwen3_vl")
    options = ["--model", str(model), "--gpus", "0", "--port", str(free_port()), "--vllm", str(vllm), "--offline"]
    async with mllm(options, tmp_path) as launched:
        first = await event(launched, "ready")
        (url,) = (await event(launched, "serving"))["urls"]
        settings = ModelSettings(urls=(url,), max_attempts=200)
        named = settings.model_copy(update={"model": await served_name(settings)})
        async with started(ModelClient(named)) as client:
            await ask(client)
            shared = shared_memory(first["pid"])
            os.kill(first["pid"], signal.SIGKILL)
            await event(launched, "died")
            second = await event(launched, "ready")
            assert second["pid"] != first["pid"]
            await ask(client)
        launched.terminate()
        await event(launched, "stopped")
        await asyncio.wait_for(launched.wait(), 60)
    for path in shared:  # what a server that is killed leaves behind
        path.unlink(missing_ok=True)
    assert not Path(f"/proc/{second['pid']}").exists()


async def ask(client: ModelClient) -> None:
    """Some requests of all roles, whose replies can be read."""
    for one in varied(4, client.dialect, seed=3):
        one.read((await client.complete(one.role, one.prompt, one.reply, one.route, within())).text)


@asynccontextmanager
async def mllm(options: list[str], folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """``manyhands mllm`` while the context is open; its log is shown by pytest where a test fails."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "manyhands", "mllm", *options, "--json"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "MANYHANDS_STATE_DIR": str(folder)},
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def event(process: asyncio.subprocess.Process, kind: str) -> dict[str, Any]:
    """The next event of that kind; others are passed over."""
    assert process.stdout is not None
    async with asyncio.timeout(START_TIMEOUT_S):
        while line := await process.stdout.readline():
            told: dict[str, Any] = json.loads(line)
            if told["event"] == kind:
                return told
    raise AssertionError(f"mllm ended without the event {kind!r}")
