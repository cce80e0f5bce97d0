"""What docs/scaling.md calls computed follows from what it calls measured and assumed, to two digits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[1] / "docs" / "scaling.md").read_text()
ROWS = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in TEXT.splitlines() if line.startswith("| ")]
PHONES = (100, 1_000, 10_000)


def number(text: str) -> float:
    """The first number of a text."""
    return float(re.findall(r"\d[\d,.]*", text)[0].rstrip(".,").replace(",", ""))


def number_in(text: str) -> bool:
    return bool(re.search(r"\d", text))


def row(begins: str) -> list[str]:
    (found,) = [cells for cells in ROWS if cells[0].startswith(begins)]
    return found


def figure(begins: str, which: int = 0) -> float:
    return float(re.findall(r"\d[\d,.]*", row(begins)[1])[which].rstrip(".,").replace(",", ""))


PER_SECOND = 1 / figure("time of a step")
OWN_S = (figure("our own processes, CPU") + figure("adb server, Ray", 0) + figure("adb server, Ray", 1)) / 1000
PERCEPTION_S = figure("perception, CPU") / 1000


def test_every_figure_says_what_it_is_and_where_a_measured_one_comes_from() -> None:
    costs = [cells for cells in ROWS if len(cells) == 4 and cells[3] != "where from" and number_in(cells[1])]
    costs = [cells for cells in costs if cells[2] in {"measured", "computed", "assumed"} or not number_in(cells[2])]
    assert len(costs) >= 14
    for name, _, kind, source in costs:
        assert kind in {"measured", "computed", "assumed"}, name
        assert kind != "measured" or "`" in source or source == "the same" or "real screens" in source, name


@pytest.mark.parametrize(
    ("begins", "each"),
    [
        ("steps a second", PER_SECOND),
        ("cores: our own", PER_SECOND * OWN_S),
        ("cores: perception", PER_SECOND * PERCEPTION_S),
        ("shared memory of screenshots", figure("shared memory on the node") / 1024),
        ("memory of all processes", figure("all processes but the phones") / 1024),
        ("requests a second", PER_SECOND * figure("calls of the model")),
        ("input tokens a second", PER_SECOND * figure("input tokens that are in no cache")),
        ("requests at a time", PER_SECOND * figure("calls of the model") * figure("time of a call")),
        ("tokens a second that the model", PER_SECOND * figure("output tokens")),
        ("screenshots from sites", PER_SECOND * figure("a screenshot on its way") / 1000),
    ],
)
def test_what_fleets_need_follows_from_the_costs(begins: str, each: float) -> None:
    for phones, told in zip(PHONES, row(begins)[1:], strict=True):
        assert number(told) == pytest.approx(phones * each, rel=0.03)


def test_servers_are_whole_ones() -> None:
    each = figure("a server's steps a second")
    for phones, told in zip(PHONES, row("servers of the model,")[1:], strict=True):
        assert number(told) == pytest.approx(phones * PER_SECOND / each, rel=0.05, abs=1)


@pytest.mark.parametrize(
    "kind", ["phone gateway", "store of a run", "host of episodes", "role (", "reader of", "adb server ("]
)
def test_what_one_of_a_kind_carries_follows_from_its_cost(kind: str) -> None:
    name, phones, _ = row(kind)
    ms = float(re.findall(r"\(([\d.]+) ms\)", name)[0])
    assert number(phones) == pytest.approx(1000 / ms / PER_SECOND / 2, rel=0.03)
    assert f"{ms:g}" in " ".join(row(begins)[1] for begins in ("of these", "perception, CPU", "adb server, Ray"))
