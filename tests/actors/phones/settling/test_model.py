from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.phones.settling.model import (
    LONGEST_S,
    LOOK_AGAIN,
    MARGIN,
    SURE_AFTER,
    VISITS,
    ActionKind,
    ExpectedChange,
    Motion,
    ScreenPause,
    SettlingModel,
    Stillness,
    StillnessEnd,
    extent,
)

SHOP = ActionKind("com.example.shop", "Tap")
BLANK, END = Stillness(0, "most"), Stillness(1, "most")
NOTHING_MORE = ExpectedChange(0.0, 0.0)
SO_FAR_NOTHING = ExpectedChange(0.0, 0.0, sure=False)

pauses = st.floats(0.2, 1.4).map(lambda length: ScreenPause(length, length + 0.05))


def test_nothing_is_known_at_first() -> None:
    book = SettlingModel()
    assert book.expected(SHOP, BLANK) is None
    assert book.wants_look(SHOP, BLANK)


@given(typical=st.floats(0.2, 1.2), jitters=st.lists(st.floats(0.8, 1.2), min_size=2, max_size=9))
def test_what_varies_by_a_fifth_is_waited_for_from_the_second_visit_on(typical: float, jitters: list[float]) -> None:
    book = SettlingModel()
    for visit, jitter in enumerate(jitters):
        length = typical * jitter
        if visit:
            expected = book.expected(SHOP, BLANK)
            assert expected is not None
            assert expected.earliest <= length + 1e-9
            assert length <= expected.latest + 1e-9
            assert expected.latest <= 1.2 * typical * MARGIN + 0.1
        book.learn(SHOP, BLANK, ScreenPause(length, length + 0.05))
        book.learn(SHOP, END, None)
    assert book.expected(SHOP, END) == (NOTHING_MORE if len(jitters) >= SURE_AFTER else SO_FAR_NOTHING)


def test_a_precise_pause_says_more_than_one_seen_by_a_late_look() -> None:
    book = SettlingModel()
    book.learn(SHOP, BLANK, ScreenPause(0.5, 1.5))
    crude = book.expected(SHOP, BLANK)
    book.learn(SHOP, BLANK, ScreenPause(0.8, 0.85))
    precise = book.expected(SHOP, BLANK)
    assert crude is not None
    assert precise is not None
    assert crude.latest == 1.5 * MARGIN
    assert precise.latest == 0.85 * MARGIN


@given(st.lists(pauses, min_size=1, max_size=20))
def test_what_is_not_seen_any_more_is_forgotten(seen: list[ScreenPause]) -> None:
    book = SettlingModel()
    for pause in seen:
        book.learn(SHOP, BLANK, pause)
    assert book.expected(SHOP, BLANK) != NOTHING_MORE
    for _ in range(VISITS):
        book.learn(SHOP, BLANK, None)
    assert book.expected(SHOP, BLANK) == NOTHING_MORE


def test_a_slight_late_change_that_came_once_is_taken_for_chance() -> None:
    book = SettlingModel()
    minute = ScreenPause(0.7, 2.0, slight=True)
    book.learn(SHOP, BLANK, minute)
    assert book.expected(SHOP, BLANK) == SO_FAR_NOTHING
    book.learn(SHOP, BLANK, minute)
    twice = book.expected(SHOP, BLANK)
    assert twice is not None
    assert twice.latest == 2.0 * MARGIN


def test_one_late_change_among_many_visits_is_not_waited_for() -> None:
    book = SettlingModel()
    for outcome in [None] * 7 + [ScreenPause(1.0, 1.1)]:
        book.learn(SHOP, BLANK, outcome)
    assert book.expected(SHOP, BLANK) == NOTHING_MORE


def test_what_changed_so_far_tells_a_toggle_from_a_page() -> None:
    book = SettlingModel()
    toggled = Stillness(0, "part")
    for _ in range(3):
        book.learn(SHOP, BLANK, ScreenPause(0.9, 0.95))
        book.learn(SHOP, toggled, None)
    assert book.expected(SHOP, toggled) == SO_FAR_NOTHING
    waits = book.expected(SHOP, BLANK)
    assert waits is not None
    assert waits.latest > 0.95
    nothing_yet = book.expected(SHOP, Stillness(0, "nothing"))
    assert nothing_yet is not None, "by what the action did otherwise"
    assert nothing_yet.latest > 0.95


