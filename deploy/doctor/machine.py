"""Check what this machine has for runs and commands: Python, packages, programs, memory."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from manyhands.deploy.cluster.nodes.probe import probe_class
from manyhands.deploy.doctor.adb_program import find_adb
from manyhands.deploy.doctor.findings import Finding
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.utilities.terminal_text import count_noun

MACHINE = "machine"
EXTRAS = {
    "fleet": "manyhands run",
    "simulator": "virtual phones, the rehearsed model",
    "bench": "manyhands bench",
    "edge": "manyhands gateway",
}
"""Extras of the package, each with what needs it."""
_PYTHONS = ((3, 11), (3, 14))
_A_PHONE = Size(width=1080, height=2400)
_LEAST_PHONES = 1


def examine_machine() -> Sequence[Finding]:
    """Check this machine. Nothing is started, stopped or changed."""
    return [
        _python(),
        *_extras(),
        _adb(),
        *_memory(),
        _program("vllm", "pip install vllm, in an environment of its own", "manyhands mllm"),
        _program("mosquitto", "apt-get install mosquitto", "manyhands broker", "/usr/sbin/mosquitto"),
    ]


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    least, below = _PYTHONS
    fits = least <= sys.version_info[:2] < below
    return Finding(
        MACHINE,
        "Python",
        f"{version} ({sys.executable})",
        "ok" if fits else "failure",
        "" if fits else "make install PYTHON=python3.11",
    )


def _extras() -> Iterator[Finding]:
    """Check each extra. It is a failure if both ``fleet`` and ``edge`` lack packages: this machine can do nothing."""
    lacking = {extra: probe_class()().lacking(extra) for extra in EXTRAS}
    some = not lacking["fleet"] or not lacking["edge"]
    for extra, missing in lacking.items():
        if not missing:
            yield Finding(MACHINE, f"extra {extra}", "installed")
            continue
        summary = f"lacks {', '.join(missing)}; needed for {EXTRAS[extra]}"
        mend = f"{sys.executable} -m pip install 'manyhands[{extra}]'"
        yield Finding(MACHINE, f"extra {extra}", summary, "failure" if extra == "fleet" and not some else "ok", mend)


def _adb() -> Finding:
    program = find_adb()
    if program is None:
        return Finding(MACHINE, "adb", "neither on the path nor in adbutils", "failure", "apt-get install adb")
    return Finding(MACHINE, "adb", f"{program} ({shutil.which(program)})" if program == "adb" else program)


def _memory() -> Iterator[Finding]:
    """Tell for how many phones a Ray that the run starts can hold screenshots in memory."""
    if importlib.util.find_spec("ray") is None:
        return
    from manyhands.deploy.cluster.object_store import bytes_of, free_memory, gib, store_bytes

    free = free_memory(Path(tempfile.gettempdir()))
    phones = free.memory // store_bytes(bytes_of([_A_PHONE]))
    shared = "no shared memory" if free.shared is None else f"{gib(free.shared)} of shared memory"
    summary = (
        f"{gib(free.memory)} free, {shared}: room for screenshots of "
        f"{count_noun(phones, 'phone')} of {_A_PHONE.width}x{_A_PHONE.height}"
    )
    fits = phones >= _LEAST_PHONES
    yield Finding(MACHINE, "memory", summary, "ok" if fits else "failure", "" if fits else "end other programs")


def _program(name: str, how: str, needed_for: str, also_at: str = "") -> Finding:
    """Look for a program that only some commands need. Its absence is no failure."""
    path = shutil.which(name) or (also_at and shutil.which(also_at))
    if path:
        return Finding(MACHINE, name, str(path))
    return Finding(MACHINE, name, f"not installed; needed for {needed_for}", "ok", how)
