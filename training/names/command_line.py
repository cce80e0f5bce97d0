"""The command line that ``training.names`` and ``training.signs`` share: train a network of crops, measure its file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from manyhands.protocol.errors import PerceptionError

THREADS = 1


def parser(module: str, description: str | None, weights: Path, rate: float) -> argparse.ArgumentParser:
    """Return the options. ``weights``: the file that is shipped; ``rate``: of learning, where none is given."""
    made = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    made.add_argument("command", choices=["train", "measure"])
    work = Path("build") / module.rpartition(".")[2]
    made.add_argument("--work", type=Path, default=work, help="folder for drawings and checkpoints")
    made.add_argument("--weights", type=Path, default=weights, help="the ONNX file that is written or measured")
    made.add_argument("--crops", type=int, default=400_000, help="crops to learn from")
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--start", type=Path, help="a checkpoint.pt to go on from, of names or of signs")
    made.add_argument("--rate", type=float, default=rate, help="of learning, at its height")
    made.add_argument("--device", help="cpu, cuda, cuda:1, ...; CUDA if PyTorch sees it, else the CPU, if not given")
    return made


def run(
    chosen: argparse.Namespace,
    train: Callable[[argparse.Namespace], None],
    measure: Callable[[argparse.Namespace], None],
) -> int:
    """Do what was asked for; the exit code. ``train`` gets a torch.device as ``chosen.device``."""
    try:
        if chosen.command == "train":
            import torch

            from training.device import device

            torch.set_num_threads(THREADS)
            chosen.device = device(chosen.device)
            train(chosen)
        measure(chosen)
    except (ImportError, FileNotFoundError, ValueError, PerceptionError) as error:
        sys.stderr.write(f"cannot {chosen.command}: {error}\n")
        return 2
    return 0


def about(chosen: argparse.Namespace) -> dict[str, str]:
    """Return the metadata of the file that is written."""
    return {"author": "Manyhands", "license": "Apache-2.0", "crops": str(chosen.crops), "seed": str(chosen.seed)}


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