def test_few_visits_without_a_change_do_not_make_sure_that_none_comes() -> None:
    book = SettlingModel()
    for visit in range(1, SURE_AFTER + 1):
        book.learn(SHOP, Stillness(0, "nothing"), None)
        assert book.expected(SHOP, Stillness(0, "nothing")) == ExpectedChange(0.0, 0.0, sure=visit == SURE_AFTER)


def test_an_unknown_app_is_judged_by_the_others_when_most_of_them_wait() -> None:
    book = SettlingModel()
    new = ActionKind("com.example.new", "Open_App")
    for number in range(2):
        book.learn(ActionKind(f"app{number}", "Open_App"), BLANK, ScreenPause(0.5, 0.6))
    assert book.expected(new, BLANK) is None, "two say too little"
    book.learn(ActionKind("app2", "Open_App"), BLANK, ScreenPause(0.5, 0.6))
    waits = book.expected(new, BLANK)
    assert waits is not None
    assert waits.latest >= 0.6
    for number in range(4):
        book.learn(ActionKind(f"quick{number}", "Open_App"), BLANK, None)
    assert book.expected(new, BLANK) == ExpectedChange(0.0, 0.0, sure=False)


def test_what_is_known_is_looked_at_late_now_and_then() -> None:
    book = SettlingModel()
    for _ in range(SURE_AFTER):
        assert book.wants_look(SHOP, END)
        book.learn(SHOP, END, None)
    looks = [book.wants_look(SHOP, END) for _ in range(10 * LOOK_AGAIN)]
    assert sum(looks) == 10


def test_a_pause_that_nobody_would_wait_for_is_not_learned() -> None:
    book = SettlingModel()
    book.learn(SHOP, BLANK, ScreenPause(1.0, LONGEST_S + 0.1))
    assert book.expected(SHOP, BLANK) is None


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3), st.one_of(st.none(), pauses)), min_size=1, max_size=60)
)
def test_it_is_bounded_and_remembers_what_is_in_use(learned: list[tuple[int, int, StillnessEnd]]) -> None:
    book = SettlingModel(keys=5)
    for app, number, outcome in learned:
        book.learn(ActionKind(f"app{app}", "Tap"), Stillness(number, "most"), outcome)
        expected = book.expected(ActionKind(f"app{app}", "Tap"), Stillness(number, "most"))
        assert expected is not None
        assert 0 <= expected.earliest <= expected.latest <= LONGEST_S * MARGIN
    assert book.stillness_count <= 5


def test_extents() -> None:
    assert [extent(share) for share in (0.0, 0.01, 0.29, 0.3, 1.0)] == ["nothing", "part", "part", "most", "most"]


def test_how_long_a_screen_moves_is_known_after_enough_visits_and_forgotten_again() -> None:
    book = SettlingModel()
    for _ in range(SURE_AFTER - 1):
        book.learn_moved(SHOP, 0, 0.3)
    assert book.motion(SHOP, 0) is None
    book.learn_moved(SHOP, 0, 0.45)
    assert book.motion(SHOP, 0) == Motion(0.3 / MARGIN, 0.45 * MARGIN)
    assert book.motion(SHOP, 1) is None
    assert book.motion(ActionKind("com.example.mail", "Tap"), 0) is None
    for _ in range(VISITS):
        book.learn_moved(SHOP, 0, 0.0)
    assert book.motion(SHOP, 0) == Motion(0.0, 0.0)


@given(st.lists(st.floats(0.8, 1.2), min_size=SURE_AFTER + 1, max_size=20), st.floats(0.05, 1.5))
def test_a_motion_that_varies_by_a_fifth_ends_within_what_is_known(jitters: list[float], typical: float) -> None:
    book = SettlingModel()
    for jitter in jitters[:-1]:
        book.learn_moved(SHOP, 0, typical * jitter)
    known = book.motion(SHOP, 0)
    assert known is not None
    assert known.earliest - 1e-9 <= typical * jitters[-1] <= known.latest + 1e-9
