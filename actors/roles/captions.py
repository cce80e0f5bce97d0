"""Captions of icons by what they look like: those that are known, and which of a screen's are to be asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manyhands.actors.perception.appearance import WIDTH, Looks, nearest


class CaptionMemory:
    """Keeps ``limit`` captions; the one that was unused for longest goes first. For one thread."""

    def __init__(self, limit: int) -> None:
        self._looks: Looks = np.zeros((limit, WIDTH), np.float32)
        self._captions: list[str] = []
        self._used = np.zeros(limit, np.int64)
        self._clock = 0

    def __len__(self) -> int:
        return len(self._captions)

    def find(self, looks: Looks) -> list[str | None]:
        """Return the caption of each of ``looks``. None: it was never seen; empty: the model did not know it."""
        index, same = nearest(looks, self._looks[: len(self)])
        self._clock += 1
        self._used[index[same]] = self._clock
        return [self._captions[at] if known else None for at, known in zip(index, same, strict=True)]

    def add(self, looks: Looks, captions: Sequence[str | None]) -> int:
        """Keep ``captions``, one for each of ``looks``, and return how many; ``find`` must know none of the looks.

        None: the reply left the icon out, which stays unseen.
        """
        self._clock += 1
        kept = 0
        for look, caption in zip(looks, captions, strict=True):
            if caption is None:
                continue
            kept += 1
            if len(self) < len(self._looks):
                at = len(self)
                self._captions.append(caption)
            else:
                at = int(self._used.argmin())
                self._captions[at] = caption
            self._looks[at], self._used[at] = look, self._clock
        return kept


def different(looks: Looks) -> list[int]:
    """Return the index of the first of each icon among ``looks``; what shows nothing is left out."""
    chosen: list[int] = []
    for number, look in enumerate(looks):
        if look.any() and not nearest(look[None], looks[chosen])[1][0]:
            chosen.append(number)
    return chosen
