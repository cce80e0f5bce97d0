"""Check the separate Python that perception actors may have, because their engines may conflict with other packages."""

from __future__ import annotations

import json
import platform
from pathlib import Path

import ray

from manyhands.deploy.child_process import run_program
from manyhands.protocol.errors import BadInput

LONGEST_S = 120.0
_PRINT_VERSIONS = (
    "import json, platform, ray; from manyhands.actors.perception.service import PerceptionService; "
    "print(json.dumps([platform.python_version(), ray.__version__]))"
)


async def check_python(python: Path) -> None:
    """Check whether ``python`` on this machine can run a perception actor. Takes a second or two.

    Raises BadInput if it is missing, lacks a module, or has another version of Python or Ray than this process. Without
    this check, Ray would try for minutes and not say why.
    """
    name = f"perception_python {python}"
    try:
        # Run in another folder than the present one: our modules must be found as installed in that Python.
        versions = await run_program(str(python), "-c", _PRINT_VERSIONS, seconds=LONGEST_S, folder=Path("/"))
    except TimeoutError as error:
        raise BadInput(f"{name}: did not start within {LONGEST_S:g} s") from error
    except OSError as error:
        raise BadInput(f"{name}: {error.strerror or error}") from error
    if versions.code:
        reason = (versions.errors.strip().splitlines() or [f"exit code {versions.code}"])[-1]
        raise BadInput(f"{name}: {reason}; install manyhands and Ray there, with the engines (docs/perception.md)")
    theirs, ours = json.loads(versions.output.splitlines()[-1]), [platform.python_version(), ray.__version__]
    if theirs != ours:
        raise BadInput(
            f"{name}: has Python {theirs[0]} and Ray {theirs[1]}; both must be as here, {ours[0]} and {ours[1]}"
        )
