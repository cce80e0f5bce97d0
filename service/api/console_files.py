"""Read the files of the console, which ``web/`` builds. A page that asks again for an unchanged file gets no body."""

from __future__ import annotations

import gzip
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

CONSOLE = Path(__file__).parents[1] / "console"
"""Where the build puts the console's files."""
INDEX = "index.html"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
"""The files that are sent, by the ends of their names."""
_PACKED = frozenset({".css", ".html", ".js", ".svg"})
"""The ends of the names of files that become much smaller by compression."""
_NAME = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}/){0,3}[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}")


@dataclass(frozen=True, slots=True)
class ConsoleFile:
    """Hold a file as it is sent."""

    media_type: str
    etag: str
    body: bytes
    packed: bytes | None
    """The body, compressed by gzip; None if this does not pay."""


class ConsoleFiles:
    """Keep the files of the console in memory. A file that was built anew is read anew."""

    def __init__(self, folder: Path = CONSOLE) -> None:
        """Read files of ``folder``."""
        self._folder = folder
        self._known: dict[str, tuple[tuple[int, int], ConsoleFile]] = {}

    def file(self, name: str) -> ConsoleFile | None:
        """Return the file with this name, with folders divided by ``/``; None if there is none. Blocks."""
        path = self._folder / name
        if not _NAME.fullmatch(name) or path.suffix not in MEDIA_TYPES or path.is_symlink():
            return None
        try:
            stat = path.stat()
            state = stat.st_mtime_ns, stat.st_size
            cached_file = self._known.get(name)
            if cached_file is not None and cached_file[0] == state:
                return cached_file[1]
            body = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        file = _file_of(path.suffix, body)
        self._known[name] = state, file
        return file


def _file_of(suffix: str, body: bytes) -> ConsoleFile:
    packed = gzip.compress(body, mtime=0) if suffix in _PACKED else None
    if packed is not None and len(packed) > 0.9 * len(body):
        packed = None
    return ConsoleFile(MEDIA_TYPES[suffix], f'"{hashlib.sha256(body).hexdigest()[:32]}"', body, packed)
