"""Stages that any profile on a phone may use. Each reads the state, asks a collaborator, and returns records.

``perceive``, ``act``         s(t), what it shows, and a(t)
``black_pages``               s(t) of a page that forbids pictures
``atomic_actions``            the atoms that carry out an action
``verdicts``                  whether an action did what was expected, by rules
``shortcuts``                 permit(t) and watch(t): whether a shortcut may be used, and how its use ended
``shortcut_preconditions``    the rules by which a screen refuses a shortcut
"""

from manyhands.actors.episode.stages.act import ACT_STAGE
from manyhands.actors.episode.stages.black_pages import CAPTURE_STAGE, capture_stage
from manyhands.actors.episode.stages.perceive import PERCEIVE_STAGE, VIEWS_STAGE, without_views

__all__ = ["ACT_STAGE", "CAPTURE_STAGE", "PERCEIVE_STAGE", "VIEWS_STAGE", "capture_stage", "without_views"]
