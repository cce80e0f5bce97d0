"""Find MiniWoB's pages, and give each problem a number, by which a phone is reset to it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities.yaml_document import read_yaml

PAGE_WIDTH = 160
"""The width of a page in CSS pixels. On a phone so many dots per inch as its width has pixels let it fill the width."""
SEEDS = 1000
"""How many seeds of a page have a number."""
WORLD_SCRIPT = (resources.files("manyhands.simulator.miniwob") / "world.js").read_text("utf-8")


def _read_pages() -> Mapping[str, str | None]:
    return dict(read_yaml(Path(__file__).with_name("pages.yaml")).data)


PAGES = _read_pages()
"""Each page, in the order of the numbers, and why it is left out; None if it is not."""
PLAYED = tuple(page for page, reason in PAGES.items() if reason is None)
"""The pages that are not left out."""


def html_folder() -> Path:
    """Return the folder with MiniWoB's pages and what they load. Raises BadInput if MiniWoB is not installed."""
    spec = find_spec("miniwob")
    for place in (spec and spec.submodule_search_locations) or ():
        if (folder := Path(place) / "html").is_dir():
            return folder
    raise BadInput("MiniWoB is not installed: pip install --no-deps miniwob")


def problem_number(page: str, seed: int) -> int:
    """Return the number of a page's problem. Raises BadInput for an unknown page, and a seed from ``SEEDS`` up."""
    if page not in PAGES:
        raise BadInput(f"MiniWoB has no page {page!r}")
    if not 0 <= seed < SEEDS:
        raise BadInput(f"a seed of MiniWoB is a number from 0 to {SEEDS - 1}: {seed}")
    return list(PAGES).index(page) * SEEDS + seed


def problem_url(folder: Path, number: int) -> str:
    """Return the address of a problem. Numbers behind the last one begin again."""
    place, seed = divmod(number, SEEDS)
    page = tuple(PAGES)[place % len(PAGES)]
    return f"{(folder / 'miniwob' / f'{page}.html').as_uri()}?seed={seed}"
