"""Learning names and signs: on a device, and from a checkpoint of which only the head may differ."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from manyhands.actors.perception.onnx import SIDE
from training.device import device
from training.names.learn import Plan, learned
from training.names.network import NameNetwork
from training.names.samples import Drawings


class Squares:
    """Crops of one name each: a light or a dark square. A ``Batches``."""

    def __init__(self, part: Drawings, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def batch(self, count: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        labels = self._random.integers(2, size=count)
        crops = np.full((count, SIDE, SIDE, 3), 128, np.uint8)
        crops[:, 8:24, 8:24] = np.where(labels == 1, 250, 5)[:, None, None, None]
        return crops, labels


def learn(names: int, start: Path | None, checkpoint: Path, said: list[str]) -> NameNetwork:
    part = Drawings([], np.zeros(0, np.int64), tuple(f"name {number}" for number in range(names)))
    plan = Plan(64, seed=1, batch=16, workers=1, start=start, device=device("cpu"))
    return learned(part, plan, said.append, checkpoint, Squares)


@pytest.fixture(scope="module")
def of_two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of a network that tells two names apart."""
    path = tmp_path_factory.mktemp("two") / "checkpoint.pt"
    learn(2, None, path, [])
    return path


def test_equal_plans_give_equal_networks(of_two: Path, tmp_path: Path) -> None:
    learn(2, None, tmp_path / "again.pt", [])
    one, other = (torch.load(path, weights_only=True) for path in (of_two, tmp_path / "again.pt"))
    assert all(torch.equal(one[key], other[key]) for key in one)


@pytest.mark.parametrize(
    ("names", "taken"), [(2, "all layers taken"), (3, "but names.bias, names.weight, which begin")]
)
def test_what_was_taken_of_a_checkpoint_is_said(of_two: Path, tmp_path: Path, names: int, taken: str) -> None:
    said: list[str] = []
    network = learn(names, of_two, tmp_path / "checkpoint.pt", said)
    assert taken in said[0]
    assert network.names.out_features == names


@pytest.mark.parametrize("change", ["shape", "missing", "more"])
def test_a_checkpoint_of_another_network_is_refused(of_two: Path, tmp_path: Path, change: str) -> None:
    state = torch.load(of_two, weights_only=True)
    key = next(iter(state))
    if change == "shape":
        state[key] = torch.zeros(3, 3)
    elif change == "missing":
        del state[key]
    else:
        key, state["another.weight"] = "another.weight", torch.zeros(1)
    torch.save(state, tmp_path / "other.pt")
    with pytest.raises(ValueError, match=rf"another network: {key}"):
        learn(2, tmp_path / "other.pt", tmp_path / "checkpoint.pt", [])


def test_devices_that_are_not_there_are_said() -> None:
    assert device("cpu").type == "cpu"
    assert device(None).type == ("cuda" if torch.cuda.is_available() else "cpu")
    with pytest.raises(ValueError, match="--device nothing"):
        device("nothing")
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="sees no CUDA"):
            device("cuda")
