"""Which fault comes when."""

from __future__ import annotations

import itertools
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from manyhands.benchmarks.chaos.plan import (
    ALONE,
    BEHIND_A_BROKER,
    EXCLUSIVE,
    LONGEST_PAUSE_S,
    FaultKind,
    kinds_named,
    plan,
)
from manyhands.deploy.command_line.cli import app
from manyhands.protocol.errors import BadInput

KINDS = st.lists(st.sampled_from(FaultKind), min_size=1, unique=True)


@given(kinds=KINDS, seed=st.integers(0, 2**32), count=st.integers(0, 200))
def test_the_seed_fixes_a_plan_in_which_each_kind_comes_about_as_often(
    kinds: list[FaultKind], seed: int, count: int
) -> None:
    try:
        first, again = (list(itertools.islice(plan(kinds, seed), count)) for _ in range(2))
    except BadInput:  # of the others, no two can come at once
        assert FaultKind.PAIR in kinds
        return
    assert first == again
    times = Counter(fault.kind for fault in first)
    assert set(times) <= set(kinds)
    assert max(times.values(), default=0) - min(times[kind] for kind in kinds) <= 1
    assert all(0 <= fault.pause_s <= LONGEST_PAUSE_S for fault in first)
    assert all(0 <= fault.choose(4) < 4 for fault in first)


@given(kinds=KINDS.filter(lambda kinds: len(kinds) > 8), seed=st.integers(0, 2**32))
def test_pairs_are_of_kinds_that_can_come_at_once_and_leave_none_out(kinds: list[FaultKind], seed: int) -> None:
    single = [kind for kind in kinds if kind is not FaultKind.PAIR]
    faults = itertools.islice(plan([*single, FaultKind.PAIR], seed), 40 * (len(single) + 1))
    pairs = [fault.both for fault in faults if fault.kind is FaultKind.PAIR]
    assert len(pairs) == 40
    taken: Counter[FaultKind] = Counter()
    for pair in pairs:
        assert pair is not None
        first, second = (fault.kind for fault in pair)
        assert first is not second
        assert not any({first, second} <= kinds for kinds in EXCLUSIVE)
        taken.update((first, second))
    assert set(taken) == set(single)


def test_a_pair_alone_is_made_of_all_kinds_that_are_here() -> None:
    pairs = [fault.both for fault in itertools.islice(plan([FaultKind.PAIR], 1), 100)]
    assert {fault.kind for pair in pairs if pair is not None for fault in pair} == set(ALONE)


def test_another_seed_is_another_plan() -> None:
    plans = {tuple(fault.kind for fault in itertools.islice(plan(tuple(FaultKind), seed), 15)) for seed in range(20)}
    assert len(plans) == 20


def test_kinds_are_named_by_themselves_or_by_their_first_word() -> None:
    here = tuple(kind for kind in FaultKind if kind not in BEHIND_A_BROKER)
    assert kinds_named(None) == here
    assert kinds_named("disk-full,freeze") == (*(kind for kind in here if "freeze" in kind), FaultKind.DISK_FULL)
    own = {FaultKind.KILL_GATEWAY, FaultKind.FREEZE_GATEWAY}
    assert set(kinds_named("broker,link,gateway")) == {*BEHIND_A_BROKER, *own}
    assert kinds_named("kill-store") == (FaultKind.KILL_STORE,)
    assert kinds_named("none") == ()


@pytest.mark.parametrize("text", ["", "kill,fire", "store"])
def test_unknown_kinds_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="--faults"):
        kinds_named(text)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--faults", "fire"], "--faults fire: there are"), (["--task", "nothing"], "--task nothing: no such task")],
)
def test_bad_input_is_refused_before_anything_starts(arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["bench", "chaos", "--json", *arguments])
    assert done.exit_code == 2
    assert said in json.loads(done.stdout.splitlines()[-1])["error"]
