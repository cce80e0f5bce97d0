"""Export the network as one ONNX file with its names, any threshold, and how it was made."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import torch

from manyhands.actors.perception.onnx import SIDE
from training.names.learn import Calibration
from training.names.network import NameNetwork, Shipped


def exported(
    network: NameNetwork, names: tuple[str, ...], calibration: Calibration, about: dict[str, str], path: Path
) -> None:
    """Write ``path``. ``about``: further metadata, as texts."""
    shipped = Shipped(network, calibration.temperature).eval()
    crops = torch.zeros((2, SIDE, SIDE, 3), dtype=torch.uint8)
    program = torch.onnx.export(
        shipped,
        (crops,),
        input_names=["crops"],
        output_names=["probabilities"],
        dynamic_shapes=({0: torch.export.Dim("icons", min=1, max=1024)},),
        dynamo=True,
        verbose=False,
    )
    model = program.model_proto
    for node in model.graph.node:  # traces of where in the source an operation came from
        del node.metadata_props[:]
        node.doc_string = ""
    del model.graph.value_info[:]
    says = {"names": json.dumps(names), "temperature": f"{calibration.temperature:.3f}"}
    if calibration.threshold is not None:
        says["threshold"] = f"{calibration.threshold:.2f}"
    onnx.helper.set_model_props(model, {**about, **says})
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path))
