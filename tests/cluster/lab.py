"""Machines in a network of their own, made of namespaces: for clusters that are tested on one computer, as root.

    with Lab(folder) as lab:
        head = lab.add("head", "192.0.2.10")
        lab.cut(head)

Each has processes, files, shared memory, a host name and a network of its own, and an sshd; nothing of a machine is
seen on the host, and nothing of it stays when the lab ends, or this process dies. The cores are those of the host.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Self

from tests.cluster.machine import UID, USER

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
HOME = Path("/home") / USER
NETWORK = "192.0.2.0/24"
"""Addresses for documentation, as in ray_cluster.yaml."""
DESK = "192.0.2.1"
START_S = 20.0
_NAMESPACES = ("--mount", "--uts", "--ipc", "--net", "--pid")
_BRIDGE = "lan"


class Machine:
    """Hold a machine that runs."""

    def __init__(self, name: str, address: str, process: subprocess.Popen[str], pid: int) -> None:
        self.name = name
        self.address = address
        self._process = process
        self._pid = pid
        """Of its first process, as the host counts."""

    def path(self, inside: Path | str) -> Path:
        """Return where the host finds a file of the machine."""
        return Path(f"/proc/{self._pid}/root") / Path(inside).relative_to("/")

    def run(self, *command: str | Path, timeout_s: float = 60.0, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a command as the user of the machine, and return what it printed. Raises CalledProcessError."""
        process = self.start(*command, stdout=subprocess.PIPE, **options)
        try:
            out, err = process.communicate(timeout=timeout_s)
        except BaseException:
            process.kill()
            process.communicate()
            raise
        done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
        if done.returncode:
            raise Failed(f"{self.name}: {' '.join(map(str, command))}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def start(
        self,
        *command: str | Path,
        root: bool = False,
        cwd: Path | str = HOME,
        environment: Mapping[str, str] | None = None,
        stdout: int | IO[str] = subprocess.DEVNULL,
        stderr: int | IO[str] = subprocess.STDOUT,
        stdin: int = subprocess.DEVNULL,
    ) -> subprocess.Popen[str]:
        """Start a command as the user of the machine, or as root. It ends with the machine at the latest."""
        who = () if root else ("setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups")
        entered = ["nsenter", f"--target={self._pid}", *_NAMESPACES, "--root", "--wd=/"]
        given = {
            "HOME": "/root" if root else str(HOME),
            "USER": "root" if root else USER,
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG": "C.UTF-8",
            **(environment or {}),
        }
        there = ("env", "-C", str(cwd))
        return subprocess.Popen(
            [*entered, *who, *there, *map(str, command)],
            env=given,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            text=True,
        )

    def write(self, inside: Path | str, content: str, mode: int = 0o644) -> None:
        """Write a file of the machine, which is its user's."""
        path = self.path(inside)
        path.write_text(content)
        path.chmod(mode)
        os.chown(path, UID, UID)

    def processes(self) -> list[str]:
        """Return the command lines of all that runs there."""
        space = os.readlink(f"/proc/{self._pid}/ns/pid")
        lines = []
        for entry in os.scandir("/proc"):
            with contextlib.suppress(OSError):  # it has ended
                if entry.name.isdecimal() and os.readlink(f"/proc/{entry.name}/ns/pid") == space:
                    line = (
                        Path(entry.path, "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                    )
                    lines += [line] if line else []
        return [line for line in lines if line]  # what has ended and is not yet reaped has none

    def end(self) -> None:
        """End all that runs there."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def ip(self, *arguments: str) -> None:
        """Run ``ip`` in the network of the machine, with the host's rights."""
        subprocess.run(["nsenter", f"--target={self._pid}", "--net", "ip", *arguments], check=True)


class Failed(AssertionError):
    """A command on a machine failed; its text says what it printed."""


class Lab:
    """Make machines, and cut them off. The first, the desk, is where its owner sits, and the others' cables end."""

    def __init__(self, folder: Path) -> None:
        """``folder``: an empty one for keys, and where machines keep their files in memory."""
        self._folder = folder
        self._stack = ExitStack()
        self._names: dict[str, str] = {}
        self.desk: Machine
        self.machines: dict[str, Machine] = {}

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for name in ("user_key", "host_key"):
                command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self._folder / name)]
                subprocess.run(command, check=True)
            self._stack = stack
            self.desk = self._boot("desk", DESK, {})
            self.desk.ip("link", "add", _BRIDGE, "type", "bridge", "forward_delay", "0")
            self.desk.ip("addr", "add", f"{DESK}/24", "dev", _BRIDGE)
            self.desk.ip("link", "set", _BRIDGE, "up")
            self.desk.write(HOME / ".ssh" / USER, (self._folder / "user_key").read_text(), 0o600)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, name: str, address: str, files: Mapping[str, str] | None = None) -> Machine:
        """Start a machine with a cable to the desk; ``files`` are written there before its sshd listens."""
        machine = self._boot(name, address, files or {})
        self.machines[name] = machine
        self.desk.ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", str(machine._pid))
        self.desk.ip("link", "set", name, "master", _BRIDGE, "up")
        machine.ip("addr", "add", f"{address}/24", "dev", "eth0")
        machine.ip("link", "set", "eth0", "up")
        return machine

    def cut(self, machine: Machine) -> None:
        """Pull the cable of a machine."""
        self.desk.ip("link", "set", machine.name, "down")

    def mend(self, machine: Machine) -> None:
        """Plug it in again."""
        self.desk.ip("link", "set", machine.name, "up")

    def _boot(self, name: str, address: str, files: Mapping[str, str]) -> Machine:
        folder = self._folder / name
        folder.mkdir()
        self._names[name] = address
        settings = {
            "folder": str(folder),
            "name": name,
            "needs": [str(path) for path in needed()],
            "hosts": "".join(f"{address} {name}\n" for name, address in self._names.items()),
            "key": (self._folder / "user_key.pub").read_text(),
            "host_key": (self._folder / "host_key").read_text(),
            "files": dict(files),
        }
        process = subprocess.Popen(
            ["unshare", *_NAMESPACES, "--fork", "--kill-child", sys.executable, str(HERE / "machine.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(settings) + "\n")
        process.stdin.flush()
        said = process.stdout.readline().strip()
        if not said.isdecimal():
            process.kill()
            process.wait()
            raise Failed(f"the machine {name} did not start")
        machine = Machine(name, address, process, int(said))
        self._stack.callback(machine.end)
        machine.ip("link", "set", "lo", "up")
        return machine


def needed() -> Iterable[Path]:
    """Return the folders of this Python, which machines need where the host has them."""
    packages = (Path(path) for path in sys.path if path.endswith("site-packages"))
    return sorted({path.resolve() for path in (Path(sys.prefix), Path(sys.base_prefix), CHECKOUT, *packages)})


def copy_checkout(machine: Machine, to: Path) -> None:
    """Copy the files of the checkout that git does not ignore to a machine."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=CHECKOUT, check=True, capture_output=True, text=True,
    ).stdout.split("\0")  # fmt: skip
    target = machine.path(to)
    for name in filter(None, listed):
        if os.path.lexists(CHECKOUT / name):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, target / name, follow_symlinks=False)
    subprocess.run(["chown", "-R", f"{UID}:{UID}", str(target)], check=True)


def until(what: str, holds: Any, limit_s: float, every_s: float = 0.5) -> float:
    """Wait until ``holds()`` is true, and return how long that took. Raises Failed, which names ``what``."""
    begun = time.monotonic()
    while not holds():
        if time.monotonic() - begun > limit_s:
            raise Failed(f"{what}: not within {limit_s:g} s")
        time.sleep(every_s)
    return time.monotonic() - begun
