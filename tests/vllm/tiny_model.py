"""Writes a tiny random Qwen3-VL, Qwen2.5-VL or Qwen3.5 (a hybrid) that vLLM serves like a real one.

    tiny_model.py FOLDER --family qwen3_vl|qwen2_5_vl|qwen3_5 [--seed 0]

Run it with the Python of the servers' environment. Nothing is downloaded: the tokenizer is trained on Python's own
manual and docstrings, and the weights are random. What such a model says means nothing; under a schema it writes any
string that the schema allows, which is what the tests want. Same seed and same Python, same files.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from pydoc_data import topics
from typing import Any

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import AutoConfig, AutoModelForImageTextToText, GenerationConfig

CONTEXT = 32_768
VOCABULARY = 16_000
HIDDEN, LAYERS, HEAD = 128, 2, 32
SPREAD = 0.2
"""Standard deviation of the weights: wide, so that the likeliest token does not hang on rounding."""
LEANINGS = (
    (3.5, ('"', '",', '"}', "\\")),
    (4.0, ("c", "co", "con", "continue")),
    (-4.0, ("St", "Stop")),
)
"""What is added for tokens that the random model is to take more or less often: random strings end sooner than at
their limit, and runs go on for some steps instead of stopping at the first."""
SHARPNESS = 4.0
"""What a token looks at is a few others, not the mean of thousands, which would be the same for every prompt."""
SPECIAL = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>",
    "<|image_pad|>", "<|video_pad|>", "<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>", "<|box_end|>",
    "<|quad_start|>", "<|quad_end|>",
)  # fmt: skip
# How Qwen's tokenizer cuts text before pairs are merged: contractions, words with the sign before them, single
# digits, runs of punctuation, line ends, blanks.
CUTS = "|".join(
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"\p{N}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
CHAT_TEMPLATE = """\
{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' }}
{%- if message.content is string %}
{{- message.content }}
{%- else %}
{%- for part in message.content %}
{%- if part.type in ['image', 'image_url'] %}
{{- '<|vision_start|><|image_pad|><|vision_end|>' }}
{%- elif part.type == 'text' %}
{{- part.text }}
{%- endif %}
{%- endfor %}
{%- endif %}
{{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""


@dataclass(frozen=True)
class Family:
    """What differs between the families in a model of two layers."""

    rope: dict[str, Any]
    vision: dict[str, Any]
    text: dict[str, Any]
    processor: str
    video_processor: str
    mean: tuple[float, float, float]
    deviation: tuple[float, float, float]
    smallest: int
    largest: int
    """Limits on a picture's pixels."""


FAMILIES = {
    "qwen3_vl": Family(
        rope={"rope_theta": 5e6, "mrope_section": [6, 5, 5], "mrope_interleaved": True},
        vision={"patch_size": 16, "num_position_embeddings": 256, "deepstack_visual_indexes": [0, 1]},
        text={"head_dim": HEAD},
        processor="Qwen3VLProcessor",
        video_processor="Qwen3VLVideoProcessor",
        mean=(0.5, 0.5, 0.5),
        deviation=(0.5, 0.5, 0.5),
        smallest=256 * 256,
        largest=16384 * 32 * 32,
    ),
    # Three GDN layers, then one of full attention. A GDN state is as large as the keys and values of some 500 tokens.
    "qwen3_5": Family(
        rope={"rope_theta": 1e7, "mrope_section": [2, 1, 1], "mrope_interleaved": True, "partial_rotary_factor": 0.25},
        vision={"patch_size": 16, "num_position_embeddings": 256},
        text={
            "head_dim": HEAD,
            "num_hidden_layers": 4,
            "linear_num_key_heads": 2,
            "linear_num_value_heads": 4,
        },
        processor="Qwen3VLProcessor",
        video_processor="Qwen3VLVideoProcessor",
        mean=(0.5, 0.5, 0.5),
        deviation=(0.5, 0.5, 0.5),
        smallest=256 * 256,
        largest=16384 * 32 * 32,
    ),
    "qwen2_5_vl": Family(
        rope={"rope_theta": 1e6, "mrope_section": [4, 6, 6]},
        vision={"patch_size": 14, "window_size": 112, "fullatt_block_indexes": [1]},
        text={},
        processor="Qwen2_5_VLProcessor",
        video_processor="Qwen2VLVideoProcessor",
        mean=(0.48145466, 0.4578275, 0.40821073),
        deviation=(0.26862954, 0.26130258, 0.27577711),
        smallest=56 * 56,
        largest=16384 * 28 * 28,
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes a tiny random Qwen-VL.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--family", choices=sorted(FAMILIES), required=True)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    tokenizer = train_tokenizer(given.seed)
    write_tokenizer(given.folder, tokenizer)
    write_processors(given.folder, FAMILIES[given.family])
    write_weights(given.folder, given.family, tokenizer, given.seed)


def english() -> Iterator[str]:
    """Python's manual and the docstrings of its standard library: prose, code and names, none of it our prompts."""
    yield from topics.topics.values()
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        tree = ast.parse(path.read_bytes())
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield ast.get_docstring(node) or ""


def objects(seed: int, count: int = 2000) -> Iterator[str]:
    """JSON of made-up keys and values, for the tokens of punctuation that JSON is full of."""
    draw = random.Random(seed)
    words = sorted({word for word in topics.topics["strings"].split() if word.isalpha()})
    for _ in range(count):
        made: dict[str, Any] = {draw.choice(words): draw.randrange(3000) for _ in range(draw.randrange(1, 4))}
        made[draw.choice(words)] = " ".join(draw.choices(words, k=draw.randrange(1, 8)))
        made[draw.choice(words)] = draw.choice([True, None, [], {}, "", {draw.choice(words): draw.choice(words)}])
        yield json.dumps(made, separators=draw.choice([(", ", ": "), (",", ":")]))


def train_tokenizer(seed: int) -> Tokenizer:
    """A byte-level pair tokenizer that cuts as Qwen's does, with Qwen's special tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(CUTS), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - len(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([*english(), *objects(seed)], trainer)
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    return tokenizer


def write_tokenizer(folder: Path, tokenizer: Tokenizer) -> None:
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "chat_template.jinja").write_text(CHAT_TEMPLATE)
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": CONTEXT,
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "bos_token": None,
        "additional_special_tokens": SPECIAL[1:],
        "clean_up_tokenization_spaces": False,
    }
    _write(folder / "tokenizer_config.json", settings)


def write_processors(folder: Path, family: Family) -> None:
    shared = {
        "patch_size": family.vision["patch_size"],
        "temporal_patch_size": 2,
        "merge_size": 2,
        "image_mean": family.mean,
        "image_std": family.deviation,
        "processor_class": family.processor,
        "size": {"shortest_edge": family.smallest, "longest_edge": family.largest},
    }
    _write(folder / "preprocessor_config.json", {**shared, "image_processor_type": "Qwen2VLImageProcessor"})
    _write(folder / "video_preprocessor_config.json", {**shared, "video_processor_type": family.video_processor})


def write_weights(folder: Path, name: str, tokenizer: Tokenizer, seed: int) -> None:
    """config.json, generation_config.json and model.safetensors."""
    ids = {token: tokenizer.token_to_id(token) for token in SPECIAL}
    ends = {"bos_token_id": ids["<|endoftext|>"], "pad_token_id": ids["<|endoftext|>"]}
    family = FAMILIES[name]
    text = {
        "vocab_size": -(-tokenizer.get_vocab_size() // 64) * 64,
        "hidden_size": HIDDEN,
        "intermediate_size": 2 * HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HIDDEN // HEAD,
        "num_key_value_heads": 2,
        "max_position_embeddings": CONTEXT,
        "initializer_range": SPREAD,
        "rope_parameters": {"rope_type": "default", **family.rope},
        "eos_token_id": ids["<|im_end|>"],
        **ends,
        **family.text,
    }
    vision = {
        "depth": 2,
        "hidden_size": 64,
        "num_heads": 2,
        "intermediate_size": 128,
        "out_hidden_size": HIDDEN,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
        "initializer_range": SPREAD,
        **family.vision,
    }
    config = AutoConfig.for_model(
        name,
        text_config=text,
        vision_config=vision,
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        tie_word_embeddings=False,
    )
    torch.manual_seed(seed)
    model = AutoModelForImageTextToText.from_config(config, dtype=torch.float32)
    sharpen(model.model.language_model)
    lean(model.model.language_model, model.get_output_embeddings().weight, tokenizer)
    model.generation_config = GenerationConfig(eos_token_id=[ids["<|im_end|>"], ids["<|endoftext|>"]], **ends)
    model.save_pretrained(folder)


def sharpen(text: torch.nn.Module) -> None:
    """Where queries are brought to one length (Qwen3), that length is made longer."""
    with torch.no_grad():
        for layer in text.layers:
            if hasattr(getattr(layer, "self_attn", None), "q_norm"):
                layer.self_attn.q_norm.weight.fill_(SHARPNESS)


def lean(text: torch.nn.Module, output: torch.Tensor, tokenizer: Tokenizer) -> None:
    """The first number of every hidden state is made the same for all texts: its weights in ``output`` are leanings."""
    is_hybrid = any(hasattr(layer, "linear_attn") for layer in text.layers)
    with torch.no_grad():
        text.embed_tokens.weight[:, 0] = 1.0
        for layer in text.layers:
            for norm in (layer.input_layernorm, layer.post_attention_layernorm):
                norm.weight[0] = -1.0 if is_hybrid else 0.0  # Qwen3.5 adds one
            (layer.self_attn.o_proj if hasattr(layer, "self_attn") else layer.linear_attn.out_proj).weight[0] = 0.0
            layer.mlp.down_proj.weight[0] = 0.0
        some = torch.arange(len(SPECIAL), 1000).unsqueeze(0)
        output[:, 0] = 0.0
        mean = text(input_ids=some).last_hidden_state[..., 0].mean()
        for leaning, tokens in LEANINGS:
            for token in tokens:
                output[tokenizer.token_to_id(token), 0] = leaning / mean


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
