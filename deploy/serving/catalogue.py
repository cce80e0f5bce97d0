"""Describe the models that Manyhands serves, as data, and find the profile of a model by its name.

Sizes come from each model's config.json; the profile's ``basis`` says where each was read. A size that was not read is
marked there. It is larger than the real one probably is, so that plans reserve too much rather than too
little.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from manyhands.protocol.errors import BadInput

Precision = Literal["bf16", "fp8", "int8", "int4"]

# Bytes of each quantised parameter. int4: four bits, plus a 16-bit scale and a 4-bit zero for 128 each (AWQ, GPTQ).
BYTES: dict[Precision, float] = {"bf16": 2.0, "fp8": 1.0, "int8": 1.0, "int4": 0.5 + 2.5 / 128}
BILLION = 1e9
NATIVE_FORM = "native"
"""The format of replies in which a model is asked in its family's own form."""


@dataclass(frozen=True, slots=True)
class Family:
    """Hold what models of one family share.

    Pixels are those of one picture; ``factor`` is the side of a token in pixels.
    """

    name: str
    dialect: str
    factor: int
    min_pixels: int
    max_pixels: int
    """The limit of the model's processor, far more than a screenshot needs."""
    thinks: bool = False
    """Whether the chat template lets the model think first, and the server is to turn that off."""
    always_thinks: bool = False
    """Whether the model was trained to think first, so that its replies are long."""
    keeps_thoughts: bool = False
    """Whether the server leaves the thoughts in the reply, where the family's form has tags for them."""
    has_mtp: bool = False
    """Whether checkpoints hold heads that predict further tokens (multi-token prediction)."""
    output: str = "json"
    """The format of replies in which a run asks. Servers are started with a backend for schemas, which JSON needs."""
    sized_frames: int = 0
    """0: the processor takes its limits on pixels as ``min_pixels`` and ``max_pixels``. Else it takes them as ``size``,
    and counts a picture as so many equal frames (GLM-4.1V: 2)."""
    vision_width: int = 1280
    """The width of the vision tower, or more (Qwen2.5-VL: 1280; Qwen3-VL: 1152)."""
    vision_parameters: float = 0.7
    """Billions of parameters of the vision tower, or more (Qwen2.5-VL)."""
    content_format: str = ""
    """The value of vLLM's ``--chat-template-content-format``; empty if vLLM chooses it by the template."""
    sees: bool = True
    """Whether the model sees pictures. A run of one that does not says ``--pictures none``."""

    def pixel_limits(self, max_pixels: int) -> Mapping[str, object]:
        """Return what the model's processor is told, so that it shows a picture with at most ``max_pixels``."""
        if not self.sized_frames:
            return {"min_pixels": self.min_pixels, "max_pixels": max_pixels}
        frames = self.sized_frames
        return {"size": {"shortest_edge": frames * self.min_pixels, "longest_edge": frames * max_pixels}}


QWEN3_VL = Family("Qwen3-VL", "qwen3-vl", 32, 256 * 256, 16384 * 32 * 32)
QWEN25_VL = Family("Qwen2.5-VL", "qwen2.5-vl", 28, 56 * 56, 16384 * 28 * 28)
QWEN35 = Family("Qwen3.5", "qwen3.5", 32, 256 * 256, 16384 * 32 * 32, thinks=True, has_mtp=True)
QWEN36, QWEN38 = (replace(QWEN35, name=name) for name in ("Qwen3.6", "Qwen3.8"))
# Trained as agents: a run of the profile native asks them in their own form (docs/model-forms.md).
GUI_OWL = Family("GUI-Owl-1.5", "gui-owl-1.5", 32, 256 * 256, 16384 * 32 * 32, output=NATIVE_FORM)
FIRST_OWL = Family("GUI-Owl", "gui-owl", 28, 56 * 56, 12_800 * 28 * 28, output=NATIVE_FORM)
FORGE_OWL = replace(GUI_OWL, name="ForgeOwl")
UI_VOYAGER, FORGE_QWEN3 = (replace(QWEN3_VL, name=name, output=NATIVE_FORM) for name in ("UI-Voyager", "ForgeQwen3"))
MAI_UI = Family("MAI-UI", "mai-ui", 32, 256 * 256, 16384 * 32 * 32, output=NATIVE_FORM)
UI_VENUS_15 = Family("UI-Venus-1.5", "ui-venus-1.5", 32, 256 * 256, 16384 * 32 * 32, output=NATIVE_FORM)
UI_VENUS_2 = Family(
    "UI-Venus-2",
    "ui-venus-2",
    32,
    256 * 256,
    16384 * 32 * 32,
    output=NATIVE_FORM,
    always_thinks=True,
    keeps_thoughts=True,
)
HOLO31 = Family("Holo-3.1", "holo-3.1", 32, 256 * 256, 16384 * 32 * 32, always_thinks=True, output=NATIVE_FORM)
HOLO4 = replace(HOLO31, name="Holo4")
GELAB = Family("GELab-Zero", "gelab-zero", 32, 256 * 256, 16384 * 32 * 32, output=NATIVE_FORM)
UI_TARS = Family("UI-TARS-1.5", "ui-tars-1.5", 28, 100 * 28 * 28, 16384 * 28 * 28, output=NATIVE_FORM)
# Built on GLM-4.1V. vLLM puts the picture before a message's text if it is told that the template takes strings.
AUTOGLM = Family(
    "AutoGLM-Phone",
    "autoglm-phone",
    28,
    112 * 112,
    6144 * 28 * 28,
    output=NATIVE_FORM,
    sized_frames=2,
    vision_width=1536,
    vision_parameters=0.9,
    content_format="string",
)
# A text model without a form of its own (docs/model-forms.md).
SMOLLM2 = Family(
    "SmolLM2",
    "plain-chat",
    32,
    256 * 256,
    16384 * 32 * 32,
    output=NATIVE_FORM,
    vision_width=0,
    vision_parameters=0.0,
    sees=False,
)

