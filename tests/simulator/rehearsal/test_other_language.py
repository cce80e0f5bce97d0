"""A phone that an earlier task left in another language: the rehearsed model still finds its way."""

from __future__ import annotations

import pytest

from manyhands.simulator.phone.apps.preferences import LOCALE
from manyhands.simulator.rehearsal.conditions import find, in_other_language
from manyhands.simulator.rehearsal.model import RehearsedModel
from manyhands.simulator.rehearsal.pages import Line
from manyhands.simulator.rehearsal.settings import RehearsalSettings
from manyhands.simulator.suites import EVERYDAY
from tests.simulator.rehearsal.eyes import LayoutEyes
from tests.simulator.rehearsal.loop import Episode, in_process
from tests.simulator.rehearsal.scripts import SCRIPTS
from tests.simulator.suites.tasks import SUITES

TASKS = {task.id: task for task in SUITES[EVERYDAY]}


@pytest.mark.parametrize("name", ["dark_mode", "do_not_disturb"])
async def test_a_task_in_english_is_done_on_a_phone_left_in_chinese(name: str) -> None:
    eyes = LayoutEyes()
    model = RehearsedModel(SCRIPTS, eyes, RehearsalSettings(mistakes=0.0))
    episode = Episode(TASKS[name], in_process(model), eyes.look)
    episode.phone.put_setting(*LOCALE, "zh-CN")
    assert episode.phone.state()["settings"]["language"] == "zh"
    result = await episode.play()
    assert (result.ending, result.verified) == ("finished", True), str(result)


def test_the_phones_words_are_found_in_both_languages() -> None:
    lines = [Line("显示", 0.5, 0.2), Line("Display", 0.5, 0.4), Line("Lumen Air", 0.5, 0.6)]
    assert [line.text for line in find("Display @body", lines)] == ["显示", "Display"]
    assert [line.text for line in find("*显示*", lines)] == ["显示", "Display"]
    assert [line.text for line in find("Lumen Air", lines)] == ["Lumen Air"]
    assert (in_other_language("Settings"), in_other_language("设置")) == ("设置", "Settings")
    assert in_other_language("Lumen Air") is None
