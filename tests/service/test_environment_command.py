"""``manyhands environment``: it starts, takes a service's tokens, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

import pytest
from aiohttp import ClientSession, WSServerHandshakeError

from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.service.access import AccessRole, TokenRequest
from manyhands.service.service import ServicePlace, open_tokens
from manyhands.simulator.suites import EVERYDAY
from tests.deploy.command_line.called import manyhands
from tests.rollouts.environment.served_phones import DARK_MODE, Client


async def test_it_serves_virtual_phones_to_whom_a_service_lets_in(adb_server: tuple[str, int], tmp_path: Path) -> None:
    service, out = tmp_path / "service", tmp_path / "run"
    async with open_tokens(ServicePlace(service)) as (tokens, first):
        assert first is not None
        assert (service / "token").read_text().strip() == first.secret
        reader = await tokens.make(TokenRequest(owner="ann", role=AccessRole.READ), 0.0)
    words = (sys.executable, "-m", "manyhands", "environment", EVERYDAY, "--task", "dark_mode", "--phones", "virtual:1")
    rest = ("--size", "360x800", "--adb-port", str(adb_server[1]), "--port", "0", "--folder", service, "--out", out)
    environment = {**os.environ, "MANYHANDS_STATE_DIR": str(tmp_path / "state")}
    process = await asyncio.create_subprocess_exec(
        *words, *rest, "--json", stdin=DEVNULL, stdout=PIPE, stderr=PIPE, env=environment
    )
    assert process.stdout is not None
    assert process.stderr is not None
    line = await process.stdout.readline()
    assert line, (await process.stderr.read()).decode()
    told = json.loads(line)
    assert told["token_file"] == str(service / "token")
    async with ClientSession() as http:
        url = f"{told['url']}/ws"
        with pytest.raises(WSServerHandshakeError, match="401"):
            await http.ws_connect(url, headers={"Authorization": f"Bearer {reader.secret}"})
        async with http.ws_connect(url, headers={"Authorization": f"Bearer {first.secret}"}) as socket:
            client = Client(socket)
            await client.ask("reset", elements=True)
            assert (await client.play(*DARK_MODE))["data"]["reward"] == 1.0
            await client.ask("reset")
            process.send_signal(signal.SIGINT)  # while an episode runs
            assert await process.wait() == 130
    run = RunFolder(out)
    assert "virtual" in run.asked["phones_source"]
    assert len(run.episode_names) == 2
    assert (out / "ledgers").is_dir()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((EVERYDAY, "--host", "0.0.0.0"), "in the clear"),
        ((EVERYDAY, "--task", "dark_mod"), "dark_mode"),
        (("missing.yaml",), "missing.yaml"),
        ((EVERYDAY, "--tls-cert", "cert.pem"), "--tls-key"),
    ],
)
def test_bad_input_is_named(arguments: tuple[str | Path, ...], says: str) -> None:
    done = manyhands("environment", *arguments)
    assert done.returncode == 2
    assert says in done.stderr


def test_a_check_that_asks_a_judge_is_refused(tmp_path: Path) -> None:
    tasks = tmp_path / "tasks.yaml"
    tasks.write_text("- {id: a, goal: Do it., check: {holds: {judge: It is done.}}}\n")
    done = manyhands("environment", tasks, "--folder", tmp_path / "service")
    assert done.returncode == 2
    assert "asks a judge" in done.stderr