AGENTS = (
    *(GUI_OWL, FIRST_OWL, FORGE_OWL, UI_VOYAGER, FORGE_QWEN3, MAI_UI, UI_TARS, AUTOGLM),
    *(UI_VENUS_2, UI_VENUS_15, HOLO31, HOLO4, GELAB),
)
"""Families that were trained as agents on a general model."""
_FAMILIES = (QWEN3_VL, QWEN25_VL, *AGENTS)
"""The families all of whose sizes are known. A size of Qwen3.5 that is not listed is guessed."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Hold the sizes that decide a model's memory. ``parameters`` and ``unquantised`` are in billions."""

    parameters: float
    unquantised: float
    """Parameters that stay in 16 bits when the rest is quantised: embeddings, output head, vision tower."""
    kv_layers: int
    """Layers with a KV cache; in hybrid models only those with full attention."""
    kv_heads: int
    head_dim: int
    heads: int
    hidden: int
    vocabulary: int = 151936
    expert_width: int | None = None
    """``moe_intermediate_size`` of a mixture of experts. With FP8's blocks of 128 it limits tensor parallelism."""
    state_bytes: int = 0
    """Bytes of recurrent state for one request in a hybrid model."""


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """Describe how one model is served; ``model`` is a hub name or a folder."""

    model: str
    family: Family
    shape: Shape
    precision: Precision
    weight_bytes: int
    thinking: bool
    """Whether the model always thinks first: its family, or the variant (Thinking, Think)."""
    max_positions: int
    basis: str
    """Where the sizes come from, for the user."""
    guessed: bool = False

    @property
    def served_name(self) -> str:
        """Return the name by which servers list the model."""
        return Path(self.model).name if Path(self.model).is_dir() else self.model

    def image_tokens(self, pixels: int) -> int:
        """Return the tokens of the largest picture under a cap of ``pixels``; 0 for a model that sees none."""
        if not self.family.sees:
            return 0
        return math.ceil(pixels / self.family.factor**2)

    def kv_bytes_per_token(self, tensor_parallel: int = 1) -> int:
        """Return the bytes on one GPU: keys and values, 16 bits each. GPUs share heads, but never split one."""
        heads = math.ceil(self.shape.kv_heads / tensor_parallel)
        return 2 * 2 * self.shape.kv_layers * heads * self.shape.head_dim


def _gdn(layers: int, value_heads: int) -> int:
    """Return the bytes of Gated DeltaNet state: three copies of a 128 x 128 float32 matrix for each head and layer."""
    return 3 * layers * value_heads * 128 * 128 * 4


_CONFIG = "the config.json of this size, as read for the catalogue"
_TEXT = "config.json of the text model that it is built on"
_UNREAD = "sizes of the text model that it is built on, from memory: its config.json was not read"
_KV_GUESS = "layers from config.json; its number of KV heads was not read, 4 is taken"

