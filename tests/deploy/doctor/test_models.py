"""The doctor on model servers that stand in for one: each fault is named with what mends it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from manyhands.actors.mllm import dialect_named
from manyhands.deploy.doctor.findings import Finding
from manyhands.deploy.doctor.model_server import examine_models
from manyhands.deploy.fleet.model_servers.cross_question import CROSSES, judge_crosses, read_point
from manyhands.deploy.fleet.model_servers.prefix_cache import LARGEST_BLOCK
from manyhands.deploy.settings.loading import load_settings
from manyhands.simulator.canned.server import CannedServer
from manyhands.simulator.serving.settings import ServerSettings
from tests.actors.mllm.model_servers import ModelServer, serving
from tests.deploy.doctor.seeing_model import SeeingModel


async def examined(url: str, **given: Any) -> Mapping[str, Finding]:
    return {one.name: one for one in await examine_models(load_settings({"mllm_url": [url], **given}))}


async def test_a_server_without_a_fault() -> None:
    async with SeeingModel() as model:
        found = await examined(model.url, model="Qwen/Qwen3-VL-8B-Instruct")
    assert [one for one in found.values() if one.status != "ok"] == []
    assert found["model"].found == "Qwen/Qwen3-VL-8B-Instruct"
    assert found["dialect"].found == "qwen3-vl, as the model's family has it"
    assert found["coordinates"].found == "3 of 3 drawn crosses were found in the space of qwen3-vl"
    assert found["schema"].found == "obeyed"
    assert "tokens/s at 1 request" in found["speed"].found
    assert "tokens/s at 8 requests" in found["speed of 8"].found


FAULTS: list[tuple[dict[str, Any], dict[str, Any], str, str, str]] = [
    ({}, {"model": "Other"}, "model", "serves Qwen/Qwen3-VL-8B-Instruct, not Other", "--model Qwen/Qwen3-VL-8B"),
    (
        {"name": "Qwen/Qwen2.5-VL-7B-Instruct"},
        {"dialect": "qwen3-vl"},
        "dialect",
        "writes coordinates of qwen2.5-vl",
        "--dialect qwen2.5-vl",
    ),
    ({"name": "mine"}, {}, "dialect", "the name mine tells no model family", "--dialect NAME"),
    ({"sees": False}, {}, "pictures", "At most 0 image", "sees no pictures, serve one that does"),
    ({"obeys": False}, {}, "schema", "not obeyed: it answered 'Hello", "--output-format headers"),
    ({"dialect": "qwen2.5-vl"}, {}, "coordinates", "in the space of qwen2.5-vl", "--dialect qwen2.5-vl"),
    ({"finds": False}, {}, "coordinates", "were seen at (500, 500)", "--max-pixels"),
    ({"key": "secret"}, {}, "answer", "401", "--api-key-env NAME"),
    ({}, {"api_key_env": "NO_SUCH_KEY"}, "key", "NO_SUCH_KEY", "export NO_SUCH_KEY=..."),
]


@pytest.mark.parametrize(("fault", "given", "name", "found", "mend"), FAULTS)
async def test_a_fault_is_named_with_its_mend(
    fault: dict[str, Any], given: dict[str, Any], name: str, found: str, mend: str
) -> None:
    async with SeeingModel(**fault) as model:
        one = (await examined(model.url, **given))[name]
    assert one.status == "failure"
    assert found in one.found
    assert mend in one.mend


async def test_a_slow_server_and_one_that_takes_requests_one_by_one() -> None:
    async with SeeingModel(ServerSettings(tokens_per_s=8)) as model:
        found = await examined(model.url)
    assert (found["speed"].status, "less than 16 tokens/s" in found["speed"].found) == ("warning", True)
    assert "speed of 8" not in found
    async with SeeingModel(ServerSettings(tokens_per_s=150)) as model:
        found = await examined(model.url)
    assert found["speed"].status == "ok"
    assert found["speed of 8"].status == "warning"
    assert "--max-num-seqs" in found["speed of 8"].mend


async def test_a_chat_that_goes_on_is_found_in_the_cache() -> None:
    async with SeeingModel() as model:
        found = (await examined(model.url))["prefix cache"]
    assert found.status == "ok"
    shares = re.fullmatch(
        r"(\d+)% of ([\d,]+) tokens hit, with a picture (\d+)% of ([\d,]+) tokens hit: "
        r"a step of a chat reads up to \d+ tokens again",
        found.found,
    )
    assert shares is not None, found.found
    text, text_tokens, picture, picture_tokens = (int(one.replace(",", "")) for one in shares.groups())
    assert min(text, picture) > 90
    assert min(text_tokens, picture_tokens) > 2 * LARGEST_BLOCK


async def test_a_cache_without_hits_is_a_warning_with_the_known_defect() -> None:
    async with SeeingModel(cache="none") as model:
        found = (await examined(model.url))["prefix cache"]
    assert found.status == "warning"
    assert "with a picture 0% of" in found.found
    assert "each step reads its whole prompt again" in found.found
    assert "vllm-project/vllm issue 43587" in found.found


async def test_a_server_that_tells_nothing_of_its_cache_is_told_the_flag() -> None:
    async with SeeingModel(cache="silent") as model:
        found = (await examined(model.url))["prefix cache"]
    assert (found.status, found.mend) == ("ok", "start vLLM with --enable-prompt-tokens-details")
    assert found.found.startswith("not known: the server sends no prompt_tokens_details")


async def test_nobody_answers(unused_tcp_port: int) -> None:
    found = await examined(f"http://127.0.0.1:{unused_tcp_port}/v1")
    assert found["answer"].status == "failure"
    assert "cannot be reached" in found["answer"].found
    assert found["answer"].mend.startswith("wait if it is still loading its model; else serve one: manyhands mllm")


async def test_a_server_that_is_loading_needs_no_other_one() -> None:
    server = ModelServer()
    server.loading = 1
    async with serving(server):
        found = await examined(server.url)
    assert found["answer"].found.endswith("answered 503: Loading model")
    assert found["answer"].mend.startswith("it is probably loading its model, which takes minutes: wait")


async def test_an_address_without_its_version() -> None:
    async with SeeingModel() as model:
        found = await examined(model.url.removesuffix("/v1"))
    assert found["answer"].mend == f"--mllm-url {model.url}"


async def test_stand_ins_are_called_that() -> None:
    async with CannedServer(ServerSettings()) as model:
        found = await examined(model.url)
    assert "canned model" in found["stand-in"].found
    assert "coordinates" not in found


def test_of_three_crosses_one_may_be_missed() -> None:
    dialect = dialect_named("qwen3-vl")
    right = [cross.place(dialect.extent(cross.picture)) for cross in CROSSES]
    assert judge_crosses([*right[:2], None], dialect).right
    assert not judge_crosses([right[0], None, (0, 0)], dialect).right
    pixels = [cross.place(cross.picture) for cross in CROSSES]
    assert judge_crosses(pixels, dialect).dialect == "qwen2.5-vl"
    assert judge_crosses(right, dialect_named("qwen2.5-vl")).dialect == "qwen3-vl"


@pytest.mark.parametrize("cap", [600_000, 800_000, 1_048_576])
def test_another_space_is_known_under_a_cap_too(cap: int) -> None:
    ours, theirs = dialect_named("qwen3-vl", cap), dialect_named("qwen2.5-vl", cap)
    pixels = [cross.place(theirs.extent(cross.picture)) for cross in CROSSES]
    found = judge_crosses(pixels, ours)
    assert (found.right, found.dialect) == (False, "qwen2.5-vl")


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ('{"x": 3, "y": 40}', (3, 40)),
        ('```json\n{"x":3,\n"y":40}```', (3, 40)),
        ("in the middle", None),
        ('{"x": 3.5, "y": 1}', None),
    ],
)
def test_a_point_is_read_off_an_answer(text: str, point: tuple[int, int] | None) -> None:
    assert read_point(text) == point
