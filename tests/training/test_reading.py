"""Pages to read, without a browser: what they say, what the parts are made of, labels from ink, and their scores."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.evaluation.perception.lines import LineTally
from manyhands.evaluation.perception.scoring import Tally
from manyhands.protocol.errors import BadInput
from training.screens.look import Phone
from training.screens.reading import score
from training.screens.reading.labels import Shot, label
from training.screens.reading.pages import KINDS, Page
from training.screens.reading.parts import HERE, Part, icon_names, part, parts
from training.screens.reading.writing import LANGUAGES, SOFT_HYPHEN, Writer, vocabulary

PHONE = Phone(100, 100, 2.0)
PAGE = Page(0, "links", "develop", "develop", "en", False, "Roboto", PHONE, "")


# ---------------------------------------------------------------------------- what pages say
@given(st.integers(), st.sampled_from(LANGUAGES))
def test_every_list_grows_whole_phrases(seed: int, language: str) -> None:
    writer = Writer(Random(seed), language)
    for kind in vocabulary()[language]:
        said = writer(kind)
        assert said
        assert not set("{}") & set(said), kind


def test_both_languages_have_the_same_lists() -> None:
    assert set(vocabulary()["en"]) == set(vocabulary()["zh"])


def test_a_seed_says_the_same_again_and_another_one_does_not() -> None:
    def said(seed: int) -> list[str]:
        writer = Writer(Random(seed), "en")
        return [writer.paragraph(3), *writer.several("section", 6), writer("price")]

    assert said(4) == said(4)
    assert said(4) != said(5)
    assert len({said(seed)[0] for seed in range(60)}) == 60


def test_several_phrases_differ() -> None:
    links = Writer(Random(1), "en").several("link", 9)
    assert len(set(links)) == len(links) == 9


@given(st.integers())
def test_hyphens_divide_words_and_leave_them_as_they_are(seed: int) -> None:
    divided = Writer(Random(seed), "en").hyphenated(4)
    assert divided.replace(SOFT_HYPHEN, "") == Writer(Random(seed), "en").paragraph(4)
    assert all(len(piece) >= 2 for word in divided.split() if SOFT_HYPHEN in word for piece in word.split(SOFT_HYPHEN))


def test_a_list_that_is_not_there_is_named() -> None:
    with pytest.raises(KeyError, match="nowhere"):
        Writer(Random(1), "en")("nowhere")


# ---------------------------------------------------------------------------- parts
MADE_OF: tuple[Callable[[Part], set[str]], ...] = (
    lambda each: {each.site},
    lambda each: {*each.body, *each.decorative, *each.decorative_chinese},
    lambda each: set(each.icons),
)


@pytest.mark.parametrize("of", MADE_OF, ids=["site", "fonts", "icons"])
def test_parts_share_no_site_no_font_and_no_icon_set(of: Callable[[Part], set[str]]) -> None:
    assert len(parts()) == 3
    for one, other in combinations(parts().values(), 2):
        assert not of(one) & of(other)


@pytest.mark.parametrize("name", list(parts()))
def test_a_site_has_every_kind_of_page_in_its_own_words(name: str) -> None:
    markup = (HERE / "sites" / f"{part(name).site}.jinja").read_text("utf-8")
    macros = set(re.findall(r"macro (\w+)\(", markup))
    assert {*KINDS, "status", "notice", "keys", "keypad"} <= macros
    classes = set(re.findall(r"\.([a-z-]+)", (HERE / "sites" / f"{part(name).site}.css").read_text("utf-8")))
    assert len(classes) > 20


def test_every_set_has_every_icon() -> None:
    roles = [set(icons) for icons in icon_names().values()]
    assert all(each == roles[0] for each in roles)
    assert {icon for each in parts().values() for icon in each.icons} == set(icon_names())


def test_a_part_that_is_not_there_is_named() -> None:
    with pytest.raises(BadInput, match=r"nowhere.*develop"):
        part("nowhere")


# ---------------------------------------------------------------------------- labels
def found_line(*words: tuple[str, list[float]], **other: Any) -> dict[str, Any]:
    row = {"words": [{"text": said, "box": box} for said, box in words], "text": " ".join(said for said, _ in words)}
    plain = {"clip": [0, 0, 100, 90], "standing": "seen", "group": "nav 1", "minor": False, "lead": ""}
    return row | plain | other


def labelled(*lines: dict[str, Any], painted: tuple[tuple[int, int, int, int], ...]) -> dict[str, Any]:
    ink = np.zeros((200, 200), bool)
    for x1, y1, x2, y2 in painted:
        ink[y1:y2, x1:x2] = True
    return label(PAGE, Shot(b"", ink, {"texts": list(lines), "icons": [], "ignore": []}), "a.png")


def test_words_are_as_large_as_what_is_painted_of_them() -> None:
    line = found_line(("Open", [10, 10, 30, 20]), ("now", [34, 10, 50, 20]))
    image = labelled(line, painted=((22, 22, 58, 38), (70, 24, 98, 40)))
    (text,) = image["texts"]
    assert [word["box"] for word in text["words"]] == [[22, 22, 58, 38], [70, 24, 98, 40]]
    assert text["box"] == [22, 22, 98, 40]
    assert (text["text"], text["group"], text["order"]) == ("Open now", "nav 1", 0)


def test_a_line_that_is_cut_off_is_left_to_be_ignored() -> None:
    line = found_line(("Open", [10, 84, 30, 96]))
    image = labelled(line, painted=((22, 170, 58, 180),))
    assert not image["texts"]
    assert len(image["ignore"]) == 1


def test_what_is_not_painted_has_no_label() -> None:
    image = labelled(found_line(("Open", [10, 10, 30, 20])), painted=())
    assert (image["texts"], image["ignore"]) == ([], [])


def test_what_a_scrim_dims_is_minor_and_a_bullet_may_be_read() -> None:
    dimmed = found_line(("Open", [10, 10, 30, 20]), standing="dimmed", lead="•")
    (text,) = labelled(dimmed, painted=((20, 20, 60, 40),))["texts"]
    assert text["minor"]
    assert text["alt"] == ["• Open"]


# ---------------------------------------------------------------------------- scores
def page(kind: str, exact: int, merged: int) -> score.KindScore:
    tally = Tally(texts=10, exact=exact, text_right=exact, text_wrong=10 - exact)
    return score.KindScore(kind=kind, pages=1, tally=tally, lines=LineTally(labels=10, merged=merged, words=20, lost=1))


def test_scores_add_up_by_kind_and_over_all() -> None:
    rows = score.by_kind([page("links", 4, 6), page("article", 10, 0), page("links", 6, 4)])
    assert [(row.kind, row.pages) for row in rows] == [("article", 1), ("links", 2), ("all", 3)]
    assert rows[1].cells() == ["links", "2", "20", "50.0", "50.0", "50.0", "0.0", "5.0", "-", "-", "-"]
    assert score.table(rows).splitlines()[-1].startswith("| all | 3 | 30 | 66.7 | 66.7 | 33.3 |")


def test_each_use_of_the_check_part_is_a_line_of_its_log(tmp_path: Path) -> None:
    path = tmp_path / "check.md"
    path.write_text("| when | commit | ours | RapidOCR |\n")
    for commit in ("abc1234", "def5678"):
        score.log_use(path, datetime(2026, 11, 24, 8, 30, tzinfo=UTC), commit, {"ours": page("all", 9, 0)})
    *_, first, last = path.read_text().splitlines()
    assert first.startswith("| 2026-11-24 08:30 | abc1234 | ours: pages 1, labels 10, exact 90.0")
    assert "def5678" in last
