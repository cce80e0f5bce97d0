"""``python -m training.detector train|export|measure``: see docs/training.md."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from manyhands.protocol.errors import BadInput
from training.detector.labels import read_folders


def main() -> int:
    arguments = _parser().parse_args()
    try:
        arguments.run(arguments)
    except (BadInput, OSError, ValueError) as error:
        sys.stderr.write(f"training.detector {arguments.command}: {error}\n")
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training.detector", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="train on labelled screens, or go on with a training")
    train.add_argument("screens", nargs="+", type=Path, help="folders with labels.json, or folders of such folders")
    train.add_argument("--checkpoint", type=Path, required=True, help="where the training's state is kept")
    train.add_argument("--resume", action="store_true", help="go on from the checkpoint")
    train.add_argument("--seed", type=int, default=5)
    train.add_argument(
        "--steps", type=int, required=True, help="of four windows each, those of the checkpoint included"
    )
    train.add_argument("--cool", action="store_true", help="a last session: the rate falls to nothing at the last step")
    train.add_argument("--threads", type=int, default=2)
    train.add_argument("--device", help="cpu, cuda, cuda:1, ...; CUDA if PyTorch sees it, else the CPU, if not given")
    train.set_defaults(run=_train)
    export = commands.add_parser("export", help="write the ONNX file of a checkpoint")
    export.add_argument("--checkpoint", type=Path, required=True)
    export.add_argument("--to", type=Path, required=True)
    export.set_defaults(run=_export)
    measure = commands.add_parser("measure", help="find icons on labelled screens and count what is right")
    measure.add_argument("screens", nargs="+", type=Path)
    measure.add_argument("--weights", type=Path, required=True, help="ONNX file")
    measure.add_argument("--edges", action="store_true", help="measure also edges alone, and both together")
    measure.set_defaults(run=_measure)
    return parser


def _train(arguments: argparse.Namespace) -> None:
    import torch

    from training.detector.train import Training
    from training.device import device

    torch.set_num_threads(arguments.threads)
    screens = read_folders(arguments.screens)
    chosen = device(arguments.device)
    resumes = arguments.resume
    training = Training.resumed(arguments.checkpoint, chosen) if resumes else Training(arguments.seed, device=chosen)
    _say(f"{len(screens)} screens, from step {training.steps} on {chosen}")
    training.run(screens, arguments.steps, arguments.checkpoint, _say, cooling=arguments.cool)


def _export(arguments: argparse.Namespace) -> None:
    from training.detector.export import export
    from training.detector.train import Training

    training = Training.resumed(arguments.checkpoint)
    size = export(training, arguments.to)
    _say(f"{arguments.to}: {size:.1f} MB, after {training.steps} steps on {training.seen_screens} screens")


def _measure(arguments: argparse.Namespace) -> None:
    from manyhands.actors.perception.icons.combined import CombinedIconFinder, CombinedIconSettings
    from manyhands.actors.perception.icons.edges import EdgeIconFinder, EdgeIconSettings
    from manyhands.actors.perception.icons.yolo import YoloIconFinder, YoloIconSettings
    from training.detector.measure import measured, summary

    def detector(confidence: float) -> YoloIconFinder:
        return YoloIconFinder(YoloIconSettings(weights=arguments.weights, confidence=confidence))

    screens = arguments.screens
    for confidence in (0.2, 0.3, 0.4, 0.5):
        _say(f"detector from {confidence}: {summary(measured(screens, detector(confidence).find))}")
    if arguments.edges:
        edges, settings = EdgeIconFinder(EdgeIconSettings()), CombinedIconSettings()
        _say(f"edges: {summary(measured(screens, edges.find))}")
        both = CombinedIconFinder(detector(settings.least), edges, settings)
        _say(f"both: {summary(measured(screens, both.find))}")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
