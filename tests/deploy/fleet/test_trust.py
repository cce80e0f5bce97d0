"""Secrets that run.yaml names go to hosts that it names only where the folder is this user's own run."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.runs.folder_identity import folder_id
from tests.deploy.command_line.called import manyhands
from tests.deploy.fleet.test_recorded import changed, run_folder

SECRETS: list[tuple[dict[str, Any], str]] = [
    ({"mllm_url": ["http://theirs.example/v1"], "api_key_env": "MY_KEY"}, "$MY_KEY to http://theirs.example/v1"),
    ({"models": {"plan": {"url": ["http://theirs.example"], "api_key_env": "MY_KEY"}}}, "$MY_KEY to http://theirs"),
    ({"mllm_url": ["http://theirs.example"], "models": {"plan": {"api_key_env": "K"}}}, "$K to http://theirs.example"),
    (
        {"phones": ["mqtts://theirs.example/lab/*"], "mqtt_user_env": "ME", "mqtt_password_env": "PASSWORD"},
        "$PASSWORD to theirs.example",
    ),
    ({"ray_address": "ray://theirs.example:10001"}, "join the Ray cluster ray://theirs.example:10001"),
    (
        {"perception": {"icon_engine": "ultralytics", "icons": {"weights": "/tmp/theirs/best.pt"}}},
        "use /tmp/theirs/best.pt (perception)",
    ),
    ({"perception": {"paddle": {"det_model_dir": "theirs"}}}, "use theirs (perception)"),
    ({"otlp_endpoint": "http://theirs.example:4318"}, "send its traces to http://theirs.example:4318"),
    ({"memory": "/tmp/theirs/memory.sqlite"}, "use /tmp/theirs/memory.sqlite (--memory)"),
    (
        {"phones": ["avd:Pixel:1"], "emulator_flags": ["-kernel", "theirs"]},
        "start emulators with -kernel theirs (emulator_flags)",
    ),
    ({"episode": {"allow": ["pay:Shop"]}}, "allow pay:Shop without a question (allow)"),
    ({"episode": {"policy": {"ask": []}}}, "judge actions by its policy (policy)"),
    ({"phones": ["web:1"], "virtual": {"web": "/etc/passwd"}}, "use /etc/passwd (--phones)"),
    ({"phones": ["web:1"], "virtual": {"web": "miniwob", "web_script": "/tmp/x.js"}}, "use /tmp/x.js (--phones)"),
]


def own(folder: Path, **other: Any) -> Path:
    return changed(folder, **{"resumed": [{"at": 1.0, "folder": folder_id(folder)}], **other})


def folder_of(path: Path, **settings: Any) -> Path:
    """A run folder of which nothing says that it was begun there."""
    return run_folder(path, load_settings({"mllm_url": ["http://127.0.0.1:1"], **settings}), phones=["lab/R1"])


@pytest.mark.parametrize(("settings", "said"), SECRETS)
def test_a_folder_from_elsewhere_names_no_hosts_for_secrets(
    tmp_path: Path, settings: dict[str, Any], said: str
) -> None:
    folder = folder_of(tmp_path / "run", **settings)
    with pytest.raises(BadInput) as refused:
        Fleet.resume(folder)
    assert said in str(refused.value)
    assert "no run of yours was begun in it" in str(refused.value)
    Fleet.resume(folder, trust_folder=True)


@pytest.mark.parametrize(("settings", "said"), SECRETS)
def test_ones_own_folder_is_gone_on_with_as_it_is_and_a_copy_is_not(
    tmp_path: Path, settings: dict[str, Any], said: str
) -> None:
    folder = folder_of(tmp_path / "run", **settings)
    own(folder)
    Fleet.resume(folder)
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    with pytest.raises(BadInput, match="copied or unpacked"):
        Fleet.resume(copy)
    Fleet.resume(own(copy))  # as where it was confirmed once
    guessed = [{"at": 1.0, "folder": folder_id(copy)}, {"at": 2.0, "folder": "1"}]
    with pytest.raises(BadInput, match="copied or unpacked"):
        Fleet.resume(own(copy, resumed=guessed))


def test_a_folder_that_others_can_write_is_not_trusted(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", ray_address="ray://theirs.example:1")
    own(folder)
    for path, mode in ((folder / "run.yaml", 0o660), (folder, 0o777)):
        before = path.stat().st_mode
        path.chmod(mode)
        with pytest.raises(BadInput, match="others can write it"):
            Fleet.resume(folder)
        path.chmod(before)


def test_hosts_that_flags_or_the_environment_name_get_the_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = folder_of(tmp_path / "model", mllm_url=["http://theirs.example"], api_key_env="MY_KEY")
    Fleet.resume(model, mllm_url=["http://mine.example"])
    broker = folder_of(
        tmp_path / "broker", phones=["mqtts://theirs.example/lab/*"], mqtt_password_env="P", mqtt_user_env="U"
    )
    Fleet.resume(broker, phones=["mqtts://mine.example/lab/*"])
    cluster = folder_of(tmp_path / "cluster", ray_address="ray://theirs.example:1")
    Fleet.resume(cluster, ray_address="auto")
    monkeypatch.setenv("MANYHANDS_RAY_ADDRESS", "ray://theirs.example:1")
    monkeypatch.setenv("MANYHANDS_MLLM_URL", '["http://theirs.example"]')
    monkeypatch.setenv("MANYHANDS_PHONES", '["mqtts://theirs.example/lab/*"]')
    for folder in (model, broker, cluster):
        Fleet.resume(folder)


def test_a_folder_without_secrets_is_gone_on_with_wherever_it_comes_from(tmp_path: Path) -> None:
    Fleet.resume(folder_of(tmp_path / "run", mllm_url=["http://theirs.example"], ray_address="auto"))


def test_the_command_refuses_in_a_line_and_names_the_flag(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", mllm_url=["http://theirs.example"], api_key_env="MY_KEY")
    done = manyhands("resume", str(folder))
    assert done.returncode == 2
    assert "send $MY_KEY to http://theirs.example (--mllm-url)" in done.stderr
    assert "--trust-folder" in done.stderr
