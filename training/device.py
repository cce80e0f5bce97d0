"""Choose the device on which a network learns."""

from __future__ import annotations

import torch


def device(name: str | None) -> torch.device:
    """Return the device of PyTorch's ``name``; if None, CUDA where it is available, else the CPU.

    Raises ValueError for a name that PyTorch does not know, and for CUDA where there is none.
    """
    if name is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(name)
    except RuntimeError as error:
        raise ValueError(f"--device {name}: {error}") from error
    if chosen.type == "cuda" and not torch.cuda.is_available():
        raise ValueError(f"--device {name}: PyTorch {torch.__version__} sees no CUDA here; use cpu")
    return chosen