_SHAPES: dict[str, tuple[Family, Shape, str]] = {
    "qwen3-vl-2b": (QWEN3_VL, Shape(2.13, 0.72, 28, 8, 128, 16, 2048), _CONFIG),
    "qwen3-vl-4b": (QWEN3_VL, Shape(4.44, 0.81, 36, 8, 128, 32, 2560), _CONFIG),
    "qwen3-vl-8b": (QWEN3_VL, Shape(8.77, 1.83, 36, 8, 128, 32, 4096), _CONFIG),
    "qwen3-vl-32b": (QWEN3_VL, Shape(33.4, 2.15, 64, 8, 128, 64, 5120), _TEXT),
    "qwen3-vl-30b-a3b": (QWEN3_VL, Shape(31.1, 1.20, 48, 4, 128, 32, 2048, expert_width=768), _CONFIG),
    "qwen3-vl-235b-a22b": (QWEN3_VL, Shape(236.0, 1.83, 94, 4, 128, 64, 4096, expert_width=1536), _TEXT),
    "qwen2.5-vl-3b": (QWEN25_VL, Shape(3.75, 0.99, 36, 2, 128, 16, 2048), _TEXT),
    "qwen2.5-vl-7b": (QWEN25_VL, Shape(8.29, 1.77, 28, 4, 128, 28, 3584, 152064), _CONFIG),
    "qwen2.5-vl-32b": (QWEN25_VL, Shape(33.5, 2.25, 64, 8, 128, 40, 5120, 152064), _UNREAD),
    "qwen2.5-vl-72b": (QWEN25_VL, Shape(73.4, 3.18, 80, 8, 128, 64, 8192, 152064), _UNREAD),
    "qwen3.5-4b": (
        QWEN35,
        Shape(4.7, 1.10, 8, 4, 256, 16, 2560, 248320, None, _gdn(24, 32)),
        "layers from config.json; its number of KV heads was not read, 4 is taken",
    ),
    "qwen3.5-9b": (QWEN35, Shape(9.7, 2.60, 8, 4, 256, 16, 4096, 248320, None, _gdn(24, 32)), _CONFIG),
    "qwen3.5-27b": (QWEN35, Shape(27.8, 3.10, 16, 4, 256, 24, 5120, 248320, None, _gdn(48, 48)), _CONFIG),
    "qwen3.5-35b-a3b": (
        QWEN35,
        Shape(36.0, 1.60, 10, 4, 256, 16, 2048, 248320, 512, _gdn(30, 32)),
        "size from vLLM's recipe; layers and KV heads were not read: 10 with a KV cache of 4 heads are taken",
    ),
    "autoglm-phone-9b": (
        AUTOGLM,
        Shape(10.3, 2.13, 40, 2, 128, 32, 4096, 151552),
        "as GLM-4.1V-9B, on which it is built: the defaults of its configuration in transformers",
    ),
    "smollm2-135m": (SMOLLM2, Shape(0.135, 0.028, 30, 3, 64, 9, 576, 49152), "the metadata of its GGUF file"),
}
_BASES: dict[str, tuple[Family, str]] = {
    "qwen3.6-27b": (QWEN36, "qwen3.5-27b"),
    "qwen3.6-35b-a3b": (QWEN36, "qwen3.5-35b-a3b"),
    "qwen3.8-27b": (QWEN38, "qwen3.5-27b"),
    **{f"gui-owl-1.5-{size}": (GUI_OWL, f"qwen3-vl-{size}") for size in ("2b", "4b", "8b", "32b")},
    **{f"gui-owl-{size}": (FIRST_OWL, f"qwen2.5-vl-{size}") for size in ("7b", "32b")},
    "forgeowl-8b": (FORGE_OWL, "qwen3-vl-8b"),
    "forgeqwen3-8b": (FORGE_QWEN3, "qwen3-vl-8b"),
    "ui-voyager": (UI_VOYAGER, "qwen3-vl-4b"),
    **{f"mai-ui-{size}": (MAI_UI, f"qwen3-vl-{size}") for size in ("2b", "8b")},
    "ui-tars-1.5-7b": (UI_TARS, "qwen2.5-vl-7b"),
    **{f"ui-venus-2-{size}": (UI_VENUS_2, f"qwen3.5-{size}") for size in ("9b", "27b")},
    **{f"ui-venus-1.5-{size}": (UI_VENUS_15, f"qwen3-vl-{size}") for size in ("2b", "8b", "30b-a3b")},
    **{f"holo-3.1-{size}": (HOLO31, f"qwen3.5-{size}") for size in ("4b", "9b", "35b-a3b")},
    **{f"holo4-{size}": (HOLO4, f"qwen3.5-{size}") for size in ("27b", "35b-a3b")},
    "gelab-zero-4b": (GELAB, "qwen3-vl-4b"),
}
"""Models with the sizes of another one. The bases of UI-Venus are taken for theirs by their number of parameters."""
_SHAPES |= {
    name: (family, _SHAPES[base][1], f"as {base.upper().replace('QWEN', 'Qwen')}, whose sizes it has")
    for name, (family, base) in _BASES.items()
}


