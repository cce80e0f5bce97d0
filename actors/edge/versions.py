"""Say which Manyhands runs here, and with which others it can speak."""

from __future__ import annotations

from importlib import metadata


def version_here() -> str:
    """Return the version of Manyhands that runs here."""
    return metadata.version("manyhands")


def unlike(theirs: str) -> bool:
    """Return whether a version has another first number than ours: what they say may mean something else."""
    return theirs.partition(".")[0] != version_here().partition(".")[0]
