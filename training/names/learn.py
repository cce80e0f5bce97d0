"""Learning the names: one pass over an endless stream of random crops, then calibration on sets kept for that."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from training.names.measure import Answers
from training.names.network import NameNetwork, contrasts
from training.names.samples import Drawings, Stream, every

CPU = torch.device("cpu")
HEAD = "names."
"""Prefix of the layer that has a row for each name."""
MEMORY = 0.97
"""Share of the averaged weights, the ones that are exported, that is kept at each average, every AVERAGED steps."""
AVERAGED = 8
TIMES = 2
"""How often a crop is learned from on the average: when it is made, and later again."""
POOL = 16_000
"""Crops that are kept to be seen again."""
STATISTICS = 200
"""Batches from which the averaged network's statistics are taken."""
TEMPERATURES = np.exp(np.linspace(np.log(0.4), np.log(2.5), 40))


@dataclass(frozen=True)
class Plan:
    """Configure one training. ``crops``: how many are made. ``rate``: of learning, at its height."""

    crops: int
    seed: int
    batch: int = 64
    rate: float = 3e-3
    workers: int = 2
    smoothing: float = 0.05
    start: Path | None = None
    """A checkpoint to go on from, not random weights; of one with another number of names, what lies below them."""
    device: torch.device = CPU
    """The device it learns on; crops are made on the CPU."""


