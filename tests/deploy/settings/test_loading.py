"""Settings: flag > environment > file > default; unknown keys are errors that name the nearest known one."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.deploy.command_line.options import given_settings
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadFile, BadInput

ROOT = Path(__file__).parents[3]


def test_a_flag_wins_over_the_environment_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text("hosts: 2\nseed: 2\nname: file\nepisode: {schedule: serial, lease_s: 40}\n")
    monkeypatch.setenv("MANYHANDS_HOSTS", "3")
    monkeypatch.setenv("MANYHANDS_SEED", "3")
    monkeypatch.setenv("MANYHANDS_EPISODE__LEASE_S", "50")
    settings = load_settings({"seed": 4, "model": None}, config)
    assert (settings.seed, settings.hosts, settings.name, settings.model) == (4, 3, "file", None)
    assert (settings.episode.schedule, settings.episode.lease_s) == ("serial", 50)


@pytest.mark.parametrize(
    ("flag", "names"),
    [
        (None, ("unchanged", "app_in_front", "typed_text")),
        ("typed_text,unchanged", ("typed_text", "unchanged")),
        ("none", ()),
    ],
)
def test_cheap_verdicts_are_chosen_by_name(flag: str | None, names: tuple[str, ...]) -> None:
    assert (
        load_settings(given_settings("run", {"cheap_verdicts": [flag] if flag else None})).episode.cheap_verdicts
        == names
    )


def test_cheap_verdicts_from_the_environment_and_wrong_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANYHANDS_EPISODE__CHEAP_VERDICTS", '["unchanged"]')
    assert load_settings({}).episode.cheap_verdicts == ("unchanged",)
    monkeypatch.setenv("MANYHANDS_EPISODE__CHEAP_VERDICTS", "unchanged")
    with pytest.raises(BadInput, match="write JSON there"):
        load_settings({})
    monkeypatch.delenv("MANYHANDS_EPISODE__CHEAP_VERDICTS")
    with pytest.raises(BadInput, match="cheap_verdicts"):
        load_settings(given_settings("run", {"cheap_verdicts": ["changed"]}))


def test_as_the_paper_does_icons_are_captioned_and_the_planner_runs_in_every_step() -> None:
    exact = load_settings({"episode": {"paper_exact": True}}).episode
    assert (exact.captions, exact.caption_all, exact.caption_wait_s) == (True, True, 60.0)
    assert not load_settings({"episode": {"paper_exact": True, "without": ["captions"]}}).episode.captions
    with pytest.raises(BadInput, match="paper_exact"):
        load_settings({"episode": {"paper_exact": True, "skip_planner": True}})


def test_a_part_that_the_profile_does_not_have_names_those_that_it_has() -> None:
    with pytest.raises(BadInput, match="'gardener' is not a part of profile 'e'; parts are planner, reflector"):
        load_settings({"episode": {"without": ["gardener"]}})


def test_an_unknown_key_names_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text("host: 2\n")
    with pytest.raises(BadInput, match=r"unknown key 'host'; did you mean 'hosts'"):
        load_settings({}, config)
    config.write_text("episode: {settle: {quiet_mss: 3}}\n")
    with pytest.raises(BadInput, match=r"line 1: .*unknown key 'quiet_mss'; did you mean 'quiet_ms'"):
        load_settings({}, config)
    monkeypatch.setenv("MANYHANDS_MLM_URL", "x")
    with pytest.raises(BadInput, match="did you mean 'MANYHANDS_MLLM_URL'"):
        load_settings({})


def test_every_mistake_of_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text("""\
host: 2
seed: 1
episode:
  lease: 3
  cheap_verdicts: [changed]
seed: 2
perception:
  text_enginge: x
  text: {detect_side: 3}
models:
  plan: {temprature: 3}
