"""Profiles: names and folders lead to family, sizes and precision; unknown ones are refused or called a guess."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.mllm.native import NATIVE_FORMS
from manyhands.actors.mllm.request.dialects import DIALECTS, dialect_named
from manyhands.deploy.serving.catalogue import LISTED, profile_named, published_name
from manyhands.deploy.serving.folders import profile_of
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.geometry import Size
from tests.deploy.serving.printed import printed

GIB = 1024**3
QWEN3_TEXT = {
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "hidden_size": 256,
    "vocab_size": 1000,
    "max_position_embeddings": 4096,
}


def folder(path: Path, config: dict[str, Any], weights: int = 1000) -> str:
    path.mkdir(parents=True, exist_ok=True)
    (path / "config.json").write_text(json.dumps(config))
    if weights:
        (path / "model-00001.safetensors").write_bytes(b"\0" * (weights // 2))
        (path / "model-00002.safetensors").write_bytes(b"\0" * (weights - weights // 2))
    return str(path)


@pytest.mark.parametrize("model", LISTED)
def test_listed_models_have_a_dialect_that_the_client_knows(model: str) -> None:
    profile = profile_named(model)
    dialect = dialect_named(profile.family.dialect, max_pixels=1_048_576)
    # The client counts a picture's tokens as the server does: 1080x2400 fills the cap but for rounding.
    tokens = dialect.image_tokens(Size(width=1080, height=2400))
    assert not profile.family.sees or 0.95 * profile.image_tokens(1_048_576) < tokens <= profile.image_tokens(1_048_576)
    assert not profile.guessed
    assert profile.served_name == model


def test_bytes_of_the_cache_and_of_weights() -> None:
    full, quantised = (profile_named(f"Qwen/Qwen3-VL-8B-Instruct{end}") for end in ("", "-FP8"))
    # 36 layers x 8 heads x 128 x (key + value) x 2 bytes
    assert full.kv_bytes_per_token() == quantised.kv_bytes_per_token() == 147_456
    assert full.kv_bytes_per_token(2) == 73_728
    assert full.kv_bytes_per_token(16) == 18_432
    # The hub's folder of the 32B model is 66.7 GB; a recipe's smallest GPU for 235B-FP8, 282 GB, is 1.2 x its weights.
    assert profile_named("mPLUG/GUI-Owl-1.5-32B-Instruct").weight_bytes == pytest.approx(66.7e9, rel=0.01)
    assert profile_named("Qwen/Qwen3-VL-235B-A22B-Instruct-FP8").weight_bytes == pytest.approx(282e9 / 1.2, rel=0.03)
    assert quantised.weight_bytes < 0.65 * full.weight_bytes


@pytest.mark.parametrize(
    ("name", "precision", "thinking"),
    [
        ("Qwen/Qwen3-VL-8B-Thinking", "bf16", True),
        ("mPLUG/GUI-Owl-1.5-8B-Think", "bf16", True),
        ("RedHatAI/Qwen2.5-VL-7B-Instruct-quantized.w8a8", "int8", False),
        ("someone/Qwen3-VL-4B-Instruct-AWQ-4bit", "int4", False),
        ("someone/qwen3-vl-30b-a3b-instruct-fp8-dynamic", "fp8", False),
        ("Qwen/Qwen2.5-VL-72B-Instruct-AWQ", "int4", False),
    ],
)
def test_precision_and_thinking_are_read_from_the_name(name: str, precision: str, thinking: bool) -> None:
    profile = profile_named(name)
    assert (profile.precision, profile.thinking) == (precision, thinking)


def test_a_mixture_of_experts_is_not_taken_for_the_dense_model() -> None:
    assert profile_named("Qwen/Qwen3-VL-30B-A3B-Instruct").shape.expert_width == 768
    assert profile_named("Qwen/Qwen3-VL-32B-Instruct").shape.expert_width is None


@pytest.mark.parametrize("name", ["Qwen/Qwen3.9-27B", "Qwen/Qwen4-VL-14B", "Qwen/Qwen3.6-7B"])
def test_later_multimodal_models_are_a_guess_and_say_so(name: str) -> None:
    profile = profile_named(name)
    assert profile.guessed
    assert profile.basis.startswith("a guess")
    assert profile.family.dialect == "qwen3.5"
    assert profile.weight_bytes > 0


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Qwen/Qwen3-8B", "a text model"),
        ("Qwen/Qwen2.5-7B-Instruct", "a text model"),
        ("Qwen/Qwen3-VL-5B", "no such size"),
        (
            "mPLUG/GUI-Owl-1.5-7B-Instruct",
            "no such size is known; GUI-Owl-1.5 has mPLUG/GUI-Owl-1.5-2B-Instruct, mPLUG",
        ),
        ("UI-TARS-1.5-72B", "UI-TARS-1.5 has ByteDance-Seed/UI-TARS-1.5-7B$"),
        ("Qwen/Qwen2-VL-7B-Instruct", "does not know this model"),
        ("Qwen/Qwen3.1-VL-8B", "does not know this model"),
        ("meta/llama-4", "does not know this model"),
        ("", "does not know this model"),
    ],
)
def test_other_models_are_refused(name: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        profile_named(name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Qwen/Qwen3-VL-8B-Insturct", ["Qwen/Qwen3-VL-8B-Instruct"]),
        ("Qwen/Qwen3-VL-8B", ["Qwen/Qwen3-VL-8B-Instruct", "Qwen/Qwen3-VL-8B-Thinking-FP8"]),
        ("GUI-Owl-1.5-8B", ["mPLUG/GUI-Owl-1.5-8B-Instruct", "mPLUG/GUI-Owl-1.5-8B-Think"]),
        ("qwen3-vl-8b-fp8", ["Qwen/Qwen3-VL-8B-Instruct-FP8"]),
        ("Qwen3.9-27B", ["Qwen/Qwen3.9-27B"]),
        ("UI-TARS-1.5-72B", ["ByteDance-Seed/UI-TARS-1.5-7B"]),
    ],
)
def test_a_name_that_nobody_published_is_refused_with_those_meant(name: str, meant: list[str]) -> None:
    status, text = printed(name, 1)
    assert status == 2
    assert text.startswith(f"error: --model {name}")
    assert "vllm serve" not in text
    assert all(one in text for one in meant)


@pytest.mark.parametrize(
    ("name", "served"),
    [
        ("Qwen3-VL-32B-Instruct-FP8", "Qwen/Qwen3-VL-32B-Instruct-FP8"),
        ("qwen/qwen3-vl-8b-instruct", "Qwen/Qwen3-VL-8B-Instruct"),
        ("ui-tars-1.5", "ByteDance-Seed/UI-TARS-1.5-7B"),
        ("AutoGLM-Phone-9B", "zai-org/AutoGLM-Phone-9B"),
    ],
)
def test_a_short_name_with_one_match_is_served_by_its_whole_name(name: str, served: str) -> None:
    status, text = printed(name, 1)
    assert status == 0
    assert text.startswith(f"# {served} (")
    assert f"vllm serve {served}" in text


@pytest.mark.parametrize(
    "name",
    [
        *LISTED,
        "Qwen/Qwen3-VL-8B-Thinking-FP8",
        "mPLUG/GUI-Owl-1.5-32B-Think",
        "someone/Qwen3-VL-8B-mine",
        "Qwen/Qwen3.9-27B",
    ],
)
def test_published_names_and_fine_tunes_of_others_are_kept(name: str) -> None:
    assert published_name(name) == name


@given(st.text(max_size=60))
def test_any_name_gives_a_profile_or_bad_input(name: str) -> None:
    with contextlib.suppress(BadInput):
        assert profile_named(name).weight_bytes >= 0
    with contextlib.suppress(BadInput):
        assert published_name(published_name(name)) == published_name(name)


# ------------------------------------------------------------------------------- folders
def test_a_folder_tells_family_sizes_and_weights(tmp_path: Path) -> None:
    model = folder(tmp_path / "mine", {"model_type": "qwen3_vl", "text_config": QWEN3_TEXT}, weights=4001)
    profile = profile_of(model)
    assert (profile.family.name, profile.precision, profile.weight_bytes) == ("Qwen3-VL", "bf16", 4001)
    assert profile.kv_bytes_per_token() == 2 * 2 * 4 * 2 * 64
    assert (profile.served_name, profile.max_positions) == ("mine", 4096)


def test_the_older_layout_of_qwen25_has_the_text_model_at_the_top(tmp_path: Path) -> None:
    config = {"model_type": "qwen2_5_vl", **QWEN3_TEXT, "quantization_config": {"quant_method": "awq", "bits": 4}}
    del config["head_dim"]
    profile = profile_of(folder(tmp_path, config))
    assert (profile.family.dialect, profile.precision, profile.shape.head_dim) == ("qwen2.5-vl", "int4", 32)


def test_only_full_attention_keeps_a_cache(tmp_path: Path) -> None:
    text = {
        **QWEN3_TEXT,
        "layer_types": ["linear_attention", "linear_attention", "linear_attention", "full_attention"],
        "linear_key_head_dim": 16,
        "linear_value_head_dim": 16,
        "linear_num_value_heads": 2,
    }
    profile = profile_of(folder(tmp_path, {"model_type": "qwen3_5", "text_config": text}))
    assert profile.shape.kv_layers == 1
    assert profile.shape.state_bytes == 3 * 3 * 2 * 16 * 16 * 4


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"model_type": "mamba"}, "model_type is 'mamba'"),
        ({"model_type": "qwen3_vl", "text_config": {"num_hidden_layers": 4}}, "lacks a usable 'num_attention_heads'"),
        ([1], "not an object"),
    ],
)
def test_a_folder_that_cannot_be_used(tmp_path: Path, config: Any, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        profile_of(folder(tmp_path, config))


def test_a_folder_without_config_or_weights(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no readable config\.json"):
        profile_of(str(tmp_path))
    with pytest.raises(BadInput, match="no weights"):
        profile_of(folder(tmp_path / "a", {"model_type": "qwen3_vl", "text_config": QWEN3_TEXT}, weights=0))
    with pytest.raises(BadInput, match="no such folder"):
        profile_of("./nowhere")


@pytest.mark.parametrize(
    ("name", "kind", "dialect"),
    [
        ("MAI-UI-8B-mine", "qwen3_vl", "mai-ui"),
        ("GUI-Owl-1.5-4B-Instruct", "qwen3_vl", "gui-owl-1.5"),
        ("ui-tars-1.5-7b", "qwen2_5_vl", "ui-tars-1.5"),
        ("AutoGLM-Phone-9B", "glm4v", "autoglm-phone"),
        ("UI-Venus-2-9B", "qwen3_5", "ui-venus-2"),
        ("ui-voyager", "qwen3_vl", "qwen3-vl"),
        ("MAI-UI-8B", "qwen2_5_vl", "qwen2.5-vl"),
        ("UI-Venus-2-9B", "qwen3_vl", "qwen3-vl"),
        ("mine", "qwen3_vl", "qwen3-vl"),
    ],
)
def test_a_folder_of_an_agent_is_told_by_its_name(tmp_path: Path, name: str, kind: str, dialect: str) -> None:
    """A model type that is not the agent's base says that the folder holds another model."""
    profile = profile_of(folder(tmp_path / name, {"model_type": kind, "text_config": QWEN3_TEXT}))
    assert profile.family.dialect == dialect
    assert profile.family.output == (
        "native" if dialect in NATIVE_FORMS and not profile.family.name.startswith("Qwen") else "json"
    )


