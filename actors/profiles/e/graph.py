"""The papers' loops as graphs: what each stage of a step needs (Mobile-Agent-E, section 3.1).

``t`` counts steps from 0; s(t) is the screenshot before action a(t), so that stages of step t read s(t) and
s(t+1). The serial order is the paper's: plan, decide, act, then the next screen, its verdict and its note.
"""

from __future__ import annotations

from manyhands.actors.episode.schedule import Graph, Need, Stage
from manyhands.protocol.runs import EpisodeSettings

RUBRICS = "rubrics"
"""The stage that asks the phone's state which rubrics hold; no part of any paper's loop."""


def sees_elements_after(settings: EpisodeSettings) -> bool:
    """Whether the reflector is shown P(t+1), as the paper does (equation 6)."""
    return settings.paper_exact or settings.reflector_sees_elements == "after"


def notes_lag(settings: EpisodeSettings) -> int:
    """How many steps before its own plan(t) and decide(t) read the notes of: 2, or 1 as the paper does.

    In every schedule: note(t-1) is made from s(t), which plan(t) and decide(t) see themselves.
    """
    return 1 if settings.paper_exact else 2


def profile_e(settings: EpisodeSettings, rubrics: bool) -> Graph:
    """Mobile-Agent-E's step. ``rubrics``: whether a step's rubrics are looked at before the next action.

    - capture(t): s(t), once act(t-1) is done.
    - perceive(t): W_V(t) = A_P(s(t)); equations 3 and 5.
    - plan(t): W_P(t), W_S(t) from s(t), the plan before, W_G(t-1), W_N and, after two failures in a row, the
      last errors; equations 1 and 2. No elements.
    - decide(t): a(t) from s(t), W_V(t), W_P(t), W_S(t), W_G(t-1), W_N, the last five actions and errors;
      equation 4.
    - Either may be asked before the verdict on a(t-1) is out, decide(t) before the plan is: what they then
      suppose is in :mod:`actors.profiles.e.assumptions`. A planner that may be skipped waits: the verdict says whether.
    - act(t): the gate: never before the verdict on a(t-1).
    - verify(t): W_A[t], W_E[t], W_G(t) from s(t), W_V(t), s(t+1), a(t), W_S(t), W_G(t-1), and W_V(t+1) where a
      setting asks for it; equation 6.
    - note(t): W_N(t) from s(t+1), W_V(t+1), W_P(t), W_S(t), W_G(t), W_N(t-1), after outcome A; equation 7.
    """
    notes = Need("note", -notes_lag(settings), supposable=True)
    verdict = Need("verify", -1, supposable=True)
    verify = [Need("act"), Need("capture", 1), Need("perceive")]
    if sees_elements_after(settings):
        verify.append(Need("perceive", 1))
    act = [Need("decide"), Need("verify", -1)]
    if rubrics:
        act.append(Need(RUBRICS, -1))
    stages = [
        Stage("plan", (Need("capture"), Need("verify", -1) if settings.skip_planner else verdict, notes)),
        Stage("decide", (Need("plan", supposable=True), Need("perceive"), verdict, notes)),
        Stage("act", tuple(act), whole=True),
        Stage("capture", (Need("act", -1),), turn=-1),
        Stage("perceive", (Need("capture"),), turn=-1),
        Stage("verify", tuple(verify)),
        Stage("note", (Need("verify"), Need("perceive", 1), Need("plan"))),
    ]
    if rubrics:
        stages.append(Stage(RUBRICS, (Need("act"), Need("capture", 1))))
    return Graph(stages)


PROFILES = {"e": profile_e}
