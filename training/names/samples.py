"""The drawings of each part (train, choose, holdout), and crops drawn from them at random or one by one."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from manyhands.actors.frames import Rgb
from training.names.classes import OTHER, Classes
from training.names.crops import CropMaker
from training.names.drawings import controls, letters
from training.names.icon_sets import HERE, Use, icon_sets, icons_of
from training.names.rasters import Raster, rasters

OTHER_SHARE = 0.28
"""Share of the crops learned from that have no name."""
PHOTO_SHARE = 0.2
"""Share of those that are bits of photographs."""
NEIGHBOURS = 3000
DRAWN = {"train": (60, 1200), "choose": (5, 60), "holdout": (5, 60)}
"""Controls of each kind, and letters, that are drawn for a part."""
CHOICES = ("classes.yaml", "sets.yaml", "package-lock.json")
"""Which icons are drawn, of which versions of the sets, and with which names."""
CODE = ("classes.py", "drawings.py", "icon_sets.py", "rasters.py")
"""What draws them."""


@dataclass(frozen=True)
class Drawings:
    """Hold the ``rasters`` of one part, ``labels`` as numbers of the names."""

    rasters: list[Raster]
    labels: NDArray[np.int64]
    names: tuple[str, ...]


def drawings(use: Use, seed: int, kept: Path, choices: Path = HERE) -> Drawings:
    """Return all drawings of a part; they are made once and kept in the folder ``kept`` until their sources change.

    ``choices``: the folder of the files CHOICES, where the icon sets are installed. Raises FileNotFoundError where they
    are not.
    """
    path = kept / f"{use}-{seed}-{_digest(choices)}.pickle"
    classes = Classes.load(choices / "classes.yaml")
    if path.is_file():
        found: list[Raster] = pickle.loads(path.read_bytes())  # our own file
    else:
        found = list(_drawn(use, classes, seed, choices))
        kept.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(found))
    numbers = {name: number for number, name in enumerate(classes.names)}
    return Drawings(found, np.array([numbers[one.label] for one in found]), classes.names)


def _digest(choices: Path) -> str:
    contents = [path.read_bytes() for path in (*(choices / name for name in CHOICES), *(HERE / name for name in CODE))]
    return hashlib.blake2b(b"".join(hashlib.blake2b(one).digest() for one in contents), digest_size=8).hexdigest()


def _drawn(use: Use, classes: Classes, seed: int, choices: Path) -> Iterator[Raster]:
    for one in icon_sets(choices / "sets.yaml"):
        if one.use == use:
            icons = list(icons_of(one, classes, seed, choices / "node_modules" / "@iconify-json"))
            yield from rasters([icon for icon in icons if icon.label == OTHER], strokes=False)
            yield from rasters([icon for icon in icons if icon.label != OTHER], strokes=use == "train")
    random = np.random.default_rng((seed, len(use)))
    each, count = DRAWN[use]
    yield from controls(random, each)
    yield from letters(random, count)


class Stream:
    """Draws endless random crops with their labels; equal seeds give equal streams."""

    def __init__(self, part: Drawings, seed: int) -> None:
        self._part = part
        self._random = np.random.default_rng(seed)
        chosen = self._random.permutation(len(part.rasters))[:NEIGHBOURS]
        self._maker = CropMaker(seed + 1, [part.rasters[number] for number in chosen])
        self._of = [np.flatnonzero(part.labels == number) for number in range(len(part.names))]
        weights = np.sqrt([len(rows) for rows in self._of[:-1]])
        self._weights = weights / weights.sum()

    def batch(self, count: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return crops of shape (count, side, side, 3) and the numbers of their names."""
        made = [self._one() for _ in range(count)]
        return np.stack([crop for crop, _ in made]), np.array([label for _, label in made])

    def _one(self) -> tuple[Rgb, int]:
        other = len(self._of) - 1
        if self._random.random() < OTHER_SHARE:
            if self._random.random() < PHOTO_SHARE:
                return self._maker.photo_bit(), other
            label = other
        else:
            label = int(self._random.choice(len(self._weights), p=self._weights))
        return self.crop_of(label), label

    def crop_of(self, label: int) -> Rgb:
        """Return a crop of a random drawing with this label."""
        rows = self._of[label]
        return self._maker.crop(self._part.rasters[int(rows[self._random.integers(len(rows))])])


def every(part: Drawings, seed: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return a crop of each drawing, in an order drawn by ``seed``, and the numbers of their names."""
    random = np.random.default_rng(seed)
    chosen = random.permutation(len(part.rasters))
    maker = CropMaker(seed + 1, part.rasters)
    return np.stack([maker.crop(part.rasters[number]) for number in chosen]), part.labels[chosen]
