"""Hold the sessions by which packages are installed: files come one by one, and a commit takes them all."""

from __future__ import annotations

from collections.abc import Sequence

MOST_SESSIONS = 50
"""As many sessions as Android gives to one caller."""


class InstallSessions:
    """Hold the open sessions of one phone, by their numbers."""

    def __init__(self) -> None:
        self._count = 0
        self._open: dict[str, dict[str, bytes]] = {}

    def begin(self) -> str:
        """Return the number of a new session. The oldest goes if there are too many."""
        if len(self._open) >= MOST_SESSIONS:
            del self._open[next(iter(self._open))]
        self._count += 1
        self._open[str(self._count)] = {}
        return str(self._count)

    def add(self, session: str, name: str, data: bytes) -> bool:
        """Add a file to a session; return whether there is such a session."""
        if session not in self._open:
            return False
        self._open[session][name] = data
        return True

    def end(self, session: str) -> Sequence[bytes] | None:
        """End a session, and return its files; None if there is no such session."""
        files = self._open.pop(session, None)
        return None if files is None else list(files.values())
