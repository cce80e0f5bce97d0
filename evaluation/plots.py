"""Save plots as PNG and SVG. matplotlib is in the extra ``bench``, and is imported only when something is drawn."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.protocol.errors import BadInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# From Okabe and Ito, "Color Universal Design" (2008): people with any kind of colour blindness can tell these apart.
BLACK, ORANGE, SKY, GREEN = "#000000", "#e69f00", "#56b4e9", "#009e73"
BLUE, VERMILION, PURPLE, YELLOW = "#0072b2", "#d55e00", "#cc79a7", "#f0e442"
GREY = "#9a9a9a"
COLOURS = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, BLACK, YELLOW)
DASHES = ("-", "--", "-.", ":")
_DPI = 150


def check_plots(folder: Path | None, option: str = "--plot") -> None:
    """Raise BadInput if plots are wanted but cannot be made. Call this before a long measurement."""
    if folder is None:
        return
    if importlib.util.find_spec("matplotlib") is None:
        raise BadInput(f"{option}: matplotlib is not installed; pip install 'manyhands[bench]'")
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{option} {folder}: that is a file; name a folder")


def empty_figure(width: float, height: float) -> Figure:
    """Return a figure of this size in inches. It uses neither a display nor global state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def save_plot(figure: Figure, folder: Path, name: str, option: str = "--plot") -> tuple[Path, Path]:
    """Write ``name`` as PNG and SVG into ``folder`` and return their paths. Raises BadInput."""
    from matplotlib import rc_context

    png, svg = folder / f"{name}.png", folder / f"{name}.svg"
    # With a fixed salt and no date, the same figure gives the same file, so a commit shows only real changes.
    with rc_context({"svg.hashsalt": name, "svg.fonttype": "path"}):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            figure.savefig(png, dpi=_DPI, metadata={"Software": None})
            figure.savefig(svg, metadata={"Date": None})
        except OSError as error:
            raise BadInput(f"{option} {folder}: {error.strerror or error}") from error
    return png, svg


def style(place: int) -> tuple[str, str]:
    """Return the colour and the dashes for the line of the ``place``-th item, from 0."""
    return COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)]


def frame(axes: Axes) -> None:
    """Reduce a plot's frame to what readers need, and add a legend."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(True, axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(fontsize=8, frameon=False, loc="best")