class Batches(Protocol):
    """Draws endless random crops of a part."""

    def batch(self, count: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return crops of shape (count, side, side, 3) and the numbers of their names."""


class _Crops(IterableDataset[tuple[Tensor, Tensor]]):
    def __init__(self, part: Drawings, plan: Plan, batches: Callable[[Drawings, int], Batches]) -> None:
        self._part, self._plan, self._batches = part, plan, batches

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        worker = get_worker_info()
        cv2.setNumThreads(1)
        stream = self._batches(self._part, 1000 * self._plan.seed + (worker.id if worker else 0))
        while True:
            crops, labels = stream.batch(self._plan.batch // TIMES)
            yield torch.from_numpy(crops), torch.from_numpy(labels)


class _Pool:
    """Keeps the newest crops, to be seen again later: making one costs more than learning from it."""

    def __init__(self, fresh: int, seed: int) -> None:
        """``fresh``: crops that come at a time."""
        self._kept: deque[tuple[Tensor, Tensor]] = deque(maxlen=max(1, POOL // fresh))
        self._random = np.random.default_rng(seed)

    def mixed(self, crops: Tensor, labels: Tensor, old: int) -> tuple[Tensor, Tensor]:
        """Return ``crops`` with ``old`` others from before, as soon as there are any, and keep ``crops``."""
        again = [self._old() for _ in range(old if self._kept else 0)]
        self._kept.append((crops, labels))
        if not again:
            return crops, labels
        return torch.cat([crops, torch.stack([crop for crop, _ in again])]), torch.cat(
            [labels, torch.stack([label for _, label in again])]
        )

    def _old(self) -> tuple[Tensor, Tensor]:
        crops, labels = self._kept[int(self._random.integers(len(self._kept)))]
        one = int(self._random.integers(len(labels)))
        return crops[one], labels[one]


def learned(
    part: Drawings,
    plan: Plan,
    say: Callable[[str], None],
    checkpoint: Path | None = None,
    batches: Callable[[Drawings, int], Batches] = Stream,
) -> NameNetwork:
    """Train a network on ``plan.crops`` crops of ``part``; equal plans give equal networks, within rounding.

    It is on the CPU. ``say`` gets what was taken of ``plan.start``, then a line every hundred steps, and then what is
    known so far is kept in ``checkpoint``. ``batches`` are drawn by a part and a seed. Raises ValueError if
    ``plan.start`` is of another network.
    """
    torch.manual_seed(plan.seed)
    network = NameNetwork(len(part.names))
    if plan.start is not None:
        say(f"{plan.start}: {_started(network, plan.start)}")
    network = network.to(plan.device, memory_format=torch.channels_last)
    averaged = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(MEMORY), use_buffers=True)
    fresh = plan.batch // TIMES
    steps = plan.crops // fresh
    pool = _Pool(fresh, plan.seed)
    optimiser = torch.optim.AdamW(network.parameters(), lr=plan.rate, weight_decay=0.02, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, plan.rate, total_steps=steps, pct_start=0.1)
    score = torch.nn.CrossEntropyLoss(label_smoothing=plan.smoothing)
    loader = iter(DataLoader(_Crops(part, plan, batches), batch_size=None, num_workers=plan.workers, prefetch_factor=8))
    network.train()
    began, losses, right = time.monotonic(), [], []
    for step in range(1, steps + 1):
        made, known = next(loader)
        crops, labels = pool.mixed(made, known, plan.batch - fresh)
        crops, labels = crops.to(plan.device), labels.to(plan.device)
        with torch.autocast(plan.device.type, dtype=torch.bfloat16):
            logits = network(contrasts(crops).contiguous(memory_format=torch.channels_last))
        loss = score(logits.float(), labels)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimiser.step()
        schedule.step()
        if step % AVERAGED == 0:
            averaged.update_parameters(network)
        losses.append(loss.item())
        right.append((logits.argmax(1) == labels).float().mean().item())
        if step % 100 == 0 or step == steps:
            spent = time.monotonic() - began
            say(f"{step}/{steps} loss {np.mean(losses):.3f} right {np.mean(right):.3f} {spent:.0f} s")
            losses, right = [], []
            if checkpoint is not None:
                torch.save(averaged.module.state_dict(), checkpoint)
    kept: NameNetwork = averaged.module
    with_statistics(kept, (next(loader)[0].to(plan.device) for _ in range(STATISTICS)))
    kept.to(CPU)
    return kept


def _started(network: NameNetwork, checkpoint: Path) -> str:
    """Give ``network`` the weights of ``checkpoint``, and return which: all, or all below another number of names.

    Raises ValueError for those of another network.
    """
    ours, theirs = network.state_dict(), torch.load(checkpoint, map_location=CPU, weights_only=True)
    apart = [key for key in sorted(ours.keys() | theirs.keys()) if _shape(ours, key) != _shape(theirs, key)]
    wrong = [key for key in apart if not key.startswith(HEAD) or key not in theirs]
    if wrong:
        key = wrong[0]
        raise ValueError(
            f"{checkpoint} is of another network: {key} is {_shape(theirs, key)} there and {_shape(ours, key)} here; "
            f"start from a checkpoint of this version's training.names or training.signs"
        )
    network.load_state_dict({**ours, **{key: value for key, value in theirs.items() if key not in apart}})
    return "all layers taken" if not apart else f"all layers taken but {', '.join(apart)}, which begin at random"


def _shape(state: Mapping[str, Tensor], key: str) -> tuple[int, ...] | None:
    return tuple(state[key].shape) if key in state else None


def with_statistics(network: NameNetwork, batches: Iterable[Tensor]) -> None:
    """Set the means and variances that ``network`` normalises by to those of its own activations on ``batches``.

    Averaged weights do not have the average of the statistics.
    """
    norms = [module for module in network.modules() if isinstance(module, torch.nn.BatchNorm2d)]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
    network.train()
    with torch.no_grad():
        for crops in batches:
            network(contrasts(crops))
    network.eval()


@dataclass(frozen=True)
class Calibration:
    temperature: float
    threshold: float | None
    """Of names that are given; None where whoever asks the network has thresholds of its own."""


def calibrated(network: NameNetwork, part: Drawings, seed: int, *, precision: float, other_share: float) -> Calibration:
    """Return the temperature of the least loss on ``part``, and the least threshold at which names are right so often.

    ``precision``: of the names given, if ``other_share`` of the icons have none of our names.
    """
    views = [every(part, seed + view) for view in range(4)]
    crops, labels = (np.concatenate(arrays) for arrays in zip(*views, strict=True))
    network.eval()
    with torch.inference_mode():
        logits = torch.cat([network(contrasts(part)) for part in torch.from_numpy(crops).split(256)])
    losses = [float(torch.nn.functional.cross_entropy(logits / one, torch.from_numpy(labels))) for one in TEMPERATURES]
    temperature = float(TEMPERATURES[int(np.argmin(losses))])
    answers = Answers(torch.softmax(logits / temperature, 1).numpy(), labels, part.names)
    return Calibration(temperature, answers.threshold_for(precision, other_share))