""")
    with pytest.raises(BadFile) as caught:
        load_settings({}, config)
    assert caught.value.mistakes == (
        "line 1: unknown key 'host'; did you mean 'hosts'?",
        "line 4: unknown key 'episode.lease'; did you mean 'lease_s'?",
        "line 5: episode.cheap_verdicts.0: must be unchanged, app_in_front or typed_text, "
        "not 'changed'; did you mean 'unchanged'?",
        "line 6: the key 'seed' stands here again: it is on line 2 already",
        "line 8: perception: unknown key 'text_enginge'; did you mean 'text_engine'?",
        "line 9: perception: text.detect_side: must be at least 320, not 3",
        "line 11: unknown key 'models.plan.temprature'; did you mean 'temperature'?",
    )


def test_a_key_that_stands_twice_is_refused_where_nothing_else_is_wrong(tmp_path: Path) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text("seed: 1\nseed: 1\n")
    with pytest.raises(BadInput, match="line 2: the key 'seed' stands here again: it is on line 1 already"):
        load_settings({}, config)


def test_every_mistake_of_the_environment_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANYHANDS_HOST", "x")
    monkeypatch.setenv("MANYHANDS_SEEDS", "x")
    with pytest.raises(BadFile) as caught:
        load_settings({})
    assert caught.value.mistakes == (
        "unknown variable MANYHANDS_HOST; did you mean 'MANYHANDS_HOSTS'?",
        "unknown variable MANYHANDS_SEEDS; did you mean 'MANYHANDS_SEED'?",
    )


def test_keys_that_are_no_names_are_told_with_their_lines(tmp_path: Path) -> None:
    """They ended in a traceback of Python: keywords must be strings."""
    config = tmp_path / "settings.yaml"
    config.write_text("seed: 1\n1: x\nnull: x\n")
    with pytest.raises(BadFile, match="line 2: unknown key 1; settings have names") as caught:
        load_settings({}, config)
    assert len(caught.value.mistakes) == 2


@pytest.mark.parametrize("cut", ["0", "0.000@3", "", "6@", "x"])
def test_what_is_no_cut_is_refused_before_phones_are_started(cut: str) -> None:
    with pytest.raises(BadInput, match="write SECONDS"):
        load_settings({"virtual": {"cut": cut}})


@pytest.mark.parametrize(
    "phones", [("virtual:0",), ("virtual:x",), ("virtual:2", "emulator-5554"), ("virtual:1001",), ("web:x",)]
)
def test_odd_virtual_phones_are_refused(phones: tuple[str, ...]) -> None:
    with pytest.raises(BadInput, match="virtual:N"):
        _ = load_settings({"phones": phones}).virtual_phones


def test_perception_takes_its_services_settings_and_names_unknown_ones(tmp_path: Path) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text("perception: {text: {detect_side: 960}, text_engine: rapid}\nperception_gpus: 0.25\n")
    settings = load_settings({"perception": {"remembered": 8}}, config)
    assert settings.perception == {"text": {"detect_side": 960}, "text_engine": "rapid", "remembered": 8}
    assert settings.perception_gpus == 0.25
    service = settings.perception_settings(workers=3)
    assert (service.workers, service.longest_wait_s, service.remembered) == (3, 60, 8)
    assert service.text.detect_side == 960
    for wrong, message in (
        ({"text_enginge": "paddle"}, "unknown key 'text_enginge'; did you mean 'text_engine'"),
        ({"text": {"detect_side": 3}}, "text.detect_side"),
        ({"workers": 3}, "write perception_threads instead"),
        ({"longest_wait_s": 3}, "write perception_wait_s instead"),
    ):
        with pytest.raises(BadInput, match=message):
            load_settings({"perception": wrong})


def test_the_python_of_perception_is_found_from_anywhere() -> None:
    python = load_settings({"perception_python": ".venv-other/bin/python"}).perception_python
    assert python == Path.cwd() / ".venv-other" / "bin" / "python"


def test_settings_called_on_can_be_written_in_yaml(tmp_path: Path) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text(
        "perception: {names: {on: false}, incremental: {on: off}}\nepisode: {captions: True, paper_exact: no}\n"
    )
    settings = load_settings({}, config)
    service = settings.perception_settings(1)
    assert (service.names.on, service.incremental.on) == (False, False)
    assert settings.episode.captions is True


def test_perception_actors_have_a_share_of_a_gpu_or_whole_ones() -> None:
    assert load_settings({"perception_gpus": 2}).perception_gpus == 2
    with pytest.raises(BadInput, match=r"1\.5 GPUs"):
        load_settings({"perception_gpus": 1.5})


def test_an_unknown_profile_or_stage_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text("episode:\n  profile: v9\n")
    with pytest.raises(BadFile, match=r"line 2: episode: 'v9' is not a profile; profiles are .*e \(Mobile-Agent-E\)"):
        load_settings({}, config)
    config.write_text("episode:\n  deadlines:\n    plan: 7\n    look: 7\n")
    with pytest.raises(
        BadFile, match=r"line 2: episode: 'look' is not a stage of profile 'e'; stages are plan, decide"
    ):
        load_settings({}, config)
    assert load_settings({"episode": {"deadlines": {"plan": 7}}}).episode.deadlines == {"plan": 7}


def test_a_deadline_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANYHANDS_EPISODE__DEADLINES__PLAN", "7")
    assert load_settings({}).episode.deadlines == {"plan": 7}
