"""Plots as PNG and SVG. matplotlib is in the extra ``bench`` and imported only where something is drawn."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.protocol.errors import BadInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito, "Color Universal Design" (2008): can be distinguished with every kind of colour blindness.
BLACK, ORANGE, SKY, GREEN = "#000000", "#e69f00", "#56b4e9", "#009e73"
YELLOW, BLUE, VERMILION, PURPLE = "#f0e442", "#0072b2", "#d55e00", "#cc79a7"
GREY = "#9a9a9a"
LINES = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)
"""Colours of lines, in the order in which to use them; give each a marker of its own too."""
MARKERS = ("o", "s", "^", "D", "v", "P")
DPI = 150


def check_plots(folder: Path | None) -> None:
    """Raise BadInput if plots are wanted and cannot be made; call it before a long measurement."""
    if folder is None:
        return
    if importlib.util.find_spec("matplotlib") is None:
        raise BadInput("--plot: matplotlib is not installed; pip install 'manyhands[bench]'")
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"--plot {folder}: that is a file; name a folder")


def new_figure(width: float = 8.0, height: float = 4.5, rows: int = 1, columns: int = 1) -> tuple[Figure, list[Axes]]:
    """Return a figure of ``width`` x ``height`` inches and its plots, row by row. No display, no global state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    made = figure.subplots(rows, columns, squeeze=False)
    axes: list[Axes] = [axis for row in made for axis in row]
    for axis in axes:
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
        axis.grid(True, axis="both", color="#dddddd", linewidth=0.6)
        axis.set_axisbelow(True)
    return figure, axes


def save(figure: Figure, folder: Path, name: str) -> tuple[Path, Path]:
    """Write ``name.png`` and ``name.svg`` into ``folder`` and return their paths. Raises BadInput."""
    from matplotlib import rc_context

    png, svg = folder / f"{name}.png", folder / f"{name}.svg"
    # A fixed salt and no date: the same figure gives the same file, so that a commit shows real changes only.
    with rc_context({"svg.hashsalt": name, "svg.fonttype": "path"}):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            figure.savefig(png, dpi=DPI, metadata={"Software": None})
            figure.savefig(svg, metadata={"Date": None})
        except OSError as error:
            raise BadInput(f"--plot {folder}: {error.strerror or error}") from error
    return png, svg
