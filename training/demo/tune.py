"""python -m training.demo.tune MODEL ROWS... --out DIR: tune a model on exported rows by TRL, on the CPU.

ROWS are folders that ``manyhands export --format swift`` has written. The loss is on replies alone. Every ``SAVE``
steps the state is written beside DIR, and the same command goes on from there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.trainer_utils import get_last_checkpoint
from trl import SFTConfig, SFTTrainer

SAVE = 20
LONGEST = 1024
"""The most tokens of a row."""
BATCH = 4
RATE = 1e-4
WARM_UP = 5
"""The steps in which the rate rises."""


def read_rows(folders: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Yield prompt and completion of each row. Raises ValueError for a row that shows a picture."""
    for folder in folders:
        for file in sorted(folder.glob("train/*.jsonl")):
            for line in file.read_text().splitlines():
                row = json.loads(line)
                if row["images"]:
                    raise ValueError(f"{file}: a row shows a picture; export runs with --pictures none")
                messages = [{"role": one["role"], "content": one["content"]} for one in row["messages"]]
                yield {"prompt": messages[:-1], "completion": messages[-1:]}


def tune(model: Path, folders: Sequence[Path], out: Path, *, epochs: float, seed: int, most: int) -> None:
    """Write the tuned model into ``out``. ``most``: stop after so many steps; -1 for all."""
    state = out.with_name(f"{out.name}.state")
    tokenizer = AutoTokenizer.from_pretrained(model)
    settings = SFTConfig(
        output_dir=str(state),
        num_train_epochs=epochs,
        max_steps=most,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=BATCH,
        learning_rate=RATE,
        lr_scheduler_type="cosine",
        warmup_steps=WARM_UP,
        max_length=LONGEST,
        completion_only_loss=True,
        gradient_checkpointing=False,
        logging_steps=1,
        save_steps=SAVE,
        save_total_limit=1,
        seed=seed,
        use_cpu=True,
        bf16=False,
        report_to=[],
    )
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(model, dtype="float32"),
        args=settings,
        train_dataset=Dataset.from_list(list(read_rows(folders))),
        processing_class=tokenizer,
    )
    trainer.train(resume_from_checkpoint=get_last_checkpoint(str(state)) if state.is_dir() else None)
    (state / "log.json").write_text(json.dumps(trainer.state.log_history))
    trainer.model.to(dtype=AutoModelForCausalLM.from_pretrained(model, dtype="auto").dtype)
    trainer.save_model(str(out))
    tokenizer.save_pretrained(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("rows", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=-1, help="stop after so many steps")
    options = parser.parse_args()
    tune(options.model, options.rows, options.out, epochs=options.epochs, seed=options.seed, most=options.most)


if __name__ == "__main__":
    main()
