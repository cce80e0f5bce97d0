"""python -m training.gaps.train --develop F.npz --choose F.npz --out F.onnx --log F.json: learns what parts two texts.

A few networks from different random weights are learned and their mean is exported, so that chance decides less. Half a
minute on one core; the same files and seed give the same network.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

NETWORKS = 3
WIDTH = 32
STEPS = 6000
BATCH = 512
RATE = 3e-3
DECAY = 0.1
NOISE = 0.5
"""Noise on the figures while learning, in their standard deviations: a site's own distances are not to be learned."""
DROPPED = 0.1
THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


class Judges(nn.Module):
    """Gives the mean probability of several networks that a blank stands between two texts."""

    def __init__(self, mean: Tensor, scale: Tensor, networks: list[nn.Module]) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("scale", scale)
        self.networks = nn.ModuleList(networks)

    def forward(self, figures: Tensor) -> Tensor:
        """``figures``: float32 (blanks, columns); returns float32 (blanks,)."""
        scaled = (figures - self.mean) / self.scale
        return torch.stack([torch.sigmoid(network(scaled)[:, 0]) for network in self.networks]).mean(0)


def learned(figures: Tensor, answers: Tensor, seed: int) -> nn.Module:
    """Learn one network of scaled figures (blanks, columns) and answers (blanks,)."""
    torch.manual_seed(seed)
    network = nn.Sequential(
        nn.Linear(figures.shape[1], WIDTH),
        nn.ReLU(),
        nn.Dropout(DROPPED),
        nn.Linear(WIDTH, WIDTH // 2),
        nn.ReLU(),
        nn.Linear(WIDTH // 2, 1),
    )
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS)
    for _ in range(STEPS):
        picked = torch.randint(0, len(figures), (BATCH,))
        noisy = figures[picked] + NOISE * torch.randn(BATCH, figures.shape[1])
        loss = nn.functional.binary_cross_entropy_with_logits(network(noisy)[:, 0], answers[picked])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
    return network.eval()


def errors(probabilities: NDArray[np.float32], answers: NDArray[np.bool_]) -> list[dict[str, float]]:
    """Return for each threshold how many blanks within a text are cut, and how many between two are not."""
    return [
        {
            "threshold": threshold,
            "cut": int(((probabilities >= threshold) & ~answers).sum()),
            "merged": int(((probabilities < threshold) & answers).sum()),
        }
        for threshold in THRESHOLDS
    ]


def exported(judges: Judges, columns: int, about: dict[str, str], path: Path) -> None:
    program = torch.onnx.export(
        judges,
        (torch.zeros((2, columns)),),
        input_names=["figures"],
        output_names=["probabilities"],
        dynamic_shapes=({0: torch.export.Dim("blanks", min=1, max=65536)},),
        dynamo=True,
        verbose=False,
    )
    if program is None:
        raise RuntimeError("torch exported nothing")
    model = program.model_proto
    for node in model.graph.node:  # traces of where in the source an operation came from
        del node.metadata_props[:]
        node.doc_string = ""
    del model.graph.value_info[:]
    onnx.helper.set_model_props(model, about)
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m training.gaps.train", description=__doc__)
    parser.add_argument("--develop", type=Path, required=True, help="blanks to learn from")
    parser.add_argument("--choose", type=Path, required=True, help="blanks to measure on")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--log", type=Path, required=True, help="where to write the curve of errors, as JSON")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    develop, choose = np.load(given.develop), np.load(given.choose)
    figures = torch.tensor(develop["figures"])
    mean, scale = figures.mean(0), figures.std(0) + 1e-3
    answers = torch.tensor(develop["answers"].astype(np.float32))
    networks = list[nn.Module]()
    for number in range(NETWORKS):
        networks.append(learned((figures - mean) / scale, answers, given.seed * 100 + number))
        print(f"{number + 1} of {NETWORKS} networks", file=sys.stderr)  # noqa: T201
    judges = Judges(mean, scale, networks).eval()
    with torch.no_grad():
        chosen = judges(torch.tensor(choose["figures"])).numpy()
    said = {
        "seed": given.seed,
        "develop": _about(given.develop, develop),
        "choose": _about(given.choose, choose),
        "errors": errors(chosen, choose["answers"]),
        "kinds": {
            str(kind): errors(chosen[at], choose["answers"][at])[THRESHOLDS.index(0.5)]
            for kind in np.unique(choose["kinds"])
            for at in [choose["kinds"] == kind]
        },
    }
    exported(judges, figures.shape[1], {"seed": str(given.seed), "made_by": "training/gaps"}, given.out)
    given.log.write_text(json.dumps(said, indent=1) + "\n")
    print(json.dumps(said["errors"]))  # noqa: T201
    return 0


def _about(path: Path, blanks: np.lib.npyio.NpzFile) -> dict[str, object]:
    return {
        "pages": int(blanks["pages"].max()) + 1,
        "within": int((~blanks["answers"]).sum()),
        "between": int(blanks["answers"].sum()),
        "figures_sha256": hashlib.sha256(np.ascontiguousarray(blanks["figures"]).tobytes()).hexdigest(),
    }


if __name__ == "__main__":
    sys.exit(main())
