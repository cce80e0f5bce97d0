"""Flags and environment: the user's own replace ours, what the plan depends on is refused, no key is ever shown."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import ray

from manyhands.actors.mllm.client.transport import SESSION_HEADER
from manyhands.deploy.fleet.model_servers.resolution import role_models
from manyhands.deploy.serving.catalogue import profile_named
from manyhands.deploy.serving.flags import FlagSite, engine_flags, installed_version, with_overrides
from manyhands.deploy.serving.hardware import GIB, Hardware
from manyhands.deploy.serving.launch import launch_json, prepare, run_line, script
from manyhands.deploy.serving.memory import MEAN_REQUEST, MemoryPlan, MemoryRequirements, plan_for
from manyhands.deploy.serving.ray_serve import serve_config
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadInput

NEEDS = MemoryRequirements(max_images=4, max_pixels=1_048_576)


def plan(model: str = "Qwen/Qwen3-VL-8B-Instruct-FP8", gpus: int = 2) -> MemoryPlan:
    return plan_for(profile_named(model), Hardware(gpus, 80 * GIB), NEEDS)


def test_the_flags_that_the_client_counts_on() -> None:
    flags = engine_flags(plan())
    assert json.loads(flags["limit-mm-per-prompt"] or "") == {"image": 4, "video": 0}
    assert json.loads(flags["mm-processor-kwargs"] or "")["max_pixels"] == 1_048_576
    assert json.loads(flags["structured-outputs-config"] or "") == {
        "backend": "guidance",
        "disable_any_whitespace": True,
    }
    assert flags["scheduling-policy"] == "priority"
    assert {"enable-prefix-caching", "enable-prompt-tokens-details"} <= flags.keys()
    assert "tensor-parallel-size" not in flags
    assert int(flags["max-num-queued-reqs"] or 0) >= int(flags["max-num-seqs"] or 0)


def test_as_many_requests_run_as_fit_with_their_mean_length() -> None:
    here = plan("Qwen/Qwen3-VL-8B-Instruct-FP8")
    flags = engine_flags(here)
    assert flags["max-num-seqs"] == str(here.sequences)
    used = here.sequences * here.context * MEAN_REQUEST * here.budget.kv_per_token
    assert 0.95 * here.budget.cache < used <= here.budget.cache


def test_a_cache_of_eight_bits_holds_twice_the_requests() -> None:
    needs = replace(NEEDS, kv_cache="fp8")
    small = plan_for(profile_named("Qwen/Qwen3-VL-8B-Instruct-FP8"), Hardware(2, 80 * GIB), needs)
    assert engine_flags(small)["kv-cache-dtype"] == "fp8"
    assert "kv-cache-dtype" not in engine_flags(plan())
    assert small.requests in (2 * plan().requests, 2 * plan().requests + 1)
    with pytest.raises(BadInput, match="--kv-cache fp8 needs GPUs"):
        plan_for(profile_named("Qwen/Qwen3-VL-2B-Instruct"), Hardware(0, 80 * GIB), needs)
    with pytest.raises(BadInput, match="use --kv-cache"):
        with_overrides(engine_flags(plan()), ["--kv-cache-dtype", "fp8"])


def test_nothing_is_drafted_unless_the_user_wants_it_and_the_model_can() -> None:
    assert "speculative-config" not in engine_flags(plan("Qwen/Qwen3.5-9B"))
    needs = {draft: replace(NEEDS, draft=draft) for draft in ("ngram", "mtp")}
    qwen3, qwen35 = profile_named("Qwen/Qwen3-VL-8B-Instruct-FP8"), profile_named("Qwen/Qwen3.5-9B")
    gpu = Hardware(1, 80 * GIB)
    ngram = json.loads(engine_flags(plan_for(qwen3, gpu, needs["ngram"]))["speculative-config"] or "")
    assert (ngram["method"], ngram["num_speculative_tokens"]) == ("ngram_gpu", 4)
    assert json.loads(engine_flags(plan_for(qwen35, gpu, needs["mtp"]))["speculative-config"] or "")["method"] == "mtp"
    with pytest.raises(BadInput, match="Qwen3-VL has no heads"):
        plan_for(qwen3, gpu, needs["mtp"])
    with pytest.raises(BadInput, match="--draft ngram needs GPUs"):
        plan_for(profile_named("Qwen/Qwen3-VL-2B-Instruct"), Hardware(0, 80 * GIB), needs["ngram"])
    with pytest.raises(BadInput, match="use --draft"):
        with_overrides(engine_flags(plan()), ["--speculative-config", "{}"])


def test_a_split_model_runs_its_encoder_data_parallel() -> None:
    flags = engine_flags(plan("Qwen/Qwen3-VL-32B-Instruct"))
    assert (flags["tensor-parallel-size"], flags["mm-encoder-tp-mode"]) == ("2", "data")


def test_thinking_is_switched_off_where_it_can_be_and_parsed_where_not() -> None:
    assert "enable_thinking" in (engine_flags(plan("Qwen/Qwen3.5-9B"))["default-chat-template-kwargs"] or "")
    for model in ("Qwen/Qwen3-VL-8B-Thinking", "Hcompany/Holo4-35B-A3B"):
        flags = engine_flags(plan(model))
        assert flags["reasoning-parser"] == "qwen3"
        assert "default-chat-template-kwargs" not in flags
    venus = engine_flags(plan("inclusionAI/UI-Venus-2-9B"))
    assert not {"reasoning-parser", "default-chat-template-kwargs"} & venus.keys()


def test_an_older_release_gets_no_flag_that_it_may_lack() -> None:
    assert "max-num-queued-reqs" not in engine_flags(plan(), (0, 20))
    assert "max-num-queued-reqs" in engine_flags(plan(), (0, 32))


def test_own_flags_replace_ours_in_every_spelling() -> None:
    flags = with_overrides(
        engine_flags(plan()),
        [
            "--max-num-seqs=7",
            "--no-enable-prefix-caching",
            "--seed",
            "3",
            "--enforce-eager",
            "--max_num_batched_tokens",
            "99",
        ],
    )
    assert (flags["max-num-seqs"], flags["seed"], flags["max-num-batched-tokens"]) == ("7", "3", "99")
    assert "enable-prefix-caching" not in flags
    assert flags["no-enable-prefix-caching"] is None
    assert flags["enforce-eager"] is None


@pytest.mark.parametrize(
    ("extra", "option"),
    [
        (["--port", "1"], "--port"),
        (["--api-key", "secret-word"], "--api-key-env"),
        (["-tp", "2"], "--tensor-parallel"),
        (["--tensor_parallel_size=2"], "--tensor-parallel"),
        (["--mm-processor-kwargs", "{}"], "--max-pixels"),
        (["stray"], "'stray' belongs to no flag"),
    ],
)
def test_flags_that_the_plan_depends_on_are_set_by_options(extra: list[str], option: str) -> None:
    with pytest.raises(BadInput, match=option) as caught:
        with_overrides(engine_flags(plan()), extra)
    assert "secret-word" not in str(caught.value)


def test_the_queue_grows_with_the_number_that_runs() -> None:
    flags = with_overrides(engine_flags(plan()), ["--max-num-seqs", "500"])
    assert int(flags["max-num-queued-reqs"] or 0) > 500
    both = with_overrides(engine_flags(plan()), ["--max-num-seqs", "500", "--max-num-queued-reqs", "600"])
    assert both["max-num-queued-reqs"] == "600"
    with pytest.raises(BadInput, match="no whole number"):
        with_overrides(engine_flags(plan()), ["--max-num-seqs", "many"])


def test_servers_that_others_can_reach_without_a_key_are_called_so() -> None:
    assert "--api-key-env" in script(prepare(plan(), FlagSite(host="0.0.0.0"), "vllm"))
    assert "no key" not in script(prepare(plan(), FlagSite(host="0.0.0.0", key_env="KEY"), "vllm"))


def test_each_server_has_its_port_and_its_gpus() -> None:
    launch = prepare(
        plan("Qwen/Qwen3-VL-32B-Instruct", gpus=4), FlagSite(port=9000, devices=("4", "5", "6", "7")), "vllm"
    )
    assert launch.urls == ("http://127.0.0.1:9000/v1", "http://127.0.0.1:9001/v1")
    assert [command.env["CUDA_VISIBLE_DEVICES"] for command in launch.commands] == ["4,5", "6,7"]
    with pytest.raises(BadInput, match="CUDA_VISIBLE_DEVICES shows 4 only"):
        prepare(plan(), FlagSite(devices=("4",)), "vllm")


def test_a_key_is_named_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVER_KEY", "secret-word")
    launch = prepare(plan(), FlagSite(key_env="SERVER_KEY"), "vllm")
    shown = script(launch) + json.dumps(launch_json(launch))
    assert "secret-word" not in shown
    assert 'VLLM_API_KEY="$SERVER_KEY"' in shown
    command = replace(launch.commands[0], secrets={"VLLM_API_KEY": "secret-word"})
    assert "secret-word" not in repr(command)


def test_the_run_line_names_every_server_and_the_dialect() -> None:
    launch = prepare(plan("Qwen/Qwen2.5-VL-7B-Instruct"), FlagSite(host="0.0.0.0"), "vllm")
    assert run_line(launch) == (
        "manyhands run TASKS.yaml --mllm-url http://127.0.0.1:8000/v1 --mllm-url http://127.0.0.1:8001/v1 "
        "--dialect qwen2.5-vl --max-pixels 1048576"
    )
    agent = run_line(prepare(plan("mPLUG/GUI-Owl-1.5-8B-Instruct"), FlagSite(), "vllm"))
    assert "--profile native" in agent
    assert "--output-format" not in agent, "a format that is given holds for the planner and the judge, too"
    other = prepare(plan(), FlagSite(), "vllm", ['--structured-outputs-config={"backend":"xgrammar"}'])
    assert "--grammar other" in run_line(other)


def test_the_run_line_of_a_model_that_thinks_leaves_room_for_its_thoughts(monkeypatch: pytest.MonkeyPatch) -> None:
    line = run_line(prepare(plan("Qwen/Qwen3-VL-8B-Thinking-FP8"), FlagSite(), "vllm"))
    for name, _, value in (word.partition("=") for word in line.split(" manyhands ")[0].split()):
        monkeypatch.setenv(name, value)
    models = role_models(load_settings({"mllm_url": ["http://127.0.0.1:8000/v1"]}))
    assert {model.max_tokens[role] for role, model in models.items()} == {8192 + 2048}
    assert "MAX_TOKENS" not in run_line(prepare(plan(), FlagSite(), "vllm"))


def test_the_release_is_read_beside_the_executable(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "vllm"
    program.parent.mkdir()
    program.touch()
    assert installed_version(program) is None
    (tmp_path / "lib/python3.11/site-packages/vllm-0.33.1.dev2.dist-info").mkdir(parents=True)
    assert installed_version(program) == (0, 33)


# ------------------------------------------------------------------------------- Ray Serve
RAY_CONSTANTS = Path(ray.__file__).parent / "serve/_private/constants.py"


def _fields(path: str, name: str) -> set[str]:
    """The annotated fields of a class in ray's source: importing it needs vLLM."""
    tree = ast.parse((Path(ray.__file__).parent / path).read_text())
    found = next(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == name)
    return {
        item.target.id for item in found.body if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    }