def agents_on(base: Family) -> list[Family]:
    """Return the families of agents that are built on a general family."""
    return [one for one in AGENTS if any(agent is one and _SHAPES[of][0] is base for agent, of in _BASES.values())]


# Names that the models' makers publish. Suggestions of another size come from this list.
LISTED: tuple[str, ...] = (
    *(
        f"Qwen/Qwen3-VL-{s}-Instruct{q}"
        for s in ("2B", "4B", "8B", "32B", "30B-A3B", "235B-A22B")
        for q in ("", "-FP8")
    ),
    *(f"Qwen/Qwen2.5-VL-{s}-Instruct{q}" for s in ("3B", "7B", "32B", "72B") for q in ("", "-AWQ")),
    *(f"Qwen/Qwen3.5-{s}" for s in ("4B", "9B", "27B", "27B-FP8", "35B-A3B", "35B-A3B-FP8")),
    *(f"Qwen/Qwen3.{s}{q}" for s in ("6-27B", "6-35B-A3B", "8-27B") for q in ("", "-FP8")),
    *(f"mPLUG/GUI-Owl-1.5-{s}-Instruct" for s in ("2B", "4B", "8B", "32B")),
    *(f"mPLUG/GUI-Owl-{s}" for s in ("7B", "32B")),
    *("lgy0404/ForgeOwl-8B", "lgy0404/ForgeQwen3-8B", "MarsXL/UI-Voyager"),
    *(f"Tongyi-MAI/MAI-UI-{s}" for s in ("2B", "8B")),
    *(f"inclusionAI/UI-Venus-{s}" for s in ("2-9B", "2-27B", "1.5-2B", "1.5-8B", "1.5-30B-A3B")),
    *(f"Hcompany/Holo{s}" for s in ("-3.1-4B", "-3.1-9B", "-3.1-35B-A3B", "-3.1-35B-A3B-FP8")),
    *(f"Hcompany/Holo4-{s}{q}" for s in ("27B", "35B-A3B") for q in ("", "-FP8")),
    "stepfun-ai/GELab-Zero-4B-preview",
    "ByteDance-Seed/UI-TARS-1.5-7B",
    *(f"zai-org/AutoGLM-Phone-9B{q}" for q in ("", "-Multilingual")),
    "HuggingFaceTB/SmolLM2-135M-Instruct",
)

_MAKERS = frozenset(name.partition("/")[0].lower() for name in LISTED)
_PUBLISHED: tuple[str, ...] = (
    *LISTED,
    *(
        f"Qwen/Qwen3-VL-{s}-Thinking{q}"
        for s in ("2B", "4B", "8B", "32B", "30B-A3B", "235B-A22B")
        for q in ("", "-FP8")
    ),
    *(f"mPLUG/GUI-Owl-1.5-{s}-Think" for s in ("8B", "32B")),
)
"""All names of these makers that can be served: those listed, and their variants that think."""

_PRECISIONS: tuple[tuple[str, Precision], ...] = (
    ("fp8", "fp8"),
    ("w8a8", "int8"),
    ("int8", "int8"),
    ("awq", "int4"),
    ("int4", "int4"),
    ("w4a16", "int4"),
    ("nvfp4", "int4"),
)
_LATER = re.compile(r"qwen(?P<version>\d+(?:\.\d+)?)(?P<vl>-vl)?.*?-(?P<size>\d+(?:\.\d+)?)b(?P<active>-a\d+b)?(?:-|$)")
_TRAINED_POSITIONS = 262144
_POSITIONS = {
    **dict.fromkeys((QWEN25_VL.name, FIRST_OWL.name, UI_TARS.name), 128000),
    AUTOGLM.name: 32768,
    SMOLLM2.name: 8192,
}
"""The longest requests of families with another limit than most."""


