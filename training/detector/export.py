"""Export a checkpoint to the ONNX file that both engines run."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import torch

from training.detector.network import DEEPEST, YoloForm
from training.detector.train import Training

SIDES = (640, 288)
"""Height and width of the example; the exported network takes any multiples of DEEPEST."""
OPSET = 17
LARGEST_MB = 12.0


def export(training: Training, target: Path) -> float:
    """Write the averaged weights in YOLO's form, and return the file's size in MB.

    The metadata are those that Ultralytics' loader reads: what the task is, what the classes are called, what the
    sides must be multiples of. Raises ValueError if the file is larger than we ship.
    """
    network = training.average.eval().to(memory_format=torch.contiguous_format)  # type: ignore[call-overload]
    example = torch.zeros(1, 3, *SIDES)
    torch.onnx.export(
        YoloForm(network).eval(),
        (example,),
        str(target),
        input_names=["images"],
        output_names=["output0"],
        dynamic_axes={"images": {0: "batch", 2: "height", 3: "width"}, "output0": {0: "batch", 2: "places"}},
        opset_version=OPSET,
        dynamo=False,  # the other exporter needs onnxscript, and fixes sides that come from shapes
    )
    model = onnx.load(str(target))
    details = {
        "description": "Icons on phone screens, one class",
        "author": "Manyhands",
        "license": "Apache-2.0",
        "version": "1",
        "task": "detect",
        "stride": str(DEEPEST),
        "batch": "1",
        "imgsz": json.dumps(list(SIDES)),
        "names": "{0: 'icon'}",
        "args": "{'dynamic': True, 'nms': False}",
        "steps": str(training.steps),
    }
    onnx.helper.set_model_props(model, details)
    onnx.checker.check_model(model)
    onnx.save(model, str(target))
    size = target.stat().st_size / 1e6
    if size > LARGEST_MB:
        raise ValueError(f"{target} has {size:.1f} MB; at most {LARGEST_MB:g} are shipped: make the network narrower")
    return size
