"""Installs by apt-get the programs that tests of the real thing start, where that can be.

Needs nothing but Python. Exit codes of what calls it: 0 all is there, 1 installing failed, 3 this machine cannot have
it; one line on stderr says what is missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping

FAILED, CANNOT = 1, 3
_PLACES = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", "/sbin"])


def see_to(programs: Mapping[str, str]) -> int:
    """See to programs, given with the Debian package of each, and return an exit code."""
    missing = [name for name in programs if shutil.which(name, path=_PLACES) is None]
    if not missing:
        return 0
    packages = sorted({programs[name] for name in missing})
    line = f"apt-get install {' '.join(packages)}"
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        sys.stderr.write(f"{' and '.join(missing)} not found: {line}\n")
        return CANNOT
    sys.stderr.write(f"{line}\n")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-qq", "--no-install-recommends", *packages]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        sys.stderr.write(f"{line} failed: {last}\n")
        return FAILED
    return 0
