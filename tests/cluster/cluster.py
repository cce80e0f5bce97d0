"""A cluster of the lab's machines, started by ``ray up`` with the file that is shipped."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from tests.cluster.lab import CHECKOUT, HOME, Lab, Machine, copy_checkout

FILE = "ray_cluster.yaml"
HEAD, WORKERS = "192.0.2.10", ("192.0.2.11", "192.0.2.12")
"""The addresses in the file."""
INSTALL = "make install"
"""The step that is replaced: this Python and what it has is there already, and is only linked."""
PYTHON = Path(sys.prefix) / "bin" / "python"
MANYHANDS = "/opt/manyhands/.venv/bin/manyhands"
TOKENS = {"RAY_AUTH_MODE": "token"}
WAITING = "/opt/manyhands/tests/cluster/waiting.py"


@dataclass(frozen=True)
class Node:
    """A node as Ray lists it."""

    address: str
    labels: Mapping[str, str]


@dataclass
class Cluster:
    """Hold the machines of a cluster, and a desk from which it is started and ended."""

    lab: Lab
    head: Machine
    workers: Sequence[Machine]
    _services: ExitStack = field(default_factory=ExitStack)

    @classmethod
    def of(cls, lab: Lab, labels: Mapping[str, Mapping[str, str]]) -> Self:
        """Make the machines of ``labels``, the head first, and the desk's checkout. Starts no Ray.

        ``labels``: of each machine, by its address. More workers than the file has are added to it.
        """

        def machine(name: str, address: str) -> Machine:
            mine = ",".join(f"{key}={value}" for key, value in labels[address].items())
            return lab.add(name, address, {"/etc/manyhands.env": f'NODE_LABELS="{mine}"\n'} if mine else {})

        head, *workers = (machine(f"worker-{n}" if n else "head", address) for n, address in enumerate(labels))
        copy_checkout(lab.desk, HOME / "checkout")
        shipped = (CHECKOUT / FILE).read_text()
        assert f"&& {INSTALL}\n" in shipped
        linked = shipped.replace(INSTALL, f"ln -sfn {sys.prefix} .venv")
        if len(workers) > len(WORKERS):
            addresses = ", ".join(worker.address for worker in workers)
            linked = linked.replace(f"[{', '.join(WORKERS)}]", f"[{addresses}]")
            linked = linked.replace(f"max_workers: {len(WORKERS)} ", f"max_workers: {len(workers)} ")
        lab.desk.write(HOME / "checkout" / FILE, linked)
        return cls(lab, head, workers)

    @property
    def machines(self) -> tuple[Machine, ...]:
        return (self.head, *self.workers)

    def up(self) -> str:
        """Return what ``ray up`` says."""
        return self._from_desk("up", 240)

    def down(self) -> str:
        """Return what ``ray down`` says."""
        self._services.close()
        return self._from_desk("down", 120)

    def nodes(self, count: int, limit_s: float) -> list[Node]:
        """Return the live nodes once there are ``count`` of them, as a program on the head sees them."""
        asked = (PYTHON, WAITING, str(count), str(limit_s))
        said = self.head.run(*asked, environment=TOKENS, timeout_s=limit_s + 60).stdout
        (told,) = [line for line in said.splitlines() if line.startswith("[{")]  # Ray may say something, too
        return [Node(**node) for node in json.loads(told)]

    def left(self) -> dict[str, list[str]]:
        """Return what still runs of Ray, by machine."""
        found = {machine.name: [line for line in machine.processes() if _is_ray(line)] for machine in self.machines}
        return {name: lines for name, lines in found.items() if lines}

    def serve(self, machine: Machine, *command: str | Path) -> dict[str, Any]:
        """Start what says in a line of JSON that it is ready, and then stays until the cluster ends."""
        log = self._services.enter_context(machine.path("/tmp/served.log").open("a"))
        options: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log}
        process = machine.start(*command, **options)
        self._services.callback(_end, process)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, machine.path("/tmp/served.log").read_text()
        said = json.loads(line)
        assert isinstance(said, dict)
        return said

    def _from_desk(self, word: str, limit_s: float) -> str:
        command = (PYTHON.parent / "ray", word, "--yes", FILE)
        return self.lab.desk.run(*command, cwd=HOME / "checkout", timeout_s=limit_s).stdout


@contextmanager
def cluster_of(folder: Path, labels: Mapping[str, Mapping[str, str]]) -> Iterator[Cluster]:
    """Keep the machines of a cluster while the context is open; ``folder``: an empty one for the lab."""
    with Lab(folder) as lab:
        cluster = Cluster.of(lab, labels)
        with cluster._services:
            yield cluster


def _is_ray(line: str) -> bool:
    return line.startswith("ray::") or "/ray/" in line or "bin/ray " in line


def _end(process: subprocess.Popen[str]) -> None:
    """End what ends with its standard input."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
