"""How phones are shown, from what people told the run and how the run stands."""

from __future__ import annotations

from manyhands.protocol.runs.control import Pause
from manyhands.protocol.runs.control_state import ControlState
from manyhands.protocol.runs.progress import EpisodeProgress, RunProgress, RunWait, TasksDone
from manyhands.protocol.service.fleet import PhonePhase
from manyhands.service.phone_readings import Battery
from manyhands.service.phone_view import view_phones

SCREEN = "a" * 32


def test_phones_have_their_stages_their_losses_and_their_last_screen() -> None:
    busy = EpisodeProgress(
        episode="e1",
        task="t1",
        serial="p1",
        step=4,
        doing="Open Display",
        stages=("plan", "note"),
        stage_since=7.0,
        subgoal="Open Display",
        step_since=6.0,
        screen=SCREEN,
    )
    before = busy.model_copy(update={"episode": "e0", "serial": "p2"})
    state = ControlState()
    state.note(Pause(at=3.0, phones=("p3",), reason="a broken screen"))
    away = RunWait(what="phone p4", since=5.0, reason="offline")
    progress = RunProgress(
        total=1, waiting=0, running=(busy,), done=TasksDone(), latest=(), away=(away,), losses={"p4": 3}
    )
    shown = view_phones(
        ["p4", "p3", "p2", "p1"], state, progress, 10.0, {"p2": before}, {"p1": Battery(percent=81.0, celsius=31.5)}
    )
    first, second, third, fourth = shown
    assert (first.phase, first.stages, first.stage_since, first.subgoal) == (
        PhonePhase.BUSY,
        ("plan", "note"),
        7.0,
        "Open Display",
    )
    assert (first.screen, first.step_since, first.failures, first.phase_since) == (SCREEN, 6.0, 0, None)
    assert (first.battery, first.celsius) == (81.0, 31.5)
    assert (second.battery, second.celsius) == (None, None)
    assert (second.phase, second.task, second.episode, second.screen) == (PhonePhase.FREE, None, "e0", SCREEN)
    assert (third.phase, third.reason, third.phase_since) == (PhonePhase.ASIDE, "a broken screen", 3.0)
    assert (fourth.phase, fourth.reason, fourth.phase_since, fourth.failures) == (PhonePhase.AWAY, "offline", 5.0, 3)
