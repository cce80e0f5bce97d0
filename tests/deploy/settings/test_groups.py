"""People write settings flat, by one name everywhere; whoever takes some of them gets a group of them whole."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from manyhands.actors.edge.settings import BrokerAddress, BrokerSettings
from manyhands.actors.mllm import ModelSettings
from manyhands.actors.phones.adb import AdbSettings
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.models import SAMPLING, RoleModel
from manyhands.deploy.settings.phones import AdbOptions, MqttOptions
from manyhands.deploy.settings.values import OptionGroup
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role

GROUPS = [base for base in FleetSettings.__bases__ if issubclass(base, OptionGroup)]

WRITTEN: list[tuple[str, str, Any, str]] = [
    ("adb_port", "5038", 5038, "adb"),
    ("label_providers", "content://a/apps,content://b/apps", ("content://a/apps", "content://b/apps"), "adb"),
    ("mqtt_ca", "/certificates/ca.crt", Path("/certificates/ca.crt"), "mqtt"),
    ("mqtt_version", "3.1.1", "3.1.1", "mqtt"),
    ("model", "Qwen3-VL", "Qwen3-VL", "model"),
    ("mllm_url", "http://a/v1,http://b/v1", ("http://a/v1", "http://b/v1"), "model"),
    ("perception", '{"text_engine": "rapid"}', {"text_engine": "rapid"}, "perception"),
    ("perception_cores", "2.5", 2.5, "perception"),
]
"""A setting, how its variable is written, its value, and the group that has it."""


def test_each_setting_is_declared_once() -> None:
    declared = Counter(name for group in GROUPS for name in group.model_fields)
    assert {name for name, count in declared.items() if count > 1} == set()
    assert declared.keys() < FleetSettings.model_fields.keys()
    own = FleetSettings.model_fields.keys() - declared.keys()
    assert own <= FleetSettings.__annotations__.keys()
    assert not declared.keys() & FleetSettings.__annotations__.keys()


@pytest.mark.parametrize(("name", "text", "value", "group"), WRITTEN)
def test_a_setting_has_one_name_in_files_the_environment_and_keywords(
    name: str, text: str, value: Any, group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text(f"{name}: {text if text.startswith('{') else f'{text!r}'}\n")
    read = [load_settings({}, config), load_settings({name: value})]
    monkeypatch.setenv(f"MANYHANDS_{name.upper()}", text)
    read.append(load_settings({}))
    for settings in read:
        assert getattr(settings, name) == value
        assert getattr(getattr(settings.groups, group), name) == value
        assert settings.model_dump()[name] == value


@pytest.mark.parametrize("group", ["adb", "mqtt", "model", "perception"])
def test_a_group_holds_its_settings_alone_frozen_and_is_no_key_itself(group: str) -> None:
    options: BaseModel = getattr(FleetSettings().groups, group)
    assert type(options) in GROUPS
    assert options.model_dump() == {name: FleetSettings().model_dump()[name] for name in type(options).model_fields}
    with pytest.raises(ValidationError, match="frozen"):
        setattr(options, next(iter(type(options).model_fields)), None)
    if group in ("adb", "mqtt"):
        with pytest.raises(BadInput, match=f"unknown key '{group}'"):
            load_settings({group: {"port": 1}})


def test_who_takes_a_group_has_a_setting_for_each_of_it() -> None:
    settings = FleetSettings()
    assert settings.values_of(AdbOptions, prefix="adb_").keys() <= AdbSettings.model_fields.keys()
    assert settings.values_of(MqttOptions, prefix="mqtt_").keys() <= BrokerSettings.model_fields.keys()
    assert set(SAMPLING) <= ModelSettings.model_fields.keys()
    assert RoleModel.model_fields.keys() - {"url"} <= ModelSettings.model_fields.keys()
    assert settings.groups.model.of_role(Role.PLAN).keys() <= ModelSettings.model_fields.keys()


def test_a_broker_is_met_with_all_that_settings_say_of_us() -> None:
    ours = {"ca": Path("/ca"), "cert": Path("/cert"), "key": Path("/key"), "user_env": "U", "password_env": "P"}
    settings = load_settings({**{f"mqtt_{name}": value for name, value in ours.items()}, "mqtt_version": "3.1.1"})
    broker = settings.groups.mqtt.broker_settings(BrokerAddress.of("mqtts://hands.example:18883/lab"))
    assert broker == BrokerSettings(host="hands.example", port=18883, tls=True, version="3.1.1", **ours)
