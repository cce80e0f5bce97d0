"""``python -m training.signs``: from icon sets and fonts to signs.onnx, and what it is worth.

train: draws icons and letters, learns, exports. measure: the figures of a file on icon sets and a font held out.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from manyhands.actors.perception.crops import CropClassifier
from manyhands.actors.perception.text.signs import MADE_BY, SIGN, WEIGHTS, SignSettings
from manyhands.protocol.errors import PerceptionError
from training.names.samples import every
from training.signs.drawings import LETTERS, NAMES, Halves, signs_and_letters

THREADS = 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m training.signs", description=__doc__)
    parser.add_argument("command", choices=["train", "measure"])
    parser.add_argument("--work", type=Path, default=Path("build/signs"), help="folder for drawings and checkpoints")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="the ONNX file that is written or measured")
    parser.add_argument("--crops", type=int, default=400_000, help="crops to learn from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, help="a checkpoint.pt to go on from, of signs or of names")
    parser.add_argument("--rate", type=float, default=2e-3, help="of learning, at its height")
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
    from training.names.learn import Calibration, Plan, learned

    torch.set_num_threads(THREADS)
    on = device(chosen.device)
    part = signs_and_letters("train", chosen.seed, chosen.work)
    _say(f"{len(part.rasters)} drawings")
    plan = Plan(chosen.crops, chosen.seed, rate=chosen.rate, start=chosen.start, device=on, smoothing=0.02)
    network = learned(part, plan, _say, chosen.work / "checkpoint.pt", Halves)
    about = {"author": "Manyhands", "license": "Apache-2.0", "crops": str(chosen.crops), "seed": str(chosen.seed)}
    exported(network, NAMES, Calibration(1.0, None), about, chosen.weights)


def _measure(work: Path, weights: Path, seed: int) -> None:
    """Prints how many signs are seen, and how many letters are taken for signs, at the thresholds of the settings."""
    part = signs_and_letters("holdout", seed, work)
    crops, labels = every(part, seed + 77)
    likely = CropClassifier(weights, THREADS, MADE_BY).of_crops(crops)[:, NAMES.index(SIGN)]
    _say(f"{int((labels == NAMES.index(SIGN)).sum())} signs, {int((labels == NAMES.index(LETTERS)).sum())} letters")
    settings = SignSettings()
    for threshold in (settings.alone, settings.beside, settings.close):
        seen, mistaken = (float(np.mean(likely[labels == NAMES.index(name)] >= threshold)) for name in NAMES)
        _say(f"from {threshold}: {seen:.1%} of the signs, {mistaken:.2%} of the letters")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
