"""A Python of their own for perception actors, whose engines may not go together with what the rest of a run needs."""

from __future__ import annotations

import json
import platform
import subprocess
from pathlib import Path

import ray

from protocol.errors import BadInput

_TELL = (
    "import json, platform, ray; from actors.perception.service import PerceptionService; "
    "print(json.dumps([platform.python_version(), ray.__version__]))"
)


def check_python(python: Path) -> None:
    """Whether ``python`` on this machine can run a perception actor. Blocks for a second or two.

    Raises BadInput where it is missing, lacks a module, or has another version of Python or Ray than we have: Ray
    would try for minutes, and not say why.
    """
    name = f"perception_python {python}"
    try:
        # Not from here: our modules have to be installed there.
        told = subprocess.run([python, "-c", _TELL], capture_output=True, text=True, cwd="/", timeout=120)
    except OSError as error:
        raise BadInput(f"{name}: {error.strerror or error}") from error
    except subprocess.TimeoutExpired as error:
        raise BadInput(f"{name}: did not start within {error.timeout:g} s") from error
    if told.returncode:
        reason = (told.stderr.strip().splitlines() or [f"exit code {told.returncode}"])[-1]
        raise BadInput(f"{name}: {reason}; install manyhands and Ray there, with the engines (docs/perception.md)")
    theirs, ours = json.loads(told.stdout.splitlines()[-1]), [platform.python_version(), ray.__version__]
    if theirs != ours:
        raise BadInput(
            f"{name}: has Python {theirs[0]} and Ray {theirs[1]}; both must be as here, {ours[0]} and {ours[1]}"
        )
