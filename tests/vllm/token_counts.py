"""Counts what a run's prompts cost with a cache: ``python -m tests.vllm.token_counts RUN``. Not a test, and no server.

Texts are counted by the tiny model's tokenizer, with the Python of the servers' environment, and each picture as one of
1080x2400 at the usual cap. The cache keeps whole blocks of tokens, as vLLM's does, and never drops one. With
``--hybrid`` a prompt is cached only up to a state of GDN layers, and of each prompt two states are kept, as vLLM 0.33
does: at its last whole block, and where it left an earlier prompt. ``--pictures N`` cuts the chats of ``native`` anew,
as with ``chat_pictures: N``. Figures are in docs/prompts.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

PICTURE, BLOCK = 987, 128
LEFT_OUT = "(The picture after this action is left out now.)\nJudge this action, then choose the next one."
"""What stands in the place of a picture in a chat of ``native``, in our own words."""
HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / ".venv-vllm" / "bin" / "python"


def calls_of(run: Path) -> Iterator[str]:
    """The answered calls of a run, in the order in which they were made, each as a line of JSON."""
    from manyhands.evaluation.recorded_calls import recorded_calls
    from manyhands.evaluation.run_folder import RunFolder

    found = [one for one in recorded_calls(RunFolder(run)) if one.call.reply is not None]
    for one in sorted(found, key=lambda one: one.call.started_at):
        yield json.dumps([one.role.value, [one.episode, one.step], one.call.request["messages"], one.call.reply])


def cut_again(calls: Sequence[str], most: int) -> list[str]:
    """The calls of episodes of ``native`` with other pictures: at each step ``step % most`` earlier ones, and its own.

    A step's picture stands in the call of that step, so that later calls can show it again.
    """
    shown: dict[tuple[str, int], Any] = {}
    again = []
    for line in calls:
        role, (episode, step), messages, reply = json.loads(line)
        if role == "decide":
            asked = [number for number, message in enumerate(messages) if message["role"] == "user"]
            shown[episode, len(asked) - 1] = messages[asked[-1]]["content"]
            for number, place in enumerate(asked):
                is_shown = number >= len(asked) - 1 - (len(asked) - 1) % most
                messages[place]["content"] = shown[episode, number] if is_shown else _without(shown[episode, number])
        again.append(json.dumps([role, [episode, step], messages, reply]))
    return again


def _without(content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    texts = [part for part in content if part["type"] == "text"]
    return texts if len(texts) > 1 else [{"type": "text", "text": LEFT_OUT}]


class TokenCounter:
    """Holds the tiny model's tokenizer, and what a server would have in its cache."""

    def __init__(self, block: int, hybrid: bool) -> None:
        from tiny_model import train_tokenizer  # type: ignore[import-not-found]

        self._block = block
        self._hybrid = hybrid
        self._states: set[int] = set()
        self._tokenizer = train_tokenizer(0)
        self._known: dict[str, Sequence[Hashable]] = {}
        self._blocks: set[int] = set()

    def text(self, text: str) -> Sequence[Hashable]:
        if text not in self._known:
            self._known[text] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return self._known[text]

    def messages(self, messages: Sequence[dict[str, Any]]) -> list[Hashable]:
        tokens: list[Hashable] = []
        for message in messages:
            content = message["content"]
            tokens += self.text(f"<|im_start|>{message['role']}\n")
            parts: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
            for part in parts:
                if part["type"] == "text":
                    tokens += self.text(part["text"])
                else:
                    picture = [(part["image_url"]["url"], place) for place in range(PICTURE)]
                    tokens += [*self.text("<|vision_start|>"), *picture, *self.text("<|vision_end|>")]
            tokens += self.text("<|im_end|>\n")
        return [*tokens, *self.text("<|im_start|>assistant\n")]

    def new(self, tokens: Sequence[Hashable]) -> int:
        """How many tokens are not in the cache. Afterwards all whole blocks are."""
        size, block, all_cached = self._block, 0, True
        cached, fork, with_state = 0, 0, 0
        for begin in range(0, (len(tokens) - 1) // size * size, size):
            block = hash((block, tuple(tokens[begin : begin + size])))
            all_cached = all_cached and block in self._blocks
            if all_cached:
                cached, fork = begin + size, block
                with_state = cached if block in self._states else with_state
            self._blocks.add(block)
        self._states |= {fork, block}
        return len(tokens) - (with_state if self._hybrid else cached)


def count(file: Path, block: int, hybrid: bool, pictures: int | None) -> None:
    """Prints the figures of the calls in a file."""
    counter = TokenCounter(block, hybrid)
    lines = file.read_text().splitlines()
    calls: Counter[str] = Counter()
    new: Counter[str] = Counter()
    whole, replies, steps = 0, 0, set()
    for line in lines if pictures is None else cut_again(lines, pictures):
        role, step, messages, reply = json.loads(line)
        tokens = counter.messages(messages)
        calls[role] += 1
        new[role] += counter.new(tokens)
        whole += len(tokens)
        replies += len(counter.text(reply))
        if role == "decide":
            steps.add(tuple(step))
    each = {role: new[role] / calls[role] for role in calls}
    means = ", ".join(f"{role} {tokens:,.0f}" for role, tokens in each.items())
    sys.stdout.write(
        f"{len(steps)} steps, {calls.total()} calls\n"
        f"a step: {whole / len(steps):,.0f} tokens, {new.total() / len(steps):,.0f} not cached, "
        f"{1 - new.total() / whole:.0%} cached, {replies / len(steps):,.0f} in replies\n"
        f"not cached in a role's mean call: {means}\nsum of the roles: {sum(each.values()):,.0f}\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--python", type=Path, default=PYTHON, help="of the servers' environment")
    parser.add_argument("--calls", action="store_true", help="RUN is a file of calls, as this script writes it")
    parser.add_argument("--block", type=int, default=BLOCK, help="tokens of a block")
    parser.add_argument("--hybrid", action="store_true", help="of each prompt two states are kept")
    parser.add_argument("--pictures", type=int, help="of a chat of native, as with chat_pictures")
    given = parser.parse_args()
    if given.calls:
        count(given.run, given.block, given.hybrid, given.pictures)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "calls"
        file.write_text("\n".join(calls_of(given.run)))
        options = ["--block", str(given.block), *(["--hybrid"] if given.hybrid else [])]
        options += ["--pictures", str(given.pictures)] if given.pictures else []
        done = subprocess.run([given.python, __file__, "--calls", file, *options], check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