@pytest.mark.parametrize(
    ("name", "turns_off", "thinks"),
    [
        ("Qwen3.8-27B", True, False),
        ("UI-Venus-2-9B", False, True),
        ("Holo-3.1-9B", False, True),
        ("Holo4-35B-A3B-FP8", False, True),
        ("mine", True, False),
    ],
)
def test_an_agent_that_was_trained_to_think_may_think(tmp_path: Path, name: str, turns_off: bool, thinks: bool) -> None:
    """A folder of such an agent counts as Qwen3.5 by its model type, whose thinking is turned off."""
    config = {"model_type": "qwen3_5_moe" if "A3B" in name else "qwen3_5", "text_config": QWEN3_TEXT}
    profile = profile_of(folder(tmp_path / name, config))
    assert (profile.family.thinks, profile.thinking) == (turns_off, thinks)


@pytest.mark.parametrize("name", LISTED)
def test_a_family_has_the_limits_of_its_dialect(name: str) -> None:
    family = profile_named(name).family
    dialect = DIALECTS[family.dialect]
    assert (family.factor, family.min_pixels, family.max_pixels) == (
        dialect.factor,
        dialect.min_pixels,
        dialect.max_pixels,
    )
    assert (family.output == "native") is (not name.startswith("Qwen/") and family.dialect in NATIVE_FORMS)


def test_the_processor_of_autoglm_counts_a_picture_as_two_frames() -> None:
    limits = profile_named("zai-org/AutoGLM-Phone-9B").family.pixel_limits(1_048_576)
    assert limits == {"size": {"shortest_edge": 2 * 112 * 112, "longest_edge": 2 * 1_048_576}}


def test_every_family_that_has_a_form_is_served() -> None:
    assert NATIVE_FORMS.keys() <= {profile_named(name).family.dialect for name in LISTED}
