"""MiniWoB's pages on web phones: their rewards can be reached over adb alone, and only by playing rightly."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.predicates import Evidence, evaluate
from manyhands.simulator.miniwob.pages import PAGES, PLAYED, SEEDS, html_folder, problem_number, problem_url
from tests.simulator.adb_client import Adb
from tests.simulator.connecting import connect_phone
from tests.simulator.web.miniwob.adb_hand import AdbHand
from tests.simulator.web.miniwob.player import Player
from tests.simulator.web.miniwob.plays import PLAYS

try:
    html_folder()
except BadInput as missing:
    pytest.skip(f"{missing}; make test-web-phones", allow_module_level=True)

QUICK = ("click-checkboxes", "choose-list", "email-inbox-reply", "enter-text", "terminal", "use-slider")
"""Pages that are played with one seed when slow tests are not run."""


@pytest.fixture(scope="module")
def serial(adb: Adb) -> Iterator[str]:
    """A phone with MiniWoB's pages."""
    command = [sys.executable, "-m", "manyhands.simulator.fleet", "--web", "miniwob", "--json", "--until-stdin-closes"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as fleet:
        assert fleet.stdin is not None
        assert fleet.stdout is not None
        (serial,) = json.loads(fleet.stdout.readline())["serials"]
        yield serial
        adb.client.disconnect(serial)
        fleet.stdin.close()
        assert fleet.wait(30) in (0, -signal.SIGALRM)  # the latter after 8 s, on a busy machine


@pytest.fixture
def hand(adb: Adb, serial: str) -> AdbHand:
    """The phone's hand. A phone that a busy machine gave no answer in time comes back after a while."""
    deadline = time.monotonic() + 100
    while True:
        try:
            connect_phone(adb.client, serial)
            return AdbHand(adb.client.device(serial))
        except AssertionError:
            if time.monotonic() > deadline:
                raise


def play(hand: AdbHand, page: str, seed: int, kind: str) -> float:
    """Play a problem, and return its reward."""
    hand.reset(problem_number(page, seed))
    shown = hand.page()
    assert (shown["task"], shown["seed"], shown["done"]) == (page, seed, False)
    getattr(PLAYS[page], kind)(Player(hand, shown["goal"]))
    return float(hand.page()["reward"])


@pytest.mark.parametrize("page", QUICK)
def test_a_page_gives_its_reward_to_who_plays_rightly(hand: AdbHand, page: str) -> None:
    assert play(hand, page, 1, "right") == 1
    assert play(hand, page, 1, "wrong") <= 0


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", PLAYS)
def test_five_seeds_of_each_page(hand: AdbHand, page: str) -> None:
    rewards = {kind: [play(hand, page, seed, kind) for seed in range(5)] for kind in ("right", "wrong")}
    assert rewards["right"] == [1] * 5
    assert max(rewards["wrong"]) <= 0


def test_an_ended_page_keeps_its_reward(hand: AdbHand) -> None:
    assert play(hand, "click-test", 0, "right") == 1
    hand.tap(hand.width // 2, hand.width // 2)
    page = hand.page()
    assert (page["done"], page["reward"]) == (True, 1)


def test_the_suite_asks_what_its_pages_ask() -> None:
    from manyhands.simulator.miniwob.suite import read_suite, write_suite

    tasks = read_suite(write_suite(["click-button"], [0, 1]))
    assert [(task.id, task.goal) for task in tasks] == [
        ("miniwob.click-button.0", 'Click on the "okay" button.'),
        ("miniwob.click-button.1", 'Click on the "Ok" button.'),
    ]
    check = tasks[0].check
    assert check is not None
    assert tasks[0].reset_seed == problem_number("click-button", 0)
    for reward, holds in ((1, True), (0.5, False), (0, False), (-1, False)):
        state = {"page": {"task": "click-button", "reward": reward}}
        assert evaluate(check.holds, Evidence(state)) is holds


def test_every_page_of_the_package_is_listed() -> None:
    assert set(PAGES) == {path.stem for path in (html_folder() / "miniwob").glob("*.html")}
    assert set(PLAYS) <= set(PLAYED)
    assert len(PLAYS) >= 40


def test_each_problem_has_a_number() -> None:
    page = PLAYED[-1]
    assert problem_url(html_folder(), problem_number(page, 7)).endswith(f"/{page}.html?seed=7")
    for name, seed in (("no-such-page", 0), (page, SEEDS), (page, -1)):
        with pytest.raises(BadInput):
            problem_number(name, seed)


def test_a_page_that_is_left_out_says_why() -> None:
    from manyhands.simulator.miniwob.suite import chosen_pages

    with pytest.raises(BadInput, match="hover"):
        chosen_pages(["chase-circle"])