def test_what_is_said_to_ray_serve_are_fields_that_it_has() -> None:
    config = serve_config(prepare(plan("Qwen/Qwen3-VL-235B-A22B-Instruct-FP8", gpus=8), FlagSite(offline=True), "vllm"))
    (application,) = config["applications"]
    assert application.keys() <= _fields("serve/schema.py", "ServeApplicationSchema")
    assert config["http_options"].keys() <= _fields("serve/schema.py", "HTTPOptionsSchema")
    assert config.keys() <= _fields("serve/schema.py", "ServeDeploySchema")
    (llm,) = application["args"]["llm_configs"]
    source = "llm/_internal/serve/core/configs/llm_config.py"
    assert llm.keys() <= _fields(source, "LLMConfig")
    assert llm["model_loading_config"].keys() <= _fields(source, "ModelLoadingConfig")
    assert llm["deployment_config"].keys() <= _fields("serve/schema.py", "DeploymentSchema")
    assert llm["deployment_config"]["request_router_config"].keys() <= _fields("serve/config.py", "RequestRouterConfig")
    module, _, router = llm["deployment_config"]["request_router_config"]["request_router_class"].rpartition(".")
    assert f"class {router}" in (Path(ray.__file__).parents[1] / f"{module.replace('.', '/')}.py").read_text()
    session = re.search(r'^SERVE_SESSION_ID = .*"([\w-]+)"\)$', RAY_CONSTANTS.read_text(), re.MULTILINE)
    assert session is not None
    assert session[1] == SESSION_HEADER.lower()
    assert llm["engine_kwargs"]["tensor_parallel_size"] == 4
    assert llm["runtime_env"]["env_vars"]["HF_HUB_OFFLINE"] == "1"


def test_replicas_on_ray_stand_behind_one_address() -> None:
    launch = prepare(plan(gpus=2), FlagSite(), "vllm")
    assert len(launch.urls) == 2
    assert run_line(launch, launch.urls[:1]) == (
        "manyhands run TASKS.yaml --mllm-url http://127.0.0.1:8000/v1 --dialect qwen3-vl --max-pixels 1048576"
    )


def test_what_ray_serve_cannot_do_is_refused() -> None:
    with pytest.raises(BadInput, match="asks for no key"):
        serve_config(prepare(plan(), FlagSite(key_env="K"), "vllm"))
    cpu = plan_for(profile_named("Qwen/Qwen3-VL-2B-Instruct"), Hardware(0, 64 * GIB), NEEDS)
    with pytest.raises(BadInput, match="plans for GPUs"):
        serve_config(prepare(cpu, FlagSite(), "vllm"))
