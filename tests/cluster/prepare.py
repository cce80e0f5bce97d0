"""``python -m tests.cluster.prepare``: sees to what the lab of tests/cluster is made of.

It needs root, and a kernel that lets root make namespaces and overlays. Exit codes: as of tests/installing.py.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile

from tests.installing import CANNOT, see_to

PROGRAMS = {
    "sshd": "openssh-server",
    "ssh": "openssh-client",
    "rsync": "rsync",
    "ip": "iproute2",
    "unshare": "util-linux",
    "pgrep": "procps",
    "make": "make",
}
_TRIAL = (
    'mount -t tmpfs tmpfs "$0" && mkdir "$0/up" "$0/work" "$0/root" &&'
    ' mount -t overlay overlay -o "lowerdir=/,upperdir=$0/up,workdir=$0/work" "$0/root" &&'
    " ip link add lan type bridge && ip link add one type veth peer name two"
)


def main() -> int:
    if platform.system() != "Linux":
        return _cannot(f"its machines are namespaces of Linux, this is {platform.system()}")
    if os.geteuid() != 0:
        return _cannot("it makes network namespaces, for which it must be root: sudo make test-cluster")
    code = see_to(PROGRAMS)
    if code:
        return code
    with tempfile.TemporaryDirectory() as folder:
        spaces = ("--mount", "--net", "--pid", "--ipc", "--uts", "--fork")
        tried = subprocess.run(["unshare", *spaces, "sh", "-c", _TRIAL, folder], capture_output=True, text=True)
    if tried.returncode:
        last = (tried.stderr.strip().splitlines() or [f"exit code {tried.returncode}"])[-1]
        return _cannot(f"root may make no namespaces, overlays or bridges here ({last}); docker run --privileged")
    return 0


def _cannot(why: str) -> int:
    sys.stderr.write(f"there can be no lab of machines here: {why}\n")
    return CANNOT


if __name__ == "__main__":
    sys.exit(main())
