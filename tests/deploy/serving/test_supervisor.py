"""The supervisor with real child processes: loading, deaths, restarts, giving up, and nothing left behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.deploy import process_reaper
from manyhands.deploy.serving.supervisor import (
    Deaths,
    RestartBudget,
    ServerCommand,
    ServerEvent,
    ServerGivenUp,
    Supervisor,
    is_healthy,
)

LIFELIKE = Path(__file__).with_name("lifelike_server.py")
LIMIT_S = 60.0
USUAL = RestartBudget()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def command(**env: str) -> ServerCommand:
    port = free_port()
    argv = (sys.executable, str(LIFELIKE), "--host", "127.0.0.1", "--port", str(port))
    return ServerCommand(f"server-{port}", argv, "127.0.0.1", port, env, {"VLLM_API_KEY": "secret-word"})


def ask(port: int, what: str) -> Any:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/{what}", timeout=10) as answer:
        return json.load(answer)


async def crash(port: int) -> None:
    with contextlib.suppress(OSError):
        await asyncio.to_thread(ask, port, "die")


async def when_well(port: int) -> int:
    """The pid of the server's worker, as soon as it answers."""
    async with asyncio.timeout(LIMIT_S):
        while not await is_healthy("127.0.0.1", port):
            await asyncio.sleep(0.02)
    return int(await asyncio.to_thread(ask, port, "worker"))


async def gone(pid: int) -> None:
    async with asyncio.timeout(LIMIT_S):
        while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]:
            await asyncio.sleep(0.02)


@dataclass
class StillClock:
    """Time that passes only in sleep, at once."""

    time: float = 0.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)


class Watched:
    """A supervisor that runs in the background, and the events that it told."""

    def __init__(self, *commands: ServerCommand, logs: Path, patience: RestartBudget = USUAL) -> None:
        self.commands = commands
        self.clock = StillClock()
        self.events: asyncio.Queue[ServerEvent] = asyncio.Queue()
        self.supervisor = Supervisor(commands, logs, self.clock, self.events.put_nowait, patience)
        self.task: asyncio.Task[None] | None = None

    async def next(self, kind: str) -> ServerEvent:
        """The next event of that kind; fails at once if the supervisor ends before it."""
        assert self.task is not None
        async with asyncio.timeout(LIMIT_S):
            while True:
                waiting = asyncio.create_task(self.events.get())
                await asyncio.wait((waiting, self.task), return_when=asyncio.FIRST_COMPLETED)
                if not waiting.done():
                    waiting.cancel()
                    await self.task
                    raise AssertionError("the supervisor ended")
                if waiting.result().kind == kind:
                    return waiting.result()


@contextlib.asynccontextmanager
async def running(*commands: ServerCommand, logs: Path, patience: RestartBudget = USUAL) -> AsyncIterator[Watched]:
    watched = Watched(*commands, logs=logs, patience=patience)
    watched.task = asyncio.create_task(watched.supervisor.run())
    try:
        yield watched
    finally:
        watched.task.cancel()
        await asyncio.wait((watched.task,))


async def test_servers_come_up_with_their_environment_and_end_with_their_workers(tmp_path: Path) -> None:
    first, second = command(), command(HF_HUB_OFFLINE="1")
    pids = []
    async with running(first, second, logs=tmp_path) as watched:
        ready = {(await watched.next("ready")).url for _ in range(2)}
        assert ready == {first.url, second.url}
        for one in (first, second):
            assert await asyncio.to_thread(ask, one.port, "key") == "secret-word"
            pids += [await asyncio.to_thread(ask, one.port, what) for what in ("pid", "worker")]
    for pid in pids:
        await gone(pid)
    log = (tmp_path / f"{first.name}.log").read_text()
    assert "loading the weights" in log
    assert "secret-word" not in log


async def test_the_key_is_on_no_command_line(tmp_path: Path) -> None:
    one = command()
    async with running(one, logs=tmp_path) as watched:
        await watched.next("ready")
        for line in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                assert b"secret-word" not in line.read_bytes()


