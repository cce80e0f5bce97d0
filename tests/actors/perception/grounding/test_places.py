"""Words for places, in English and Chinese."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.grounding.interpretation import (
    Across,
    Down,
    Interpretation,
    ScreenRegion,
    interpretations,
    meant_name,
)

ENGLISH_ACROSS: dict[Across, tuple[str, ...]] = {"left": ("left", "leftmost"), "right": ("right", "rightmost")}
ENGLISH_DOWN: dict[Down, tuple[str, ...]] = {"top": ("top", "upper"), "bottom": ("bottom", "lower")}
CHINESE_ACROSS: dict[Across, str] = {"left": "左", "right": "右"}
CHINESE_DOWN: dict[Down, tuple[str, ...]] = {"top": ("上", "顶"), "bottom": ("下", "底")}
NAMES = st.sampled_from(["gear", "shopping cart", "three dots", "search", "arrow"])
CHINESE_NAMES = st.sampled_from(["设置", "搜索", "上传", "下载", "购物车", "中国银行"])


@st.composite
def places(draw: st.DrawFn) -> tuple[Across | None, Down | None]:
    across: Across | None = draw(st.sampled_from([None, *ENGLISH_ACROSS]))
    down: Down | None = draw(st.sampled_from([None, *ENGLISH_DOWN]))
    return across, down


@given(places(), NAMES, st.data())
def test_english_words_are_read_in_any_order(
    place: tuple[Across | None, Down | None], name: str, data: st.DataObject
) -> None:
    across, down = place
    words = []
    if across is not None:
        words.append(data.draw(st.sampled_from(ENGLISH_ACROSS[across])))
    if down is not None:
        words.append(data.draw(st.sampled_from(ENGLISH_DOWN[down])))
    joined = data.draw(st.sampled_from([" ", "-"])).join(data.draw(st.permutations(words)))
    form = data.draw(st.sampled_from(["{name}, {place}", "the {place} {name}", "{name} at the {place} of the screen"]))
    form = form if words else "the {name} on the screen"
    found = interpretations(form.format(name=name, place=joined).upper())[-1]
    assert found == Interpretation(meant_name(name), ScreenRegion(across, down) if words else None, None)


@given(
    places(),
    CHINESE_NAMES,
    st.sampled_from(["{place}角的{name}", "{name}，{place}方", "位于{place}部的{name}"]),
    st.data(),
)
def test_chinese_words_are_read_and_parts_of_other_words_are_not(
    place: tuple[Across | None, Down | None], name: str, form: str, data: st.DataObject
) -> None:
    across, down = place
    words = CHINESE_ACROSS[across] if across is not None else ""
    words += data.draw(st.sampled_from(CHINESE_DOWN[down])) if down is not None else ""
    if not words:
        assert interpretations(name) == [Interpretation(meant_name(name), None, None)]
        return
    found = interpretations(form.format(name=name, place=words))[-1]
    assert found == Interpretation(meant_name(name), ScreenRegion(across, down), None)


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("centre", ScreenRegion("middle", "middle")),
        ("top center", ScreenRegion("middle", "top")),
        ("middle left", ScreenRegion("left", "middle")),
        ("屏幕中间", ScreenRegion("middle", "middle")),
        ("右上角", ScreenRegion("right", "top")),
        ("底部中央", ScreenRegion("middle", "bottom")),
    ],
)
def test_a_middle_fills_the_direction_that_is_not_said(said: str, place: ScreenRegion) -> None:
    assert interpretations(said)[-1] == Interpretation("", place, None)


@pytest.mark.parametrize(
    "name", ["个人中心", "消息中心", "抖音上", "线上", "线下的", "小红书", "蓝牙", "红包", "一键上传"]
)
def test_characters_within_chinese_words_are_no_place_and_no_colour(name: str) -> None:
    assert [(reading.place, reading.colour) for reading in interpretations(name)] == [(None, None)]


@pytest.mark.parametrize(
    ("said", "reading"),
    [
        ("左上的返回", Interpretation("back", ScreenRegion("left", "top"), None)),
        ("正中心的播放", Interpretation("play", ScreenRegion("middle", "middle"), None)),
        ("屏幕右上红色的心", Interpretation("heart", ScreenRegion("right", "top"), "red")),
        ("右侧的红心", Interpretation("heart", ScreenRegion("right"), "red")),
        ("屏幕上的齿轮", Interpretation("settings", None, None)),
        ("the red bell, top", Interpretation("bell", ScreenRegion(None, "top"), "red")),
    ],
)
def test_what_says_place_and_colour_is_none_of_the_name(said: str, reading: Interpretation) -> None:
    assert interpretations(said)[-1] == reading


@given(
    st.lists(st.sampled_from(["top", "red", "右上角的", "红色", "news", "to", "中心", "的"]), min_size=1, max_size=12)
)
def test_the_first_reading_is_all_name_and_the_last_leaves_the_least_of_it(words: list[str]) -> None:
    found = interpretations(" ".join(words))
    assert (found[0].place, found[0].colour) == (None, None)
    assert all(set(found[-1].name) <= set(reading.name) for reading in found)
    assert len(found) <= 2**4


@given(places(), st.floats(0, 1), st.floats(0, 1))
def test_a_place_fits_itself_best_and_its_opposite_not_at_all(
    place: tuple[Across | None, Down | None], x: float, y: float
) -> None:
    here = ScreenRegion(*place)
    assert 0 <= here.fit(x, y) <= 1
    opposite: dict[str | None, Across | None] = {"left": "right", "right": "left"}
    if here.across is not None:
        there = ScreenRegion(opposite[here.across], here.down)
        assert here.fit(x, y) == pytest.approx(there.fit(1 - x, y))
    inside = {None: 0.5, "left": 0.1, "right": 0.9, "top": 0.1, "bottom": 0.9}
    assert here.fit(inside[here.across], inside[here.down]) == 1
    if here != ScreenRegion():
        assert here.fit(1 - inside[here.across], 1 - inside[here.down]) < 0.2
