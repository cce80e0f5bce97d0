"""``manyhands prompt-stats`` on a recorded run, estimated and with a server's tokenizer."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

from tests.deploy.replay.recorded_run import PICTURE_TOKENS, TEXT_TOKENS, answering, as_recorded, record_run

MANYHANDS = (sys.executable, "-m", "manyhands")


async def stats(*arguments: object) -> tuple[int | None, str, str]:
    process = await asyncio.create_subprocess_exec(
        *MANYHANDS, "prompt-stats", *map(str, arguments), stdout=PIPE, stderr=PIPE
    )
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def test_estimated(tmp_path: Path) -> None:
    run = await record_run(tmp_path, cached=50)
    code, out, err = await stats(run, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert (found["method"], found["model_source"]) == ("estimated", "a model of a test")
    reflect = found["roles"]["reflect"]
    assert (reflect["calls"], reflect["images"], reflect["input_tokens"]) == (2, 2, TEXT_TOKENS + 2 * PICTURE_TOKENS)
    assert reflect["sections"]["(pictures)"]["tokens"] == 2 * PICTURE_TOKENS
    assert set(reflect["sections"]) == {
        "(pictures)",
        "(system rules)",
        "Atomic Actions",
        "User Instruction",
        "Your Task",
    }
    step = found["successful_steps"]
    assert (step["steps"], step["images"]["mean"]) == (2, 5)
    assert step["uncached_tokens"]["mean"] == 4 * (TEXT_TOKENS - 50) + 5 * PICTURE_TOKENS


async def test_exact(tmp_path: Path) -> None:
    run = await record_run(tmp_path)
    async with answering(as_recorded) as server:
        code, out, err = await stats(run, "--mllm-url", server.url, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["method"] == "exact"
    assert found["roles"]["plan"]["sections"]["Your Task"]["tokens"] == 8
    prompts = [body["prompt"] for body in server.tokenized]
    assert len(set(prompts)) == len(prompts)
    assert {body["model"] for body in server.tokenized} == {"another"}


async def test_as_text(tmp_path: Path) -> None:
    code, out, err = await stats(await record_run(tmp_path))
    assert code == 0, err
    assert "estimated" in out
    assert "target 7,000: met" in out
    assert "Mobile-Agent-E about 17,000" in out
    assert max(map(len, out.splitlines())) <= 100, out


async def test_a_server_without_a_tokenizer(tmp_path: Path) -> None:
    run = await record_run(tmp_path)
    async with answering(as_recorded, tokenizer=False) as server:
        code, _, err = await stats(run, "--mllm-url", server.url)
    assert code == 2
    assert "exact tokens need a server with /tokenize" in err


async def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    code, _, err = await stats(tmp_path)
    assert code == 2
    assert "not a run folder" in err
