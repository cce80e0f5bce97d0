"""Names of two operators that torchvision's Python code registers itself for at import.

Their kernels are in a library that needs CUDA. Without CUDA it is not loaded, the names are unknown, and the import
fails. Picture processing needs the names only, no kernel.
"""

import torch

SIGNATURE = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


def declare() -> None:
    """Declares torchvision::nms and torchvision::qnms, where torch is without CUDA."""
    if torch.version.cuda is None:
        for name in ("nms", "qnms"):
            torch.library.define(f"torchvision::{name}", SIGNATURE)
