"""``python machine.py``: what a machine of the lab runs first, as process 1 of namespaces of its own.

Its settings come in the first line of standard input. It sees the files of the host and changes copies of them in
memory, has a user with a key, and lets in whoever has that by ssh. Once standard input closes it ends, and all that
runs in its namespaces with it. It imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path

USER, UID = "manyhands", 4711
SSHD = "/usr/sbin/sshd"
_SSHD_CONFIG = """
HostKey /etc/ssh/lab_key
PasswordAuthentication no
UsePAM no
PrintMotd no
MaxStartups 100
MaxSessions 100
PidFile none
"""


def main() -> None:
    """Make the machine, say so in a line, and be there until standard input closes."""
    given = json.loads(sys.stdin.readline())
    pid = os.readlink("/proc/self")  # as the host counts, whose /proc is still there
    own_files(Path(given["folder"]), [Path(path) for path in given["needs"]])
    socket.sethostname(given["name"])
    Path("/etc/hosts").write_text("127.0.0.1 localhost\n" + given["hosts"])
    add_user(given["key"])
    for path, content in given["files"].items():
        Path(path).write_text(content)
    let_in(given["host_key"])
    sys.stdout.write(f"{pid}\n")
    sys.stdout.flush()
    threading.Thread(target=reap, daemon=True).start()
    sys.stdin.read()
    os._exit(0)


def own_files(folder: Path, needs: Iterable[Path]) -> None:
    """Take as root a copy of the host's files that lies in memory and is made as files are written."""
    mount("-t", "tmpfs", "tmpfs", folder)
    upper, work, root = folder / "upper", folder / "work", folder / "root"
    for made in (upper, work, root):
        made.mkdir()
    mount("-t", "overlay", "overlay", "-o", f"lowerdir=/,upperdir={upper},workdir={work}", root)
    mount("-t", "proc", "proc", root / "proc")
    mount("--rbind", "/sys", root / "sys")
    mount("--rbind", "/dev", root / "dev")
    mount("-t", "devpts", "devpts", "-o", "newinstance,ptmxmode=0666,mode=620,gid=5", root / "dev/pts")
    mount("--bind", root / "dev/pts/ptmx", root / "dev/ptmx")
    mount("-t", "tmpfs", "tmpfs", "-o", "mode=1777", root / "dev/shm")
    mount("-t", "tmpfs", "tmpfs", "-o", "mode=1777", root / "tmp")
    mount("-t", "tmpfs", "tmpfs", "-o", "mode=755", root / "run")
    for path in needs:
        inside = root / path.relative_to("/")
        if not inside.exists():  # it lies on another disk of the host
            inside.mkdir(parents=True)
            mount("--rbind", path, inside)
        for above in inside.parents:
            if above == root:
                break
            above.chmod(above.stat().st_mode | 0o011)
    os.chroot(root)
    os.chdir("/")


def mount(*arguments: str | Path) -> None:
    subprocess.run(["mount", *map(str, arguments)], check=True)


def add_user(key: str) -> None:
    """Add the user that the cluster's file names, with the public ``key``."""
    home = Path("/home") / USER
    for file, line in {
        "passwd": f"{USER}:x:{UID}:{UID}::{home}:/bin/bash",
        "group": f"{USER}:x:{UID}:",
        "shadow": f"{USER}:*:19000:0:99999:7:::",
    }.items():
        path = Path("/etc") / file
        path.write_text(path.read_text().rstrip("\n") + "\n" + line + "\n")
    (home / ".ssh").mkdir(parents=True, mode=0o700)
    (home / ".ssh" / "authorized_keys").write_text(key)
    shutil.rmtree("/opt/manyhands", ignore_errors=True)
    os.makedirs("/opt/manyhands")
    for given in (home, home / ".ssh", home / ".ssh" / "authorized_keys", "/opt/manyhands"):
        os.chown(given, UID, UID)


def let_in(host_key: str) -> None:
    """Start an sshd."""
    key = Path("/etc/ssh/lab_key")
    key.write_text(host_key)
    key.chmod(0o600)
    os.makedirs("/run/sshd", mode=0o755)
    config = Path("/etc/ssh/lab_config")
    config.write_text(_SSHD_CONFIG)
    subprocess.Popen([SSHD, "-D", "-f", config], stdin=subprocess.DEVNULL)


def reap() -> None:
    """Take the exit codes of processes whose parents are gone, as process 1 must."""
    while True:
        with contextlib.suppress(ChildProcessError):
            os.wait()


if __name__ == "__main__":
    main()