async def test_a_server_that_dies_is_started_again_and_its_worker_is_not_left(tmp_path: Path) -> None:
    one, other = command(), command()
    async with running(one, other, logs=tmp_path) as watched:
        for _ in range(2):
            await watched.next("ready")
        untouched = await asyncio.to_thread(ask, other.port, "pid")
        worker = await asyncio.to_thread(ask, one.port, "worker")
        await crash(one.port)
        died = await watched.next("died")
        assert (died.server, died.detail) == (one.name, "ended with exit code 7: served /worker; starting again in 2 s")
        assert (await watched.next("ready")).server == one.name
        await gone(worker)
        # A kill from outside, as the kernel does when memory is short.
        os.kill(await asyncio.to_thread(ask, one.port, "pid"), signal.SIGKILL)
        assert "exit code 137" in (await watched.next("died")).detail
        assert (await watched.next("ready")).server == one.name
        assert await asyncio.to_thread(ask, other.port, "pid") == untouched
        assert watched.clock.slept == [2.0, 4.0]


def test_the_reaper_kills_what_does_not_listen() -> None:
    one = command()
    process = subprocess.Popen(
        [*process_reaper.COMMAND, "run", "0.2", *one.argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "LIFELIKE_STUBBORN": "1"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    pid = int(process.stdout.readline())
    assert process.stderr.readline() == b"loading the weights\n"
    worker = asyncio.run(when_well(one.port))
    process.stdin.close()
    assert process.wait(LIMIT_S) == 128 + signal.SIGKILL
    for each in (pid, worker):
        asyncio.run(gone(each))


async def test_deaths_without_end_are_given_up_and_the_others_end_too(tmp_path: Path) -> None:
    one, other = command(), command()
    patience = RestartBudget(deaths=2)
    async with running(one, other, logs=tmp_path, patience=patience) as watched:
        for _ in range(2):
            await watched.next("ready")
        innocent = await asyncio.to_thread(ask, other.port, "pid")
        await crash(one.port)
        await watched.next("ready")
        await crash(one.port)
        assert watched.task is not None
        with pytest.raises(ServerGivenUp, match=f"{one.name} died 2 times within 10 minutes"):
            async with asyncio.timeout(LIMIT_S):
                await watched.task
        await gone(innocent)


async def test_a_server_that_never_was_well_is_not_tried_again(tmp_path: Path) -> None:
    one = command(LIFELIKE_FAIL="unrecognized arguments: --frobnicate")
    async with running(one, logs=tmp_path) as watched:
        assert watched.task is not None
        with pytest.raises(ServerGivenUp, match=r"exit code 3: ERROR unrecognized arguments: --frobnicate before it"):
            async with asyncio.timeout(LIMIT_S):
                await watched.task
        assert watched.clock.slept == []


async def test_a_port_that_is_taken_is_said_before_anything_is_loaded(tmp_path: Path) -> None:
    one = command()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", one.port))
        taken.listen()
        async with running(one, logs=tmp_path) as watched:
            assert watched.task is not None
            with pytest.raises(ServerGivenUp, match="something listens on"):
                async with asyncio.timeout(LIMIT_S):
                    await watched.task
    assert not (tmp_path / f"{one.name}.log").exists()


async def test_what_cannot_be_executed_is_said_in_a_line(tmp_path: Path) -> None:
    port = free_port()
    one = ServerCommand("nothing", (str(tmp_path / "no-such-program"),), "127.0.0.1", port)
    async with running(one, logs=tmp_path) as watched:
        assert watched.task is not None
        with pytest.raises(Exception, match="nothing could not be started"):
            async with asyncio.timeout(LIMIT_S):
                await watched.task


def test_a_server_that_does_not_come_up_again_is_given_up_however_long_it_loads() -> None:
    deaths = Deaths(RestartBudget(deaths=5, within_s=600))
    pauses = [deaths.pause_after(number * 900.0, was_ready=number == 0) for number in range(5)]
    assert pauses == [2, 4, 8, 16, None]
    assert deaths.pause_after(6000.0, was_ready=True) == 2  # well again in between


@given(st.lists(st.floats(0.1, 1000.0), min_size=1, max_size=30))
def test_pauses_grow_within_bounds_and_only_recent_deaths_count(gaps: list[float]) -> None:
    policy, now = RestartBudget(), 0.0
    deaths = Deaths(policy)
    times: list[float] = []
    for gap in gaps:
        now += gap
        times.append(now)
        recent = sum(now - time < policy.within_s for time in times)
        pause = deaths.pause_after(now, was_ready=True)
        if recent >= policy.deaths:
            assert pause is None
            return
        assert pause == policy.pauses.wait_s(recent)


# ------------------------------------------------------------------------------- the command
@pytest.fixture
def vllm(tmp_path: Path) -> Path:
    """What --vllm names: the lifelike server under the name of the real one."""
    program = tmp_path / "bin" / "vllm"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{LIFELIKE}" "$@"\n')
    program.chmod(0o755)
    return program


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    folder.mkdir()
    text = {
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "hidden_size": 128,
        "vocab_size": 448,
        "max_position_embeddings": 32768,
    }
    (folder / "config.json").write_text(json.dumps({"model_type": "qwen3_vl", "text_config": text}))
    (folder / "model.safetensors").write_bytes(b"\0" * 1000)
    return folder


@contextlib.contextmanager
def manyhands(vllm: Path, model: Path, state: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    port = free_port()
    arguments = ["--model", str(model), "--gpus", "0", "--vllm", str(vllm), "--port", str(port), "--json", *more]
    environment = {**os.environ, "MANYHANDS_STATE_DIR": str(state), "KEY": "secret-word"}
    program = [sys.executable, "-m", "manyhands", "mllm", *arguments]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        yield process, port
    finally:
        process.kill()
        process.wait()


def until(process: subprocess.Popen[str], event: str) -> dict[str, Any]:
    assert process.stdout is not None
    said: list[dict[str, Any]] = []
    for line in process.stdout:
        said.append(json.loads(line))
        if said[-1].get("event") == event:
            return said[-1]
    raise AssertionError(f"no {event}: {said}")


def test_the_command_serves_until_ctrl_c(vllm: Path, model: Path, tmp_path: Path) -> None:
    with manyhands(vllm, model, tmp_path / "state", "--servers", "1", "--api-key-env", "KEY") as (process, port):
        serving = until(process, "serving")
        assert serving["urls"] == [f"http://127.0.0.1:{port}/v1"]
        assert "--api-key-env KEY" in serving["run"]
        assert ask(port, "key") == "secret-word"
        assert ask(port, "argv")[:2] == ["serve", str(model)]
        pids = [ask(port, what) for what in ("pid", "worker")]
        sockets = Path(ask(port, "sockets"))
        (sockets / "left behind").touch()
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT_S) == 130
        assert not sockets.exists()
        for pid in pids:
            asyncio.run(gone(pid))
        assert (tmp_path / "state" / "mllm" / f"vllm-{port}.log").exists()


def test_servers_end_when_the_command_is_killed_hard(vllm: Path, model: Path, tmp_path: Path) -> None:
    with manyhands(vllm, model, tmp_path / "state") as (process, port):
        until(process, "serving")
        pids = [ask(port, what) for what in ("pid", "worker")]
        process.kill()
        for pid in pids:
            asyncio.run(gone(pid))


def test_a_missing_vllm_is_bad_input(model: Path, tmp_path: Path) -> None:
    with manyhands(tmp_path / "nowhere" / "vllm", model, tmp_path) as (process, _):
        assert process.stdout is not None
        assert "no such executable" in json.loads(process.stdout.read())["error"]
        assert process.wait(LIMIT_S) == 2
