"""What tests of clusters share."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

Tell = Callable[[str], None]


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Tell:
    """Print a figure also where tests pass."""

    def told(figure: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"\n{figure}\n")

    return told