def profile_named(model: str) -> ModelProfile:
    """Return the profile of a hub name such as ``Qwen/Qwen3-VL-8B-Instruct-FP8``. Raises BadInput with the known ones.

    The names of most fine-tunes begin with the name of their base model; they get its sizes. A later multimodal Qwen
    that is not listed gets the conventions of Qwen3.5, marked as a guess.
    """
    size = _size_of(model)
    if size is not None:
        family, shape, basis = _SHAPES[size]
        return _make_profile(model, family, shape, basis, guessed=False)
    return _guessed(model, model.rpartition("/")[2].lower())


def published_name(model: str) -> str:
    """Return the hub name, with its owner, that is meant by ``model``: a whole name, or the beginning of one.

    Capitals do not matter. Another owner's fine-tune, and a later Qwen, keep their names. Raises BadInput if several
    names begin so, or none.
    """
    owner, _, name = model.lower().rpartition("/")
    if owner and owner not in _MAKERS:
        return model
    names = {one: one.lower() if owner else one.lower().rpartition("/")[2] for one in _PUBLISHED}
    exact = [one for one, spelled in names.items() if spelled == model.lower()]
    matches = exact or [one for one, spelled in names.items() if spelled.startswith(f"{model.lower()}-")]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise BadInput(f"--model {model} is the beginning of several names: say one of {', '.join(matches)}")
    key = _size_of(model)
    if key is None:
        if profile_named(model).guessed and not owner:
            raise BadInput(f"--model {model}: a name at the hub begins with its owner; say Qwen/{model}")
        return model
    of_size = {one.rpartition("/")[2].lower(): one for one in _PUBLISHED if _size_of(one) == key}
    suggestions = difflib.get_close_matches(name, of_size, n=2, cutoff=0)
    raise BadInput(
        f"--model {model}: no name of the catalogue; did you mean {' or '.join(of_size[one] for one in suggestions)}? "
        "If it exists, download it and give its folder"
    )


def _size_of(model: str) -> str | None:
    """Return the key of the sizes of a hub name; None if it has none."""
    name = model.rpartition("/")[2].lower()
    return max((key for key in _SHAPES if name == key or name.startswith(f"{key}-")), key=len, default=None)


def _make_profile(model: str, family: Family, shape: Shape, basis: str, guessed: bool) -> ModelProfile:
    words = re.split(r"[-._]", model.rpartition("/")[2].lower())
    precision: Precision = next((kind for word, kind in _PRECISIONS if word in words), "bf16")
    quantised = shape.parameters - shape.unquantised
    weights = quantised * BYTES[precision] + shape.unquantised * BYTES["bf16"]
    return ModelProfile(
        model=model,
        family=family,
        shape=shape,
        precision=precision,
        weight_bytes=int(weights * BILLION),
        thinking=family.always_thinks or bool({"thinking", "think"} & set(words)),
        max_positions=_POSITIONS.get(family.name, _TRAINED_POSITIONS),
        basis=basis,
        guessed=guessed,
    )


def _guessed(model: str, name: str) -> ModelProfile:
    of_family = next((family for family in _FAMILIES if name.startswith(f"{family.name.lower()}-")), None)
    if of_family is not None:
        sizes = [one for one in LISTED if one.rpartition("/")[2].startswith(of_family.name)]
        raise BadInput(f"--model {model}: no such size is known; {of_family.name} has {', '.join(sizes)}")
    match = _LATER.match(name)
    version = tuple(int(part) for part in match["version"].split(".")) if match else ()
    if match is not None and match["vl"] is None and (2, 5) <= version < (3, 5):
        raise BadInput(f"--model {model}: a text model; Manyhands shows it pictures. Take one with -VL, or Qwen3.5 on")
    if match is None or version < (3, 5):
        families = f"{', '.join(one.name for one in _FAMILIES)}, Qwen3.5 and later"
        raise BadInput(
            f"--model {model}: mllm does not know this model. Known are {families}; or give a folder with a config.json"
        )
    size = float(match["size"])
    alike = _SHAPES.get(f"qwen3.5-{match['size']}b{match['active'] or ''}")
    if alike is not None:
        shape, how = alike[1], f"sizes of Qwen3.5-{match['size']}B{(match['active'] or '').upper()}"
    else:
        # 256 KiB of KV cache for each token, as in a dense 32B model with full attention: more than any hybrid needs.
        shape = Shape(size * 1.05, min(size * 0.2, 3.0), 64, 8, 128, 16, 5120, 248320)
        how = "sizes from its name, the KV cache of a dense 32B model"
    family = replace(QWEN35, name=f"Qwen{match['version']}{(match['vl'] or '').upper()}")
    return _make_profile(model, family, shape, f"a guess: conventions of Qwen3.5, {how}", guessed=True)
