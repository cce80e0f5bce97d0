"""``python -m training.names``: from icon sets to names.onnx, and what it is worth.

train: draws the icon sets, learns, calibrates, exports. measure: the figures of a file on the sets held out.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from manyhands.actors.perception.icons.names import WEIGHTS, NameSettings, OnnxIconNamer
from manyhands.protocol.errors import PerceptionError
from training.names.measure import Answers
from training.names.samples import drawings, every

PRECISION = 0.85
"""Of names given, on the sets that the threshold is chosen on."""
THREADS = 1
OTHER_SHARE = 0.4
"""Of a real screen's icons that have none of our names; so it is on the labelled ones, roughly."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m training.names", description=__doc__)
    parser.add_argument("command", choices=["train", "measure"])
    parser.add_argument("--work", type=Path, default=Path("build/names"), help="folder for drawings and checkpoints")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="the ONNX file that is written or measured")
    parser.add_argument("--crops", type=int, default=400_000, help="crops to learn from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, help="a checkpoint.pt to go on from")
    parser.add_argument("--rate", type=float, default=3e-3, help="of learning, at its height")
    parser.add_argument("--device", help="cpu, cuda, cuda:1, ...; CUDA if PyTorch sees it, else the CPU, if not given")
    chosen = parser.parse_args()
    try:
        if chosen.command == "train":
            _train(chosen)
        _measure(chosen.work, chosen.weights, chosen.seed)
    except (ImportError, FileNotFoundError, ValueError, PerceptionError) as error:
        sys.stderr.write(f"cannot {chosen.command}: {error}\n")
        return 2
    return 0


def _train(chosen: argparse.Namespace) -> None:
    import torch

    from training.device import device
    from training.names.export import exported
    from training.names.learn import Plan, calibrated, learned

    torch.set_num_threads(THREADS)
    on = device(chosen.device)
    part = drawings("train", chosen.seed, chosen.work)
    _say(f"{len(part.rasters)} drawings of {len(part.names)} names")
    plan = Plan(chosen.crops, chosen.seed, rate=chosen.rate, start=chosen.start, device=on)
    network = learned(part, plan, _say, chosen.work / "checkpoint.pt")
    calibration = calibrated(
        network,
        drawings("choose", chosen.seed, chosen.work),
        chosen.seed,
        precision=PRECISION,
        other_share=OTHER_SHARE,
    )
    _say(f"temperature {calibration.temperature:.2f}, threshold {calibration.threshold}")
    about = {"author": "Manyhands", "license": "Apache-2.0", "crops": str(chosen.crops), "seed": str(chosen.seed)}
    exported(network, part.names, calibration, about, chosen.weights)


def _measure(work: Path, weights: Path, seed: int) -> None:
    """Prints figures on the held-out sets, all together, by set and by name: the worst names first."""
    namer = OnnxIconNamer(NameSettings(weights=weights))
    part = drawings("holdout", seed, work)
    crops, labels = every(part, seed + 77)
    sets = np.array([one.set for one in part.rasters])[np.random.default_rng(seed + 77).permutation(len(part.rasters))]
    probabilities = namer.classifier.of_crops(crops)
    for chosen in ("all", *sorted(set(sets.tolist()))):
        rows = np.ones(len(sets), bool) if chosen == "all" else sets == chosen
        figures = Answers(probabilities[rows], labels[rows], part.names).figures(namer.threshold)
        _say(f"{chosen}: {figures}")
    by_name = Answers(probabilities, labels, part.names).by_name(namer.threshold)
    _say("| name | icons | right | named | precision |\n|---|---|---|---|---|")
    for name, one in sorted(by_name.items(), key=lambda item: item[1].right):
        _say(f"| {name} | {one.icons} | {one.right:.2f} | {one.named:.2f} | {one.precision:.2f} |")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
