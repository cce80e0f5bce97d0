"""``python -m training.names``: from icon sets to names.onnx, and how good that is.

train: draws the icon sets, learns, calibrates, exports. measure: the figures of a file on the sets held out.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from manyhands.actors.perception.icons.icon_namer import WEIGHTS, NameSettings, OnnxIconNamer
from training.names.command_line import about, parser, run, say
from training.names.measure import Answers
from training.names.samples import drawings, every

PRECISION = 0.85
"""Share of the names given that are right, on the sets that the threshold is chosen on."""
OTHER_SHARE = 0.4
"""Share of a real screen's icons that have none of our names, about as on the labelled ones."""


def _train(chosen: argparse.Namespace) -> None:
    from training.names.export import exported
    from training.names.learn import Plan, calibrated, learned

    part = drawings("train", chosen.seed, chosen.work)
    say(f"{len(part.rasters)} drawings of {len(part.names)} names")
    plan = Plan(chosen.crops, chosen.seed, rate=chosen.rate, start=chosen.start, device=chosen.device)
    network = learned(part, plan, say, chosen.work / "checkpoint.pt")
    choose = drawings("choose", chosen.seed, chosen.work)
    calibration = calibrated(network, choose, chosen.seed, precision=PRECISION, other_share=OTHER_SHARE)
    say(f"temperature {calibration.temperature:.2f}, threshold {calibration.threshold}")
    exported(network, part.names, calibration, about(chosen), chosen.weights)


def _measure(chosen: argparse.Namespace) -> None:
    """Print figures on the held-out sets: all together, by set, and by name with the worst names first."""
    namer, seed = OnnxIconNamer(NameSettings(weights=chosen.weights)), chosen.seed
    part = drawings("holdout", seed, chosen.work)
    crops, labels = every(part, seed + 77)
    sets = np.array([one.set for one in part.rasters])[np.random.default_rng(seed + 77).permutation(len(part.rasters))]
    probabilities = namer.classifier.of_crops(crops)
    for icon_set in ("all", *sorted(set(sets.tolist()))):
        rows = np.ones(len(sets), bool) if icon_set == "all" else sets == icon_set
        figures = Answers(probabilities[rows], labels[rows], part.names).figures(namer.threshold)
        say(f"{icon_set}: {figures}")
    by_name = Answers(probabilities, labels, part.names).by_name(namer.threshold)
    say("| name | icons | right | named | precision |\n|---|---|---|---|---|")
    for name, one in sorted(by_name.items(), key=lambda item: item[1].right):
        say(f"| {name} | {one.icons} | {one.right:.2f} | {one.named:.2f} | {one.precision:.2f} |")


if __name__ == "__main__":
    sys.exit(run(parser("training.names", __doc__, WEIGHTS, 3e-3).parse_args(), _train, _measure))
