"""Networks in ONNX, run by onnxruntime on the CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from manyhands.protocol.errors import PerceptionError


def open_network(path: Path, threads: int, *, keep_memory: bool = False) -> Any:
    """Open an ``onnxruntime.InferenceSession``, which belongs to one thread at a time.

    ``keep_memory``: between calls, as much as the largest needed, which saves time where inputs are large. Raises
    PerceptionError where there is no onnxruntime, no such file, or no network in it.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise PerceptionError(f"{path.name} needs onnxruntime ({error}); install manyhands[fleet]") from error
    if not path.is_file():
        raise PerceptionError(f"there is no network at {path}")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = keep_memory
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # kept for each size of input that comes again: 60 MB and more, no time saved
    provider = ("CPUExecutionProvider", {"arena_extend_strategy": "kSameAsRequested"} if keep_memory else {})
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=[provider])
    except Exception as error:  # onnxruntime's own types, one for each kind of damage
        raise PerceptionError(
            f"{path} cannot be loaded as ONNX: it is not a network that onnxruntime can run ({error})"
        ) from error
