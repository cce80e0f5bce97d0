"""Each profile names the settings that its loop follows, so that others can be told to have no effect."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.resources import files

import pytest

from manyhands.actors.profiles import PROFILES, unused
from manyhands.protocol.profiles.declaration import ASKING, CAPTIONS, ELEMENTS, VERDICTS
from manyhands.protocol.roles.replies import ActingReply
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.actions import AskPerson

FOLLOWED = frozenset[str]().union(*(profile.declaration.uses for profile in PROFILES.values()))


def read_in(package: str) -> set[str]:
    """Settings of some loops that the modules of a package read."""
    folders = [files(package), *(one for one in files(package).iterdir() if one.is_dir())]
    modules = [one for folder in folders for one in folder.iterdir() if one.name.endswith(".py")]
    return {name for one in modules for name in re.findall(r"settings\.(\w+)", one.read_text())} & FOLLOWED


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_names_the_settings_that_its_modules_and_stages_read(name: str) -> None:
    profile, settings = PROFILES[name], EpisodeSettings(profile=name)
    assert read_in(profile.package) == profile.declaration.uses - ASKING - CAPTIONS - ELEMENTS - VERDICTS
    stages = profile.stage_names(settings)
    offered = {name for one in profile.replies(settings) if issubclass(one, ActingReply) for name in one.actions.specs}
    assert (profile.declaration.uses >= ASKING) == (AskPerson.model_fields["name"].default in offered)
    assert (profile.declaration.uses >= CAPTIONS) == ("perceive" in stages)
    assert (profile.declaration.uses >= VERDICTS) == bool({"verify", "reflect"} & set(stages))


def test_what_was_given_and_has_no_effect_is_listed() -> None:
    given = {"history": 3, "chat_pictures": 2, "cheap_verdicts": (), "no_model_s": 5}
    assert unused(EpisodeSettings(profile="v1", **given)) == ("cheap_verdicts", "history")
    assert unused(EpisodeSettings(profile="e", **given)) == ("chat_pictures",)
    assert unused(EpisodeSettings(profile="bare")) == ()


def test_what_is_no_setting_cannot_be_declared() -> None:
    with pytest.raises(ValueError, match="profile 'e' uses what is no setting: histroy"):
        replace(PROFILES["e"], declaration=replace(PROFILES["e"].declaration, uses=frozenset({"histroy"})))
