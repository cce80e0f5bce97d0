"""Check what this machine has for a run, and what its operating system grants.

It has Python, packages, programs, memory and disk. It grants open files, processes, ports, and databases that outlive
runs.
"""

from __future__ import annotations

import importlib.util
import os
import resource
import shutil
import sqlite3
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from adbutils import adb_path

from manyhands.actors.phones.secret_values import find_problems
from manyhands.actors.sqlite_database import DATABASE
from manyhands.deploy.cluster.node_probe import probe_class
from manyhands.deploy.doctor.findings import Finding
from manyhands.deploy.serving.supervisor import check_address
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.phones import AdbOptions
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.terminal_text import count_noun

_USUAL = AdbOptions()


def find_adb() -> str | None:
    """Return the name or path by which a shell here calls ``adb``; None if there is no adb."""
    if shutil.which("adb"):
        return "adb"
    beside = Path(sys.executable).parent / "adb"
    if os.access(beside, os.X_OK):
        return os.path.relpath(beside)
    try:
        return str(adb_path())
    except (RuntimeError, OSError):
        return None


def adb_command(options: AdbOptions, serial: str = "") -> str:
    """Return the beginning of an adb command for the server that the settings name and, if given, for one phone."""
    words = [find_adb() or "adb"]
    if options.adb_host != _USUAL.adb_host:
        words += ["-H", options.adb_host]
    if options.adb_port != _USUAL.adb_port:
        words += ["-P", str(options.adb_port)]
    if serial:
        words += ["-s", serial]
    return " ".join(words)


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


HOST = "host"
LEAST_DISK_MB, SCANTY_DISK_MB = 200, 2000
"""With less free disk than the first number, a run fails. With less than the second, a run may fail: a step writes
about 0.5 MB."""
LEAST_FILES, FEW_FILES = 256, 1024
FEW_PROCESSES = 1024
"""A limit on processes below this number may be too low. Threads count, too: a Ray that a run starts has hundreds."""
_MIB = 1 << 20
_PIDS = Path("/sys/fs/cgroup/pids.max")


def examine_host(settings: FleetSettings) -> list[Finding]:
    """Check what the operating system grants. Nothing is created or changed; a port is opened for a moment."""
    return [_disk(settings), _files(), *_processes(), *_ports(settings), *_databases(settings), *_secrets(settings)]


def _secrets(settings: FleetSettings) -> Iterator[Finding]:
    """Check that each declared secret has a value on this machine."""
    for name, problem in find_problems(settings.secrets).items():
        state = problem.removeprefix(f"secret {name}: ") or "has a value"
        mend = "give it a value where the phone's gateway runs (docs/secrets.md)" if problem else ""
        yield Finding("secrets", name, state, "failure" if problem else "ok", mend)


def _disk(settings: FleetSettings) -> Finding:
    """Check the folder in which run folders are created."""
    out = (settings.out.parent if settings.out is not None else Path("runs")).absolute()
    folder = next(place for place in (out, *out.parents) if place.exists())
    free_mb = shutil.disk_usage(folder).free / _MIB
    if not os.access(folder, os.W_OK | os.X_OK):
        mend = f"sudo chown $USER {folder}; or --out in another folder"
        return Finding(HOST, "disk", f"{folder} cannot be written to", "failure", mend)
    summary = f"{free_mb / 1024:.1f} GB free for run folders in {folder}"
    if free_mb < SCANTY_DISK_MB:
        mend = f"delete old runs in {folder}; or --out on another disk"
        return Finding(HOST, "disk", summary, "failure" if free_mb < LEAST_DISK_MB else "warning", mend)
    return Finding(HOST, "disk", summary)


def _files() -> Finding:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    summary = f"{_limit(soft)} at a time"
    if soft != resource.RLIM_INFINITY and soft < FEW_FILES:
        most = "65535" if hard == resource.RLIM_INFINITY or hard >= 65535 else str(hard)
        return Finding(HOST, "open files", summary, "failure" if soft < LEAST_FILES else "warning", f"ulimit -n {most}")
    return Finding(HOST, "open files", summary)


def _processes() -> Iterator[Finding]:
    soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    granted = [] if soft == resource.RLIM_INFINITY else [(soft, "ulimit -u 16384")]
    try:
        limit_text = _PIDS.read_text().strip()
    except OSError:
        limit_text = "max"
    if limit_text.isdecimal():
        granted.append((int(limit_text), "give the container more: podman run --pids-limit 16384"))
    if not granted:
        yield Finding(HOST, "processes", "unlimited")
        return
    least, mend = min(granted)
    summary = f"{least} processes and threads"
    yield Finding(HOST, "processes", summary, *(("warning", mend) if least < FEW_PROCESSES else ()))


def _ports(settings: FleetSettings) -> Iterator[Finding]:
    if not settings.metrics_port:
        yield Finding(HOST, "ports", "a run takes free ones")
        return
    where = f"{settings.metrics_host}:{settings.metrics_port}"
    try:
        check_address(settings.metrics_host, settings.metrics_port, "--metrics-host")
    except BadInput as error:
        mend = f"--metrics-port 0 takes a free one; see who listens: ss -ltnp 'sport = :{settings.metrics_port}'"
        yield Finding(HOST, "ports", str(error), "failure", mend)
    else:
        yield Finding(HOST, "ports", f"{where} is free for metrics")


def _databases(settings: FleetSettings) -> Iterator[Finding]:
    folder = settings.state_dir.expanduser()
    yield _database("database", folder / DATABASE, "state_dir in settings.yaml:")
    if settings.memory is not None:
        yield _database("memory", settings.memory, "--memory")


def _database(name: str, path: Path, option: str) -> Finding:
    """Judge a database by its file. A missing file is no failure if a run can create it.

    ``option``: the setting that names the place of the database.
    """
    if not path.exists():
        folder = next(place for place in path.parents if place.exists())
        if os.access(folder, os.W_OK | os.X_OK):
            return Finding(HOST, name, f"none yet; a run makes {path}")
        mend = f"sudo chown $USER {folder}; or {option} elsewhere"
        return Finding(HOST, name, f"{path} cannot be made: {folder} cannot be written to", "failure", mend)
    if not os.access(path, os.R_OK | os.W_OK):
        return Finding(HOST, name, f"{path} is not ours to write", "failure", f"sudo chown $USER {path}*")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=2)) as database:
            (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        verdict = str(error)
    if verdict != "ok":
        mend = f"end all runs, then: mv {path} {path}.damaged"
        return Finding(HOST, name, f"{path} is damaged: {verdict}", "failure", mend)
    if stat.S_IMODE(path.stat().st_mode) & 0o077:

        async def restrict() -> None:
            secure_files.restrict_database(path)

        return Finding(HOST, name, f"{path} can be read by others", "warning", f"chmod 600 {path}*", restrict)
    return Finding(HOST, name, f"{path} is whole")


def _limit(value: int) -> str:
    return "unlimited" if value == resource.RLIM_INFINITY else str(value)
