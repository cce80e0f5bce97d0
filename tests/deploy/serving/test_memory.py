"""Placement: what fits is placed with few GPUs per server, what does not is refused with numbers and a way out."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.deploy.serving.catalogue import LISTED, profile_named
from manyhands.deploy.serving.flags import engine_flags
from manyhands.deploy.serving.hardware import GIB, Hardware, find_hardware, parse_size
from manyhands.deploy.serving.memory import LEAST_REQUESTS, MemoryRequirements, plan_for
from manyhands.protocol.errors import BadInput

NEEDS = MemoryRequirements(max_images=4, max_pixels=1_048_576)


def machine(gpus: int, gib: int = 80) -> Hardware:
    return Hardware(gpus, gib * GIB)


def test_a_model_that_fits_on_one_gpu_gets_a_server_on_each() -> None:
    plan = plan_for(profile_named("Qwen/Qwen3-VL-8B-Instruct-FP8"), machine(3), NEEDS)
    assert (plan.servers, plan.tensor_parallel, plan.unused_gpus) == (3, 1, 0)
    assert plan.context == 16384


def test_a_larger_one_is_split_over_as_few_gpus_as_will_do() -> None:
    plan = plan_for(profile_named("Qwen/Qwen3-VL-32B-Instruct"), machine(5), NEEDS)
    assert (plan.servers, plan.tensor_parallel, plan.unused_gpus) == (2, 2, 1)


def test_blocks_of_fp8_experts_bound_the_split() -> None:
    profile = profile_named("Qwen/Qwen3-VL-235B-A22B-Instruct-FP8")
    assert plan_for(profile, machine(8), NEEDS).tensor_parallel == 4
    with pytest.raises(BadInput, match="cannot be split so"):
        plan_for(profile, machine(8), replace(NEEDS, tensor_parallel=8))
    with pytest.raises(BadInput, match="does not fit on 8 GPUs"):
        plan_for(profile, machine(8, 40), NEEDS)


def test_a_refusal_says_the_numbers_and_what_would_fit() -> None:
    with pytest.raises(BadInput) as caught:
        plan_for(profile_named("Qwen/Qwen3-VL-32B-Instruct"), machine(1), NEEDS)
    text = str(caught.value)
    assert "does not fit on 1 GPU of 80.0 GiB" in text
    assert "weights take 62.2" in text
    assert "the same model on 2 such GPUs; Qwen/Qwen3-VL-32B-Instruct-FP8" in text


@pytest.mark.parametrize("model", ["Qwen/Qwen3-VL-32B-Instruct", "Qwen/Qwen2.5-VL-72B-Instruct", "Qwen/Qwen3.5-27B"])
@pytest.mark.parametrize("gib", [16, 24, 40, 48, 80])
def test_what_a_refusal_suggests_really_fits(model: str, gib: int) -> None:
    try:
        plan_for(profile_named(model), machine(1, gib), NEEDS)
    except BadInput as error:
        suggested = re.search(r"((?:Qwen|mPLUG)/\S+) \(\S+ GiB of weights\)", str(error))
        if suggested:
            assert plan_for(profile_named(suggested[1]), machine(1, gib), NEEDS)
        more = re.search(r"the same model on (\d+) such GPUs", str(error))
        if more:
            assert plan_for(profile_named(model), machine(int(more[1]), gib), NEEDS)


@pytest.mark.parametrize(
    ("model", "hardware"),
    [
        ("zai-org/AutoGLM-Phone-9B", machine(1, 12)),  # nothing else of its family is smaller
        ("ByteDance-Seed/UI-TARS-1.5-7B", machine(1, 16)),
        ("Qwen/Qwen3-VL-32B-Instruct", Hardware(0, 24 * GIB)),
        ("zai-org/AutoGLM-Phone-9B", Hardware(0, 24 * GIB)),
    ],
)
@pytest.mark.parametrize("context", [None, 40_000])
def test_a_smaller_model_of_the_catalogue_is_suggested(model: str, hardware: Hardware, context: int | None) -> None:
    needs = replace(NEEDS, context=context if model.startswith("Qwen") else None)
    with pytest.raises(BadInput) as caught:
        plan_for(profile_named(model), hardware, needs)
    suggested = re.search(r"What would fit: .*?([^ ]+/[^ ]+) \(\S+ GiB of weights\)", str(caught.value))
    assert suggested is not None
    smaller = profile_named(suggested[1])
    assert smaller.weight_bytes < profile_named(model).weight_bytes
    assert plan_for(smaller, hardware, needs)


@given(
    st.sampled_from(LISTED), st.integers(1, 8), st.integers(8, 192), st.integers(1, 8), st.integers(65_536, 4_000_000)
)
def test_a_plan_never_exceeds_its_machine(model: str, gpus: int, gib: int, images: int, pixels: int) -> None:
    try:
        plan = plan_for(profile_named(model), machine(gpus, gib), MemoryRequirements(images, pixels))
    except BadInput:
        return
    assert plan.servers * plan.tensor_parallel + plan.unused_gpus == gpus
    assert plan.requests >= LEAST_REQUESTS
    budget = plan.budget
    used = budget.weights + budget.workspace + plan.requests * plan.context * budget.kv_per_token
    assert used <= budget.usable <= gib * GIB
    assert plan.context > images * plan.profile.image_tokens(pixels)
    assert plan.batched_tokens >= plan.profile.image_tokens(pixels)


def test_limits_that_contradict_the_model_or_each_other() -> None:
    profile = profile_named("Qwen/Qwen3-VL-8B-Instruct")
    for needs, says in (
        (replace(NEEDS, context=4000), "4 pictures alone are 4096 tokens"),
        (replace(NEEDS, context=10**6), "was trained for"),
        (replace(NEEDS, servers=3), "2 GPUs hold 2 servers"),
        (replace(NEEDS, tensor_parallel=3), "cannot be split so"),
    ):
        with pytest.raises(BadInput, match=says):
            plan_for(profile, machine(2), needs)


@pytest.mark.parametrize("model", ["Qwen/Qwen3-VL-8B-Instruct-FP8", "Qwen/Qwen2.5-VL-7B-Instruct"])
@pytest.mark.parametrize("gpus", [0, 1])
def test_pictures_larger_than_the_model_sees_are_refused_with_a_number(model: str, gpus: int) -> None:
    profile = profile_named(model)
    most = profile.family.max_pixels
    said = f"--max-pixels {most + 1}: more than a picture .*, {most}; a phone's screenshot needs no more than 1048576"
    with pytest.raises(BadInput, match=said):
        plan_for(profile, machine(gpus), replace(NEEDS, max_pixels=most + 1))
    assert plan_for(profile, machine(8, 192), replace(NEEDS, max_pixels=most))


def test_pictures_too_large_for_a_gpu_shrink_before_another_gpu_is_asked() -> None:
    with pytest.raises(BadInput, match="What would fit: --max-pixels 1048576, which is enough for"):
        plan_for(profile_named("Qwen/Qwen3-VL-8B-Instruct-FP8"), machine(1, 24), replace(NEEDS, max_pixels=16_000_000))


def test_the_cpu_serves_hybrid_models_in_bfloat16() -> None:
    assert engine_flags(plan_for(profile_named("Qwen/Qwen3.5-4B"), Hardware(0, 64 * GIB), NEEDS))["dtype"] == "bfloat16"


def test_the_cpu_serves_unquantised_models_in_float32() -> None:
    plan = plan_for(profile_named("Qwen/Qwen3-VL-2B-Instruct"), Hardware(0, 64 * GIB), replace(NEEDS, servers=2))
    assert (plan.servers, plan.tensor_parallel) == (2, 1)
    with pytest.raises(BadInput, match=r"of 8\.0 GiB that are free"):
        plan_for(profile_named("Qwen/Qwen3-VL-2B-Instruct"), Hardware(0, 8 * GIB), NEEDS)
    with pytest.raises(BadInput, match="serves unquantised"):
        plan_for(profile_named("Qwen/Qwen3-VL-2B-Instruct-FP8"), Hardware(0, 64 * GIB), NEEDS)


@pytest.mark.parametrize(
    ("text", "size"),
    [("80", 80 * GIB), ("80GiB", 80 * GIB), (" 24 GB ", 24 * 10**9), ("81920MiB", 80 * GIB), ("1.5g", GIB * 3 // 2)],
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "GiB", "0", "-4GiB", "80 apples", "8e9"])
def test_other_sizes_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="80GiB"):
        parse_size(text)


def test_the_machine_is_asked_only_for_what_is_not_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def says(body: str) -> None:
        program = tmp_path / "nvidia-smi"
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)

    monkeypatch.setenv("PATH", str(tmp_path))
    assert asyncio.run(find_hardware(2, "80GiB")) == Hardware(2, 80 * GIB)
    says("echo 81920; echo 40960")
    assert asyncio.run(find_hardware(None, None)) == Hardware(2, 40 * GIB)
    assert asyncio.run(find_hardware(1, None)) == Hardware(1, 80 * GIB)
    with pytest.raises(BadInput, match="nvidia-smi lists 2"):
        asyncio.run(find_hardware(3, None))
    says("echo 'No devices were found'; exit 6")
    with pytest.raises(BadInput, match="no GPU found"):
        asyncio.run(find_hardware(None, None))
    assert asyncio.run(find_hardware(0, None)).memory > 0


def doc_row(model: str) -> str:
    """The row of docs/serving.md for a model: what it needs, and on what it is put."""
    profile = profile_named(model)
    cells = []
    for gib in (24, 48, 80, 141):
        cell = "no"
        for gpus in (1, 2, 4, 8):
            try:
                plan = plan_for(profile, machine(gpus, gib), NEEDS)
            except BadInput:
                continue
            cell = f"{plan.tensor_parallel} x {plan.requests}"
            break
        cells.append(cell)
    sizes = f"{profile.weight_bytes / GIB:.1f} | {profile.kv_bytes_per_token() / 1024:.0f}"
    return f"| {model} | {sizes} | {' | '.join(cells)} |"


def test_the_table_in_the_docs_is_what_is_computed() -> None:
    page = (Path(__file__).parents[3] / "docs" / "serving.md").read_text(encoding="utf-8")
    rows = {match[1]: match[0] for match in re.finditer(r"^\| ([\w.-]+/[\w.-]+) \|.*$", page, re.MULTILINE)}
    assert rows == {model: doc_row(model) for model in rows if model in LISTED}
    assert len(rows) > 10
