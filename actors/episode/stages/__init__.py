"""Stages that any profile on a phone may use. Each reads the state, asks a collaborator, and returns records."""

from manyhands.actors.episode.stages.act import ACT_STAGE
from manyhands.actors.episode.stages.capture import CAPTURE_STAGE
from manyhands.actors.episode.stages.perceive import PERCEIVE_STAGE, VIEWS_STAGE, without_views

__all__ = ["ACT_STAGE", "CAPTURE_STAGE", "PERCEIVE_STAGE", "VIEWS_STAGE", "without_views"]
