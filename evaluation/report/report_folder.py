"""Write the report of a run: as a folder whose page loads payloads when it shows them, or as one HTML file to send."""

from __future__ import annotations

import contextlib
import html
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import BinaryIO, TypeVar

from manyhands.evaluation.report.episode_files import CALLS, EPISODE, LOG, EpisodeWork, write_episode
from manyhands.evaluation.report.pictures import SCREENS, data_url
from manyhands.evaluation.report.report_page import (
    RUN,
    file_page,
    folder_page,
    payload_in,
    payload_of,
    read_asset,
    script_of,
)
from manyhands.evaluation.report.run_reports import assemble_report, keeps_icons
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.summary import store_summary
from manyhands.protocol.errors import BadInput, store_error
from manyhands.protocol.journals.journal_file import JOURNAL
from manyhands.protocol.run_report import RunReport
from manyhands.protocol.runs.folder_identity import EPISODES
from manyhands.protocol.utilities import secure_files

PAGE, FILES = "report.html", "report"
FEW = 12
"""For so few episodes, starting other processes takes longer than they save."""
_PART = re.compile(r"\..*\.(\d+)\.part")
OnProgress = Callable[[int, int], None]
"""Is told how many episodes, or pictures, are written, and how many there are."""
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """Say what a report holds and how it is made."""

    trim: bool = False
    """Whether screens are left out."""
    workers: int = 1
    """How many processes write episodes."""
    on_progress: OnProgress = lambda number, total: None


DEFAULTS = ReportOptions()


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """Say what was written."""

    page: Path
    """The page to open."""
    report: RunReport
    bytes: int
    """The size of all files that were written. Pictures that the run folder had already do not count."""


def write_report(folder: Path, options: ReportOptions = DEFAULTS) -> WrittenReport:
    """Write ``report.html`` and ``report/`` into the run folder, in place of older ones.

    The pictures stay where they are; small ones are made where they are missing. Until the report is complete, the
    older one stays. Raises BadInput for any other folder and for an encrypted one, and StoreError.
    """
    run = RunFolder(folder)
    if not run.cipher.is_plain:
        raise BadInput(f"{folder}: is encrypted, and a report is not: name a place outside by --out or --one-file")
    with typed_errors(folder / FILES):
        with part_of(folder / FILES) as part:
            report, _ = write_payloads(run, part, options)
            write_application(part)
            size = size_of(part)
            put_in_place(part, folder / FILES)
        secure_files.replace_text(folder / PAGE, folder_page(RUN))
    store_summary(folder, report.summary)
    return WrittenReport(folder / PAGE, report, size + (folder / PAGE).stat().st_size)


def copy_report(folder: Path, out: Path, options: ReportOptions = DEFAULTS) -> WrittenReport:
    """Write a report with copies of all that it needs into another folder, which can be sent or hosted.

    An older report in ``out`` is replaced. Raises BadInput if ``out`` holds anything else, and StoreError.
    """
    run = RunFolder(folder)
    check_out(out, run)
    with typed_errors(out), part_of(out) as part:
        secure_files.make_folder(part / FILES)
        report, _ = write_payloads(run, part / FILES, options, pictures=part)
        write_application(part / FILES)
        secure_files.write_text(part / PAGE, folder_page(RUN))
        size = size_of(part)
        put_in_place(part, out)
    store_summary(folder, report.summary)
    return WrittenReport(out / PAGE, report, size)


def check_out(out: Path, *runs: RunFolder) -> None:
    """Raise BadInput if a folder cannot take a report: it holds something else, or is (in) one of the run folders."""
    if any(out.resolve() == run.path.resolve() for run in runs):
        raise BadInput(f"--out {out}: this is the run folder itself; leave --out away, or name a new folder")
    if out.exists() and not out.is_dir():
        raise BadInput(f"--out {out}: this is a file; name a folder")
    if out.is_dir() and any(out.iterdir()) and ((out / "run.yaml").exists() or not (out / PAGE).is_file()):
        raise BadInput(f"--out {out}: the folder holds something other than a report; name a new folder")


def write_payloads(
    run: RunFolder,
    part: Path,
    options: ReportOptions,
    *,
    pictures: Path | None = None,
    prefix: str = "",
    with_pictures: bool = True,
) -> tuple[RunReport, tuple[str, ...]]:
    """Write all payloads of a run into a folder. Return the report and the ids of its screens.

    ``pictures``: the folder into which screens are copied; None to leave them in the run folder. ``prefix``: begins the
    names of the payloads, if a report has several runs. ``with_pictures``: whether small pictures are made.
    """
    keep_icons = keeps_icons(run)  # also refuses a run.yaml that cannot be read, before anything is written
    for kind in (EPISODE, CALLS, LOG):
        secure_files.make_folder(part / kind)
    work = [
        EpisodeWork(run.path, name, part, pictures, prefix, with_pictures and not options.trim, keep_icons)
        for name in sorted(_episodes(run.path))
    ]
    payloads = [one for one in _work_in_processes(write_episode, work, options) if one is not None]
    report = assemble_report(run, [one.digest for one in payloads], time.time(), is_trimmed=options.trim)
    secure_files.write_bytes(part / f"{RUN}.js", script_of(f"{prefix}{RUN}", payload_of(report)))
    return report, tuple(dict.fromkeys(screen for one in payloads for screen in one.screens))


