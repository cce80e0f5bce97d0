"""Write small pictures of screens, as a run folder has them, for a fleet that has no phones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from manyhands.actors.frames import content_id, make_thumbnail
from manyhands.protocol import secure_files

SCREENS = 40
_HEIGHT, _WIDTH, _ROW = 2400, 1080, 60


def write_thumbnails(runs: Path) -> Sequence[str]:
    """Write the pictures into a run folder within ``runs``; return their content ids.

    A picture has about as many bytes as that of a page of settings: rows of a plain colour, with texts.
    """
    run = runs / "000001_canned"
    secure_files.make_folder(run / "thumbnails")
    secure_files.write_bytes(run / "run.yaml", b"run_id: canned\n")
    ids: list[str] = []
    for seed in range(SCREENS):
        rgb = _screen(np.random.default_rng(seed))
        ids.append(content_id(rgb))
        secure_files.write_bytes(run / "thumbnails" / f"{ids[-1]}.jpg", make_thumbnail(rgb))
    return ids


def _screen(random: np.random.Generator) -> np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]:
    rgb = np.full((_HEIGHT, _WIDTH, 3), 240, np.uint8)
    for top in range(0, _HEIGHT, 4 * _ROW):
        width = int(random.integers(300, _WIDTH - 100))
        ink = random.integers(0, 2, (_ROW // 20, width // 20, 1), np.uint8) * 200
        rgb[top : top + _ROW, 60 : 60 + 20 * (width // 20)] = np.kron(ink, np.ones((20, 20, 1), np.uint8))
    return rgb
