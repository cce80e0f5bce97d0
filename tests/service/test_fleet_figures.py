"""The figures of the last hour: what rose since the point before, whatever was started again."""

from __future__ import annotations

from manyhands.actors.perception.counts import PerceptionCounts
from manyhands.protocol.messages import CallCounts, ModelCounts, ServerCounts
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.progress import EpisodeProgress, RunProgress, TasksDone
from manyhands.service.fleet_control import FleetCounts
from manyhands.service.fleet_figures import figure_point

SERVER = "http://127.0.0.1:1/v1"


def counts(steps: int, calls: int, step: int = 0, pictures: int = 0) -> FleetCounts:
    running = EpisodeProgress(episode="e", task="t", serial="p", step=step, doing="plan")
    done = TasksDone(steps=steps)
    call = CallCounts(
        role=Role.PLAN,
        server=SERVER,
        calls=calls,
        errors={"timeout": calls // 10},
        input_tokens=1000 * calls,
        cached_tokens=250 * calls,
        output_tokens=20 * calls,
        latency_ms=300.0 * calls,
    )
    servers = (ServerCounts(server=SERVER, state="up", in_flight=2, waiting=5),)
    client = ModelCounts(model="m", calls=(call,), servers=servers, in_flight=2, waiting=1, cap=8)
    other = ModelCounts(model="m", servers=(ServerCounts(server=SERVER, state="out", in_flight=1),), cap=4)
    return FleetCounts(
        RunProgress(total=9, waiting=7, running=(running,), done=done, latest=(), phones=1),
        {"plan": (client,), "decide": (other,)},
        (PerceptionCounts(read=pictures, stage_ms={"queue": 10.0 * pictures, "text": 40.0 * pictures}, workers=2),),
    )


def test_a_point_says_what_rose_since_the_one_before() -> None:
    point = figure_point(counts(12, 30, step=3, pictures=8), counts(10, 10, step=2, pictures=4), at=50.0, seconds=10.0)
    assert (point.at, point.steps_per_min, point.episodes, point.waiting) == (50.0, 18.0, 1, 7)
    [role] = point.roles
    assert (role.role, role.server, role.calls_per_min, role.errors_per_min) == ("plan", SERVER, 120.0, 12.0)
    assert (role.input_tokens_per_min, role.output_tokens_per_min) == (120_000.0, 2400.0)
    assert (role.cached_share, role.latency_ms) == (0.25, 300.0)
    assert [(one.role, one.in_flight, one.waiting, one.cap) for one in point.models] == [
        ("decide", 0, 0, 4),
        ("plan", 2, 1, 8),
    ]
    [server] = point.servers
    assert (server.state, server.in_flight, server.waiting, server.running) == ("out", 3, 5, None)
    assert point.perception is not None
    assert (point.perception.pictures_per_min, point.perception.ms, point.perception.workers) == (24.0, 50.0, 2)


def test_counts_that_begin_anew_are_not_negative() -> None:
    point = figure_point(counts(0, 5), counts(100, 500, step=9), at=1.0, seconds=60.0)
    assert (point.steps_per_min, point.roles[0].calls_per_min) == (0.0, 0.0)


def test_an_attempt_that_is_made_again_is_no_rise() -> None:
    """The steps of its first try no longer count: what all others did before must not appear as done just now."""
    again = figure_point(counts(5, 5000, step=0), counts(5, 5000, step=12), at=1.0, seconds=10.0)
    assert again.steps_per_min == 0.0


def test_a_moment_without_calls_has_no_shares() -> None:
    quiet = figure_point(counts(1, 5), counts(1, 5), at=1.0, seconds=60.0)
    assert (quiet.roles[0].cached_share, quiet.roles[0].latency_ms) == (None, None)