def write_application(part: Path) -> None:
    """Write the script and the styles of the pages into a folder."""
    for asset in ("report.js", "report.css"):
        secure_files.write_text(part / asset, read_asset(asset))


def _work_in_processes(work: Callable[[T], R], items: Sequence[T], options: ReportOptions) -> Iterator[R]:
    """Yield the results of work on each item, in order, and tell the progress. Few items need no other process."""
    with _executor(min(options.workers, len(items)) if len(items) > FEW else 1) as executor:
        results = map(work, items) if executor is None else executor.map(work, items, chunksize=2)
        for number, result in enumerate(results, start=1):
            options.on_progress(number, len(items))
            yield result


@contextlib.contextmanager
def _executor(workers: int) -> Iterator[Executor | None]:
    """Yield processes, or None if one is enough. If the caller fails, work that has not begun is dropped."""
    if workers <= 1:
        yield None
        return
    executor = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)


def _episodes(run: Path) -> Iterator[str]:
    with contextlib.suppress(FileNotFoundError):
        for entry in os.scandir(run / EPISODES):
            if os.path.isfile(os.path.join(entry.path, JOURNAL)):
                yield entry.name


@contextlib.contextmanager
def typed_errors(what: Path) -> Iterator[None]:
    """Turn errors of the file system into typed ones."""
    try:
        yield
    except OSError as error:
        raise store_error(error, f"{what}: the report cannot be written") from error


@contextlib.contextmanager
def part_of(target: Path) -> Iterator[Path]:
    """Make a folder beside ``target`` that is to take its place. Remove it at the end, and those of dead processes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for leftover in target.parent.glob(f".{target.name}.*.part"):
        match = _PART.fullmatch(leftover.name)
        if match and not _is_alive(int(match[1])):
            shutil.rmtree(leftover, ignore_errors=True)
    part = secure_files.part_path(target)
    shutil.rmtree(part, ignore_errors=True)
    secure_files.make_folder(part)
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)


def put_in_place(part: Path, target: Path) -> None:
    """Put a complete folder in the place of an older one."""
    old = part.with_name(f"{part.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    with contextlib.suppress(FileNotFoundError):
        target.rename(old)
    part.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def _is_alive(process: int) -> bool:
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def size_of(folder: Path) -> int:
    """Return the size of all files in a folder, in bytes."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


MOST_BYTES = 100 * 1024 * 1024
"""A browser takes long to open a larger file."""


@dataclass(frozen=True, slots=True)
class _Screen:
    run: Path
    content_id: str


def write_one_file(
    folder: Path, out: Path, options: ReportOptions = DEFAULTS, most_bytes: int = MOST_BYTES
) -> WrittenReport:
    """Write a report into one file, with pictures of moderate size.

    Raises BadInput for any other folder, and for a run whose file would be larger than ``most_bytes``; StoreError.
    """
    run = RunFolder(folder)
    if out.is_dir():
        raise BadInput(f"--one-file {out}: this is a folder; name a file")
    with typed_errors(out), part_of(out) as part:
        payloads, page = part / "payloads", part / "page.html"
        secure_files.make_folder(payloads)
        report, screens = write_payloads(run, payloads, options, with_pictures=False)
        before, after = file_page(RUN)
        with secure_files.open_to_write(page) as file:
            file.write(before.encode())
            for name, payload in _payloads(payloads):
                _add(file, name, payload, most_bytes, out)
            for content_id, url in zip(screens, _pictures(run, () if options.trim else screens, options), strict=False):
                if url is not None:
                    _add(file, f"{SCREENS}/{content_id}", url.encode(), most_bytes, out)
            file.write(after.encode())
        size = page.stat().st_size
        page.replace(out)
    store_summary(folder, report.summary)
    return WrittenReport(out, report, size)


def _payloads(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the names and data of all payloads; the run's first, because the page shows it first."""
    yield RUN, payload_in((folder / f"{RUN}.js").read_bytes())
    for path in sorted(folder.glob("*/*.js")):
        yield f"{path.parent.name}/{path.stem}", payload_in(path.read_bytes())


def _pictures(run: RunFolder, ids: tuple[str, ...], options: ReportOptions) -> Iterator[str | None]:
    return _work_in_processes(_picture, [_Screen(run.path, content_id) for content_id in ids], options)


def _picture(screen: _Screen) -> str | None:
    return data_url(RunFolder(screen.run), screen.content_id)


def _add(file: BinaryIO, name: str, payload: bytes, most_bytes: int, out: Path) -> None:
    file.write(b'<script type="text/plain" data-name="%s">%s</script>\n' % (html.escape(name).encode(), payload))
    if file.tell() > most_bytes:
        limit = f"{most_bytes // 1024 // 1024} MB" if most_bytes >= 1024 * 1024 else f"{most_bytes} bytes"
        raise BadInput(
            f"--one-file {out}: the file would be larger than {limit}, which browsers open slowly; leave the screens "
            "out with --trim, or write a folder with --out DIR"
        )
