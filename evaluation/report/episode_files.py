"""Write what a report holds of one episode. This is the work of one process among several."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from manyhands.evaluation.episode_view import EpisodePage, view_episode
from manyhands.evaluation.episodes import episode_of
from manyhands.evaluation.report.episode_digest import EpisodeDigest, digest_episode
from manyhands.evaluation.report.episode_reports import report_episode, step_calls
from manyhands.evaluation.report.pictures import copy_pictures, make_thumbnails
from manyhands.evaluation.report.report_page import (
    payload_of,
    payload_of_calls,
    payload_of_log,
    script_of,
)
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.phones import lines_in_unix_time
from manyhands.protocol.utilities import secure_files

EPISODE, CALLS, LOG = "episodes", "calls", "logs"
"""Kinds of payloads of an episode, and the folders of their files."""
MOST_LOG_BYTES = 32 * 1024 * 1024
"""Of a longer log, the newest part is shown."""
_CONTENT_ID = re.compile("[0-9a-f]{32}")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EpisodeWork:
    """Say what is to be written of an episode."""

    run: Path
    episode: str
    """The name of its folder."""
    payloads: Path
    """The folder for the payloads."""
    pictures: Path | None = None
    """Where screens are copied to; None to leave them in the run folder."""
    prefix: str = ""
    """Begins the names of the payloads, if a report has several runs."""
    with_pictures: bool = True
    """Whether pictures are made or copied."""
    keep_icons: bool = False

    def path_of(self, kind: str) -> Path:
        """Return the file of a payload."""
        return self.payloads / kind / f"{self.episode}.js"


@dataclass(frozen=True, slots=True)
class WrittenEpisode:
    """Say what was written of an episode."""

    digest: EpisodeDigest
    screens: tuple[str, ...]
    """The content ids of the screens that its page may show."""


def write_episode(work: EpisodeWork) -> WrittenEpisode | None:
    """Write the payloads and pictures of an episode. Return None for a journal without a readable start.

    Raises OSError and StoreError.
    """
    run = RunFolder(work.run)
    scan = run.journal(work.episode)
    recorded_episode = episode_of(scan.records) if scan is not None else None
    if scan is None or recorded_episode is None:
        return None
    if recorded_episode.started.episode != work.episode:
        _log.warning("%s: left out, its journal is that of episode %s", work.episode, recorded_episode.started.episode)
        return None
    view = view_episode(recorded_episode, len(scan.damage))
    log = _log_lines(run.phone_log(work.episode))
    report = report_episode(view, has_log=log is not None)
    _write(work, EPISODE, payload_of(report))
    _write(work, CALLS, payload_of_calls([step_calls(view, step) for step in view.steps]))
    if log is not None:
        _write(work, LOG, payload_of_log(log))
    screens = tuple(dict.fromkeys(_screens(view)))
    if work.with_pictures and work.pictures is not None:
        copy_pictures(run, screens, work.pictures)
    elif work.with_pictures:
        make_thumbnails(run, screens)
    return WrittenEpisode(digest_episode(view, scan.records, work.keep_icons), screens)


def _screens(view: EpisodePage) -> Iterator[str]:
    yield from (shot.content_id for shot in view.screenshots)
    for judged in view.judged:
        yield from (shot.content_id for shot in judged.screens)
    checked = view.ended.check_screen if view.ended else None
    if checked is not None and _CONTENT_ID.fullmatch(checked):
        yield checked


def _write(work: EpisodeWork, kind: str, payload: bytes) -> None:
    secure_files.write_bytes(work.path_of(kind), script_of(f"{work.prefix}{kind}/{work.episode}", payload))


def _log_lines(log: bytes | None) -> list[str] | None:
    """Return the lines of a log; None if there is none."""
    if log is None:
        return None
    header, _, rest = log.partition(b"\n")
    parts = (header, rest[-MOST_LOG_BYTES:])
    return list(lines_in_unix_time([line for part in parts for line in part.decode("utf-8", "replace").splitlines()]))
