"""Read an export as a trainer does, and write what it learns from into ``rows.json``.

``read_export.py TRAINER DIR`` runs in the trainer's environment, with a tiny Qwen3-VL beside DIR. A row has the text
that its token ids stand for, how many ids stand for each picture, the ids and the text with loss, the ids of the reply
alone, and the pictures as the SHA-256 of the bytes that the trainer decodes.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

TINY_MODEL = Path(__file__).parents[1] / "vllm" / "tiny_model.py"
MASKED = -100
PLACE = "<|image_pad|>"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def describe(tokenizer: Any, ids: Sequence[int], labels: Sequence[int], pictures: Sequence[bytes]) -> dict[str, Any]:
    """Return a row: ``ids`` without padding, ``labels`` with -100 where there is no loss."""
    place = tokenizer.convert_tokens_to_ids(PLACE)
    runs = [(token, len(list(run))) for token, run in itertools.groupby(ids)]
    short = [one for token, length in runs for one in ([token] if token == place else [token] * length)]
    learned = [token for token, label in zip(ids, labels, strict=True) if label != MASKED]
    assert learned == [label for label in labels if label != MASKED]
    loss = tokenizer.decode(learned)
    return {
        "text": tokenizer.decode(short),
        "places": [length for token, length in runs if token == place],
        "loss": loss,
        "loss_ids": learned,
        "reply_ids": tokenizer.encode(loss.rpartition("<|im_end|>")[0], add_special_tokens=False),
        "pictures": [sha256(picture) for picture in pictures],
    }


def read_trl(out: Path, model: Path) -> Iterator[dict[str, Any]]:
    import datasets
    from transformers import AutoProcessor
    from trl.trainer.sft_trainer import DataCollatorForVisionLanguageModeling

    processor = AutoProcessor.from_pretrained(model)
    collate = DataCollatorForVisionLanguageModeling(processor, max_length=None, completion_only_loss=True)
    rows = datasets.load_dataset("parquet", data_dir=str(out), cache_dir=str(out.parent / "cache"))["train"]
    undecoded = rows.cast_column("images", datasets.List(datasets.Image(decode=False)))
    for row, stored in zip(rows, undecoded, strict=True):
        batch = collate([row])
        ids, labels = batch["input_ids"][0].tolist(), batch["labels"][0].tolist()
        yield describe(processor.tokenizer, ids, labels, [picture["bytes"] for picture in stored["images"]])


def read_llamafactory(out: Path, model: Path) -> Iterator[dict[str, Any]]:
    """Read with the settings that are beside the rows."""
    import yaml
    from llamafactory.data import SFTDataCollatorWith4DAttentionMask, get_dataset, get_template_and_fix_tokenizer
    from llamafactory.hparams import get_train_args
    from llamafactory.model import load_tokenizer

    told = {"stage": "sft", "do_train": True, "finetuning_type": "full", "output_dir": str(out.parent / "trained")}
    settings = yaml.safe_load((out / "settings.yaml").read_text())
    arguments = {"model_name_or_path": str(model), "dataset_dir": str(out), **told, **settings}
    model_args, data_args, training_args, _, _ = get_train_args(arguments)
    modules = load_tokenizer(model_args)
    template = get_template_and_fix_tokenizer(modules["tokenizer"], data_args)
    rows = get_dataset(template, model_args, data_args, training_args, stage="sft", **modules)["train_dataset"]
    collate = SFTDataCollatorWith4DAttentionMask(template=template, **modules)
    for row in rows:
        pictures = [Path(picture).read_bytes() for picture in row["images"] or ()]
        batch = collate([dict(row)])
        # A batch without pictures gets one, which nothing attends to.
        seen = batch["attention_mask"][0].bool()
        ids, labels = batch["input_ids"][0][seen].tolist(), batch["labels"][0][seen].tolist()
        yield describe(modules["tokenizer"], ids, labels, pictures)


def read_swift(out: Path, model: Path) -> Iterator[dict[str, Any]]:
    os.environ["ROOT_IMAGE_DIR"] = str(out)
    from swift.dataset import load_dataset
    from swift.model import get_processor
    from swift.template import get_template

    template = get_template(get_processor(str(model), model_type="qwen3_vl"))
    template.set_mode("train")
    # It knows Qwen's token of a picture by number, which is another one here.
    template.image_token_id = template.tokenizer.convert_tokens_to_ids(PLACE)
    files = [str(path) for path in sorted((out / "train").glob("*.jsonl"))]
    rows, _ = load_dataset(files, strict=True, shuffle=False)
    for row in rows:
        pictures = [(out / picture["path"]).read_bytes() for picture in row["images"] or ()]
        batch = template.encode(row)
        yield describe(template.tokenizer, batch["input_ids"], batch["labels"], pictures)


def read_verl(out: Path, model: Path) -> Iterator[dict[str, Any]]:
    from omegaconf import OmegaConf
    from transformers import AutoProcessor
    from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset
    from verl.utils.dataset.rl_dataset import RLHFDataset

    processor = AutoProcessor.from_pretrained(model)
    tokenizer = processor.tokenizer
    files = [str(path) for path in sorted((out / "train").glob("*.parquet"))]
    settings = {"max_length": 8192, "max_prompt_length": 8192, "pad_mode": "no_padding"}
    config = OmegaConf.create({**settings, "cache_dir": str(out.parent / "cache")})
    learned = MultiTurnSFTDataset(list(files), tokenizer, config, processor)
    prompts = RLHFDataset(list(files), tokenizer, config, processor)
    assert len(learned) == len(prompts)
    for number, stored in enumerate(learned.dataframe["images"]):
        row, prompt = learned[number], prompts[number]["raw_prompt"]
        ids = row["input_ids"].tolist()
        labels = [one if loss else MASKED for one, loss in zip(ids, row["loss_mask"].tolist(), strict=True)]
        pictures, _, _ = prompts._process_multi_modal_info(prompt, prompts.image_patch_size, config)
        yield {
            **describe(tokenizer, ids, labels, [picture["bytes"] for picture in stored]),
            "prompt": processor.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False),
            "prompt_sizes": [picture.size for picture in pictures or ()],
        }


READERS = {"trl": read_trl, "llamafactory": read_llamafactory, "swift": read_swift, "verl": read_verl}


def main(trainer: str, out: Path) -> None:
    model = out.parent / "model"
    subprocess.run([sys.executable, TINY_MODEL, model, "--family", "qwen3_vl"], check=True)
    rows = list(READERS[trainer](out, model))
    (out.parent / "rows.json").write_text(json.dumps(rows))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
