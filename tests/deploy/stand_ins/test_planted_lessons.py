"""What may be planted in lessons: the settings and the stand-in name the same."""

from __future__ import annotations

from typing import get_args

from manyhands.deploy.settings.models import RehearsalOptions, RehearsedLessons
from manyhands.simulator.rehearsal.planting import Planted
from manyhands.simulator.rehearsal.settings import RehearsalSettings


def test_settings_offer_what_the_rehearsed_model_can_plant() -> None:
    assert get_args(RehearsedLessons) == tuple(Planted)
    assert RehearsalOptions().lessons == RehearsalSettings().lessons
