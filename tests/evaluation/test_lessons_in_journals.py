"""What is written before an episode's first step and behind its end changes nothing of the episode itself."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.episode.resumption import InterruptedEpisode
from manyhands.actors.store.index import index_of
from manyhands.evaluation.audit import Ledger, LedgerRow, audit
from manyhands.evaluation.episode_view import view_episode
from manyhands.evaluation.episodes import end_of, episode_of
from manyhands.evaluation.summary import summary_of
from manyhands.evaluation.timing import steps_of
from manyhands.protocol.journals.effective_records import effective_records, interruptions
from manyhands.protocol.journals.journal import encode
from manyhands.protocol.journals.records import Learned, Recalled, Record
from manyhands.protocol.phones import reset_key
from manyhands.protocol.roles.role import Role
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.run_records import acted, call, captured, decided, ended, received, reflected, sent, span, started

TASK = TaskSpec(id="a", goal="g")
RECALLED = Recalled(at=1, calls=(call(Role.RECALL, 10),), left_out=3)
LEARNED = Learned(
    at=500, span=span(20, 500), scope="run:r", taken=None, calls=(call(Role.LEARN_TIPS, 100), call(Role.PERMIT, 5))
)
STEPS: Sequence[Record] = (
    captured(0, span(5, 6)),
    decided(0, span(6, 7), call(Role.DECIDE, 40)),
    sent(0, "e:0:1:0", at=7),
    received(0, "e:0:1:0"),
    acted(0, span(7, 8)),
    captured(1, span(8, 9)),
    reflected(0, span(9, 10)),
)
PLAIN = (started("e", TASK, at=0), *STEPS, ended(10, steps=1))
TAUGHT = (started("e", TASK, at=0), RECALLED, *STEPS, ended(10, steps=1), LEARNED)


def written(records: Sequence[Record]) -> bytes:
    return b"".join(encode(record, "e", None, seq, 1) for seq, record in enumerate(records))


def test_what_an_episode_did_is_the_same_with_its_lesson() -> None:
    plain, taught = episode_of(PLAIN), episode_of(TAUGHT)
    assert plain is not None
    assert taught is not None
    assert (taught.ended, taught.steps, taught.last_at) == (plain.ended, plain.steps, plain.last_at)
    assert end_of(TAUGHT) == end_of(PLAIN)
    assert taught.actions_sent == plain.actions_sent
    assert steps_of(taught.records) == steps_of(plain.records)
    assert interruptions(TAUGHT) == interruptions(PLAIN) == ()
    assert (
        [one.number for one in view_episode(taught).steps]
        == [one.number for one in view_episode(plain).steps]
        == [0, 1]
    )
    assert [one for one in effective_records(TAUGHT) if one not in (RECALLED, LEARNED)] == list(
        effective_records(PLAIN)
    )


def test_the_index_says_beside_that_it_has_taught() -> None:
    plain, taught = index_of(written(PLAIN)), index_of(written(TAUGHT))
    assert plain is not None
    assert taught is not None
    assert (plain.taught, taught.taught) == (False, True)
    assert taught.model_copy(update={"taught": False}) == plain


def test_one_whose_end_was_lost_on_the_way_is_not_gone_on_with() -> None:
    plain, taught = InterruptedEpisode.of(PLAIN), InterruptedEpisode.of(TAUGHT)
    assert taught.recorded_end == plain.recorded_end is not None
    assert (taught.step, taught.unanswered) == (plain.step, plain.unanswered)


def test_its_keys_are_audited_as_before() -> None:
    rows = tuple(LedgerRow(key=key, line="tap") for key in (reset_key("e", None), "e:0:1:0"))
    ledgers = [Ledger(serial="p", rows=rows)]
    assert audit([TAUGHT], ledgers) == audit([PLAIN], ledgers)
    assert audit([TAUGHT], ledgers).verdict == "agrees"


def test_a_summary_tells_its_calls_apart_and_has_no_other_figure_of_it() -> None:
    plain, taught = summary_of({}, [PLAIN]), summary_of({}, [TAUGHT])
    beside = {role: used.calls for role, used in taught.model.items() if role not in plain.model}
    assert beside == {"recall": 1, "learn_tips": 1, "permit": 1}
    assert (taught.model["learn_tips"].input_tokens, taught.model["recall"].cached_tokens) == (100, 5)
    assert {role: taught.model[role] for role in plain.model} == plain.model
    assert taught.servers["s"].calls == plain.servers["s"].calls + 3
    assert (plain.learning, taught.learning is None) == (None, False)
    same = {"model": plain.model, "servers": plain.servers, "learning": None}
    assert taught.model_copy(update=same) == plain
