"""How often names are right: on sets that were never learned from, and on labelled screens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training.names.classes import OTHER


@dataclass(frozen=True)
class Figures:
    """Hold how often names are right.

    ``right``: of the icons that have a name, those that get it as the likeliest one. At the threshold: ``named``, the
    share that gets a name at all, and ``precision``, the share of names given that are right."""

    icons: int
    right: float
    named: float
    precision: float


@dataclass(frozen=True)
class Answers:
    """Hold ``probabilities`` of shape (icons, names), ``labels`` as numbers of ``names``; ``other`` is the last."""

    probabilities: NDArray[np.float32]
    labels: NDArray[np.int64]
    names: tuple[str, ...]

    def figures(self, threshold: float, other_share: float | None = None) -> Figures:
        """Return figures of all icons.

        ``other_share``: the share of icons that shall count as having none of our names; as it is if not given.
        """
        other = len(self.names) - 1
        best = self.probabilities.argmax(axis=1)
        has_name = self.labels != other
        given = (best != other) & (self.probabilities.max(axis=1) >= threshold)
        weights = self._weights(has_name, other_share)
        total = float((weights * given).sum())
        return Figures(
            icons=len(self.labels),
            right=float((best == self.labels)[has_name].mean()) if has_name.any() else 0.0,
            named=total / float(weights.sum()),
            precision=float((weights * (given & (best == self.labels))).sum()) / total if total else 1.0,
        )

    def by_name(self, threshold: float) -> dict[str, Figures]:
        """Return for each name that occurs ``right`` and ``named`` of its icons; ``precision`` where it is given."""
        best = self.probabilities.argmax(axis=1)
        given = self.probabilities.max(axis=1) >= threshold
        found = {}
        for number, name in enumerate(self.names):
            of_it = self.labels == number
            if not of_it.any():
                continue
            said = (best == number) & (given | (name == OTHER))
            found[name] = Figures(
                icons=int(of_it.sum()),
                right=float((best == number)[of_it].mean()),
                named=float((given & (best != len(self.names) - 1))[of_it].mean()),
                precision=float(of_it[said].mean()) if said.any() else 1.0,
            )
        return found

    def threshold_for(self, precision: float, other_share: float) -> float:
        """Return the least threshold, in steps of 0.01, from which the names given are right so often, or else 0.99."""
        for threshold in np.arange(0.2, 0.99, 0.01):
            if self.figures(float(threshold), other_share).precision >= precision:
                return round(float(threshold), 2)
        return 0.99

    def _weights(self, has_name: NDArray[np.bool_], other_share: float | None) -> NDArray[np.float64]:
        if other_share is None or not has_name.any() or has_name.all():
            return np.ones(len(has_name))
        return np.asarray(np.where(has_name, (1 - other_share) / has_name.sum(), other_share / (~has_name).sum()))
