"""``python -m training.signs``: from icon sets and fonts to signs.onnx, and how good that is.

train: draws icons and letters, learns, exports. measure: the figures of a file on icon sets and a font held out.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from manyhands.actors.perception.onnx import CropClassifier
from manyhands.actors.perception.text.signs import MADE_BY, SIGN, WEIGHTS, SignSettings
from training.names.command_line import THREADS, about, parser, run, say
from training.names.samples import every
from training.signs.drawings import LETTERS, NAMES, Halves, signs_and_letters


def _train(chosen: argparse.Namespace) -> None:
    from training.names.export import exported
    from training.names.learn import Calibration, Plan, learned

    part = signs_and_letters("train", chosen.seed, chosen.work)
    say(f"{len(part.rasters)} drawings")
    plan = Plan(chosen.crops, chosen.seed, rate=chosen.rate, start=chosen.start, device=chosen.device, smoothing=0.02)
    network = learned(part, plan, say, chosen.work / "checkpoint.pt", Halves)
    exported(network, NAMES, Calibration(1.0, None), about(chosen), chosen.weights)


def _measure(chosen: argparse.Namespace) -> None:
    """Print how many signs are seen, and how many letters are taken for signs, at the thresholds of the settings."""
    part = signs_and_letters("holdout", chosen.seed, chosen.work)
    crops, labels = every(part, chosen.seed + 77)
    likely = CropClassifier(chosen.weights, THREADS, MADE_BY).of_crops(crops)[:, NAMES.index(SIGN)]
    say(f"{int((labels == NAMES.index(SIGN)).sum())} signs, {int((labels == NAMES.index(LETTERS)).sum())} letters")
    settings = SignSettings()
    for threshold in (settings.alone, settings.beside, settings.close):
        seen, mistaken = (float(np.mean(likely[labels == NAMES.index(name)] >= threshold)) for name in NAMES)
        say(f"from {threshold}: {seen:.1%} of the signs, {mistaken:.2%} of the letters")


if __name__ == "__main__":
    sys.exit(run(parser("training.signs", __doc__, WEIGHTS, 2e-3).parse_args(), _train, _measure))
