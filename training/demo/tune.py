"""python -m training.demo.tune MODEL ROWS... --out DIR: tune a model on exported rows, on the CPU.

ROWS are folders that ``manyhands export --format swift`` has written. Each is varied anew whenever it is drawn
(``rows.py``). The upper layers learn, from the replies alone. Every ``SAVE`` steps the state is written beside DIR, and
the same command goes on from there.

TRL's trainer took three times as long here: it reads the same system text again in each row, and looks at the
probabilities of 49,152 tokens at each place, not at those of the reply alone.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from random import Random
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

from training.demo.rows import Row, read_rows, vary

SAVE = 10
PACK, PACKS = 4, 2
"""How many rows share one system text in a sequence, and how many sequences make a step."""
FROZEN = 15
"""So many of the 30 layers do not learn, nor do the embeddings: a third of the work is saved."""
EASY = 3
"""One in so many of the rows that open an app is learned from: they are a quarter of all, and soon learned."""
RATE = 3e-4
WARM_UP = 5
"""The steps in which the rate rises."""
Tokens = tuple[list[int], list[int]]
"""Those of a prompt, and those of its reply."""


def draw(rows: Sequence[Row], count: int, seed: int) -> list[Row]:
    """Return so many rows: pass after pass over all of them but easy ones, in another order, each varied."""
    random = Random(f"rows {seed}")
    drawn: list[Row] = []
    while len(drawn) < count:
        every = random.sample(rows, len(rows))
        drawn += [row for row in every if row.action["name"] != "Open_App" or random.random() * EASY < 1]
    return [vary(row, random) for row in drawn[:count]]


def tokens(row: Row, tokenizer: Any) -> Tokens:
    """Return the tokens of a row as a server sees them: the reply ends with the end of its turn."""
    text = tokenizer.apply_chat_template(row.prompt(), tokenize=False, add_generation_prompt=True)
    reply = tokenizer(row.reply(), add_special_tokens=False)["input_ids"]
    return tokenizer(text, add_special_tokens=False)["input_ids"], [*reply, tokenizer.eos_token_id]


def pack(rows: Sequence[Tokens]) -> dict[str, torch.Tensor]:
    """Return rows as one sequence: the tokens with which all begin once, then the rest of each.

    Of earlier tokens, a row sees the shared ones and its own; its places count on from the shared ones. So it learns
    what it would learn alone. ``logits_to_keep`` are the places before each token of a reply, ``labels`` these tokens.
    """
    shared = len(list(takewhile(lambda column: len(set(column)) == 1, zip(*(row[0] for row in rows), strict=False))))
    ids, places, owners = rows[0][0][:shared], list(range(shared)), [-1] * shared
    kept: list[int] = []
    labels: list[int] = []
    for number, (prompt, reply) in enumerate(rows):
        own = [*prompt[shared:], *reply]
        kept += range(len(ids) + len(own) - len(reply) - 1, len(ids) + len(own) - 1)
        labels += reply
        ids, places = [*ids, *own], [*places, *range(shared, shared + len(own))]
        owners += [number] * len(own)
    owner = torch.tensor(owners)
    sees = (owner[None, :] == owner[:, None]) | (owner[None, :] == -1)
    return {
        "input_ids": torch.tensor([ids]),
        "position_ids": torch.tensor([places]),
        "attention_mask": torch.tril(sees)[None, None],
        "logits_to_keep": torch.tensor(kept),
        "labels": torch.tensor(labels),
    }


class ReplyTrainer(Trainer):
    """Compute the loss on replies alone."""

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        labels = inputs.pop("labels")
        outputs = model(**inputs, use_cache=False)
        loss = torch.nn.functional.cross_entropy(outputs.logits[0].float(), labels)
        return (loss, outputs) if return_outputs else loss


def tune(model: Path, rows: Sequence[Row], out: Path, *, seed: int, rate: float = RATE, frozen: int = FROZEN) -> None:
    """Write the tuned model into ``out``, and its losses beside it. The last state is gone then."""
    state = out.with_name(f"{out.name}.state")
    tokenizer = AutoTokenizer.from_pretrained(model)
    weights = AutoModelForCausalLM.from_pretrained(model, dtype="float32")
    for part in (weights.get_input_embeddings(), *weights.model.layers[:frozen]):
        part.requires_grad_(False)
    read = [tokens(row, tokenizer) for row in rows]
    settings = TrainingArguments(
        output_dir=str(state),
        num_train_epochs=1,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=PACKS,
        learning_rate=rate,
        lr_scheduler_type="cosine",
        warmup_steps=WARM_UP,
        logging_steps=1,
        save_steps=SAVE,
        save_total_limit=1,
        seed=seed,
        use_cpu=True,
        remove_unused_columns=False,
        report_to=[],
    )
    packs = [pack(read[at : at + PACK]) for at in range(0, len(read), PACK)]
    trainer = ReplyTrainer(model=weights, args=settings, train_dataset=packs, data_collator=lambda packs: packs[0])
    trainer.train(resume_from_checkpoint=get_last_checkpoint(str(state)) if state.is_dir() else None)
    out.with_name(f"{out.name}.json").write_text(json.dumps(trainer.state.log_history))
    weights.to(dtype=AutoModelForCausalLM.from_pretrained(model, dtype="auto").dtype)
    weights.save_pretrained(out)
    tokenizer.save_pretrained(out)
    shutil.rmtree(state)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("rows", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=600, help="rows to learn from, some of them more than once")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rows = draw(list(read_rows(options.rows)), options.count, options.seed)
    tune(options.model, rows, options.out, seed=options.seed, rate=options.rate)


if __name__ == "__main__":
    main()
