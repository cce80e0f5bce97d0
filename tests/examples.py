"""How many examples hypothesis makes of a test: few that never change in every run, all in `make test-explore`."""

from __future__ import annotations

from hypothesis import settings


def examples(most: int, fixed: int | None = None) -> int:
    """Return ``most`` where examples are drawn anew; where they are fixed, ``fixed``, which is a fourth of it.

    Fixed examples are the same in every run: more of them find nothing that the first run has not found.
    """
    if not settings().derandomize:
        return most
    return max(10, most // 4) if fixed is None else fixed
