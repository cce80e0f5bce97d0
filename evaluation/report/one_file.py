"""Write the report of a run as one HTML file, to be sent by mail or attached to an issue."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from manyhands.evaluation.report.payloads import RUN, payload_in
from manyhands.evaluation.report.pictures import SCREENS, data_url
from manyhands.evaluation.report.report_folder import (
    DEFAULTS,
    ReportOptions,
    WrittenReport,
    part_of,
    typed_errors,
    work_in_processes,
    write_payloads,
)
from manyhands.evaluation.report.report_page import file_page
from manyhands.evaluation.run_folder import RunFolder
from manyhands.evaluation.summary import store_summary
from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities import secure_files

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
    return work_in_processes(_picture, [_Screen(run.path, content_id) for content_id in ids], options)


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
