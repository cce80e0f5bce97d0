"""Training, in as many sessions as one likes: a checkpoint holds all that the next session needs."""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from training.detector.labels import TrainingScreen
from training.detector.losses import Targets, loss, targets
from training.detector.network import STRIDE, WIDTHS, IconNetwork
from training.detector.samples import HEIGHT, WIDTH, Sample, Samples

CPU = torch.device("cpu")
BATCH = 4
RATE = 1.5e-3
"""The learning rate of AdamW, after the first WARMING steps."""
WARMING = 100
KEEP = 0.998
"""Share of the averaged weights that a step leaves. The average is exported, so a training can end anywhere."""
BOX_WEIGHT = 1.5
SAVED = 50
"""Steps from one checkpoint to the next."""


class Training:
    """Trains a network. The same seed, screens and steps give the same network on the same processor, in however
    many sessions; a cooling one counts from its own first step."""

    def __init__(self, seed: int, widths: tuple[int, int, int, int] = WIDTHS, device: torch.device = CPU) -> None:
        """``widths``: channels of the network, see IconNetwork. ``device``: what it learns on."""
        random.seed(seed)
        torch.manual_seed(seed)
        self._seed, self._widths, self._device = seed, widths, device
        # Made on the CPU, so that its first weights are the same for every device.
        self.network = IconNetwork(widths).to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average: nn.Module = copy.deepcopy(self.network).eval()
        self._optimizer = torch.optim.AdamW(self.network.parameters(), lr=RATE, weight_decay=0.02)
        self.steps = 0
        self.seen_screens = 0

    @classmethod
    def resumed(cls, checkpoint: Path, device: torch.device = CPU) -> Training:
        """Return the training as it was when ``checkpoint`` was written. Raises OSError, and what torch.load raises."""
        state: dict[str, Any] = torch.load(checkpoint, map_location="cpu", weights_only=True)
        made = cls(state["seed"], tuple(state["widths"]), device)
        made.network.load_state_dict(state["network"])
        made.average.load_state_dict(state["average"])
        made._optimizer.load_state_dict(state["optimizer"])
        made.steps, made.seen_screens = state["steps"], state["seen_screens"]
        return made

    def save(self, checkpoint: Path) -> None:
        """Write all of the state or nothing: a session that is killed while it saves leaves the file before."""
        state = {
            "seed": self._seed,
            "widths": list(self._widths),
            "steps": self.steps,
            "seen_screens": self.seen_screens,
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self._optimizer.state_dict(),
        }
        part = checkpoint.with_suffix(".part")
        torch.save(state, part)
        part.replace(checkpoint)

    def run(
        self,
        screens: list[TrainingScreen],
        steps: int,
        checkpoint: Path,
        say: Callable[[str], None],
        *,
        cooling: bool = False,
    ) -> None:
        """Train until ``steps``, those of earlier sessions included, saving every SAVED steps.

        The samples of a step depend on the seed and its number only. ``cooling``: the rate falls in a line from the
        session's first step to nothing at its last.
        """
        samples = Samples(screens)
        self.seen_screens = max(self.seen_screens, len(screens))
        self.network.train()
        begun, first = time.monotonic(), self.steps
        sums = np.zeros(2)
        while self.steps < steps:
            left = (steps - self.steps) / (steps - first) if cooling else 1.0
            rng = np.random.default_rng([self._seed, self.steps])
            sums += self._step([samples.draw(rng) for _ in range(BATCH)], left)
            if self.steps % SAVED == 0:
                self.save(checkpoint)
                each = (time.monotonic() - begun) / (self.steps - first)
                shown = sums / SAVED
                say(f"step {self.steps}: icons {shown[0]:.3f}, boxes {shown[1]:.3f}, {each:.2f} s a step")
                sums = np.zeros(2)
        self.save(checkpoint)

    def _step(self, batch: list[Sample], share: float) -> tuple[float, float]:
        """Learn from ``batch`` at a ``share`` of the full rate, and return the losses of icons and of boxes."""
        rate = RATE * share * min(1.0, (self.steps + 1) / WARMING)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        with torch.autocast(self._device.type, torch.bfloat16):
            logits, distances = self.network(pictures(batch).to(self._device))
        icons, boxes = loss(logits.float(), distances.float(), [_targets(sample) for sample in batch])
        self._optimizer.zero_grad(set_to_none=True)
        (icons + BOX_WEIGHT * boxes).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), 5.0)
        self._optimizer.step()
        self.steps += 1
        self._average()
        return float(icons.detach()), float(boxes.detach())

    @torch.no_grad()
    def _average(self) -> None:
        keep = min(KEEP, (1 + self.steps) / (10 + self.steps))
        ours = self.network.state_dict()
        for name, value in self.average.state_dict().items():
            if value.is_floating_point():
                value.lerp_(ours[name], 1 - keep)
            else:
                value.copy_(ours[name])


def pictures(batch: list[Sample]) -> Tensor:
    """Return the pictures as the network takes them: shape (n, 3, HEIGHT, WIDTH), from 0 to 1."""
    stacked = torch.from_numpy(np.stack([sample.picture for sample in batch]))
    return stacked.permute(0, 3, 1, 2).float().div_(255).contiguous(memory_format=torch.channels_last)


def _targets(sample: Sample) -> Targets:
    icons, neutral = torch.from_numpy(sample.icons), torch.from_numpy(sample.neutral)
    return targets(icons, neutral, HEIGHT // STRIDE, WIDTH // STRIDE)
