"""Read the profile of a model in a folder: family, sizes and precision from config.json, weights from the files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from manyhands.deploy.serving.catalogue import (
    AUTOGLM,
    QWEN3_VL,
    QWEN25_VL,
    QWEN35,
    SMOLLM2,
    Family,
    ModelProfile,
    Precision,
    Shape,
    agents_on,
    profile_named,
    published_name,
)
from manyhands.protocol.errors import BadInput

_FAMILIES: dict[str, Family] = {
    "qwen3_vl": QWEN3_VL,
    "qwen3_vl_moe": QWEN3_VL,
    "qwen2_5_vl": QWEN25_VL,
    "qwen3_5": QWEN35,
    "qwen3_5_moe": QWEN35,
    "glm4v": AUTOGLM,
    "llama": SMOLLM2,
}
_WEIGHTS = ("*.safetensors", "*.bin")


def profile_of(model: str) -> ModelProfile:
    """Return the profile of a folder with a config.json, or of a hub name (``published_name``). Raises BadInput."""
    folder = Path(model).expanduser()
    if folder.is_dir():
        return _profile_in(folder)
    if model.startswith((".", "~")) or folder.is_absolute():
        raise BadInput(f"--model {model}: no such folder")
    return profile_named(published_name(model))


def _profile_in(folder: Path) -> ModelProfile:
    config = _config(folder)
    kind = config.get("model_type")
    base = _FAMILIES.get(str(kind))
    if base is None:
        raise BadInput(f"--model {folder}: its model_type is {kind!r}; served are {', '.join(_FAMILIES)}")
    # Only the folder's name tells an agent from the model that it is built on.
    family = next((one for one in agents_on(base) if folder.name.lower().startswith(one.name.lower())), base)
    # Older checkpoints of Qwen2.5-VL have the text model's numbers at the top level.
    text: Mapping[str, Any] = config.get("text_config") or config
    try:
        shape = _shape(text)
        positions = int(text["max_position_embeddings"])
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"--model {folder}: config.json lacks a usable {error.args[0]!r}") from error
    return ModelProfile(
        model=str(folder),
        family=family,
        shape=shape,
        precision=_precision(config),
        weight_bytes=_weight_bytes(folder),
        thinking=family.always_thinks or "think" in folder.name.lower(),
        max_positions=positions,
        basis="config.json and the files of the folder",
    )


def _config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"--model {folder}: no readable config.json ({error})") from error
    if not isinstance(config, dict):
        raise BadInput(f"--model {folder}: config.json is not an object")
    return config


def _shape(text: Mapping[str, Any]) -> Shape:
    layers, heads, hidden = (int(text[key]) for key in ("num_hidden_layers", "num_attention_heads", "hidden_size"))
    kinds = text.get("layer_types") or ["full_attention"] * layers
    # Layers with sliding windows (Qwen2.5-VL names them) have a cache too; only linear attention has none.
    recurrent = sum(kind == "linear_attention" for kind in kinds)
    state = 0
    if recurrent:
        keys, values = int(text["linear_key_head_dim"]), int(text["linear_value_head_dim"])
        state = 3 * recurrent * int(text["linear_num_value_heads"]) * keys * values * 4
    return Shape(
        # The weights are measured from the files, so the number of parameters is not needed.
        parameters=0.0,
        unquantised=0.0,
        kv_layers=layers - recurrent,
        kv_heads=int(text.get("num_key_value_heads") or heads),
        head_dim=int(text.get("head_dim") or hidden // heads),
        heads=heads,
        hidden=hidden,
        vocabulary=int(text["vocab_size"]),
        expert_width=text.get("moe_intermediate_size"),
        state_bytes=state,
    )


def _precision(config: Mapping[str, Any]) -> Precision:
    quantised = config.get("quantization_config")
    if not quantised:
        return "bf16"
    bits = str(quantised.get("bits") or quantised.get("quant_method") or "")
    return "fp8" if "fp8" in bits else "int8" if bits == "8" else "int4"


def _weight_bytes(folder: Path) -> int:
    for pattern in _WEIGHTS:
        total = sum(path.stat().st_size for path in folder.glob(pattern))
        if total:
            return total
    raise BadInput(f"--model {folder}: no weights there ({' or '.join(_WEIGHTS)})")
