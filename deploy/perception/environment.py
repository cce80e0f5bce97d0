"""Check the separate Python that perception actors may have, because their engines may conflict with other packages."""

from __future__ import annotations

import asyncio
import contextlib
import json
import platform
from asyncio.subprocess import PIPE
from pathlib import Path

import ray

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
    returncode, output, complaint = await _run(python, name)
    if returncode:
        reason = (complaint.decode(errors="replace").strip().splitlines() or [f"exit code {returncode}"])[-1]
        raise BadInput(f"{name}: {reason}; install manyhands and Ray there, with the engines (docs/perception.md)")
    theirs, ours = json.loads(output.splitlines()[-1]), [platform.python_version(), ray.__version__]
    if theirs != ours:
        raise BadInput(
            f"{name}: has Python {theirs[0]} and Ray {theirs[1]}; both must be as here, {ours[0]} and {ours[1]}"
        )


async def _run(python: Path, name: str) -> tuple[int | None, bytes, bytes]:
    """Ask ``python`` for its versions; return exit code, stdout and stderr. Raises BadInput if it does not start."""
    try:
        # Run in another folder than the present one: our modules must be found as installed in that Python.
        process = await asyncio.create_subprocess_exec(python, "-c", _PRINT_VERSIONS, stdout=PIPE, stderr=PIPE, cwd="/")
    except OSError as error:
        raise BadInput(f"{name}: {error.strerror or error}") from error
    try:
        async with asyncio.timeout(LONGEST_S):
            output, complaint = await process.communicate()
    except TimeoutError as error:
        raise BadInput(f"{name}: did not start within {LONGEST_S:g} s") from error
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return process.returncode, output, complaint
