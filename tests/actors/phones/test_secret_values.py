"""Values of secrets come from variables, files and keyrings; what is wrong with one is told without a part of it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.actors.phones import secret_values
from manyhands.actors.phones.secret_values import SecretUnavailable, find_problems, read_secret
from manyhands.actors.policy.judgement import PolicyInput, judge
from manyhands.protocol.policy import Effect, Policy
from manyhands.protocol.screens.actions import Type
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screen
from manyhands.protocol.secrets import Secret, placeholder, secret_names
from manyhands.protocol.tasks.task import TaskSpec
from tests.process_memory import core_dumps, memory_of

KEYRING = """
import threading
from keyring import errors
unlocked = threading.Event()
def get_password(service, user):
    if service == "slow":
        unlocked.wait()
    if service == "locked":
        raise errors.KeyringLocked("hunter22")
    return {("bank", "ann"): "hunter22"}.get((service, user))
"""


CRASH = """
import asyncio, os, sys
from pathlib import Path
from manyhands.actors.phones.adb import AdbSettings, AdbTransport
from manyhands.protocol.secrets import Secret
secrets = {"bank": Secret(apps=("Bank",))} if sys.argv[1] == "secrets" else {}
asyncio.run(AdbTransport(AdbSettings(secrets=secrets, state_dir=Path("state"))).start())
os.abort()
"""


def why(secret: Secret) -> str:
    with pytest.raises(SecretUnavailable) as raised:
        read_secret("bank", {"bank": secret})
    return str(raised.value)


def test_a_variable_is_read_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANYHANDS_SECRET_BANK_PIN", "hunter22")
    monkeypatch.setenv("OWN", "other one")
    declared = {"bank-pin": Secret(apps=("Bank",)), "own": Secret(apps=("Bank",), env="OWN")}
    assert [read_secret(name, declared) for name in declared] == ["hunter22", "other one"]
    assert find_problems({**declared, "c": Secret(apps=("Bank",))}) == {
        "bank-pin": "",
        "own": "",
        "c": "secret c: the environment variable MANYHANDS_SECRET_C is not set where the phone's gateway runs",
    }


@pytest.mark.parametrize("value", ["abc", "two\nlines", "tab\there", "x" * 1001])
def test_what_cannot_be_typed_or_masked_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("OWN", value)
    assert value not in why(Secret(apps=("Bank",), env="OWN"))


def test_a_file_is_read_if_others_may_not_read_it(tmp_path: Path) -> None:
    file = tmp_path / "bank.txt"
    secret = Secret(apps=("Bank",), file=file)
    assert "cannot be read: No such file" in why(secret)
    file.touch(0o600)
    file.write_text("hunter22\n")
    assert read_secret("bank", {"bank": secret}) == "hunter22"
    file.chmod(0o640)
    assert why(secret) == f"secret bank: others may read {file}: chmod 600 {file}"
    file.chmod(0o600)
    file.write_bytes(b"\xff\xfehunter22")
    assert "hunter22" not in why(secret)


def test_a_keyring_is_asked_if_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("keyring", "keyring.errors"):
        monkeypatch.setitem(sys.modules, name, None)
    assert "pip install 'manyhands[keyring]'" in why(Secret(apps=("Bank",), keyring="bank/ann"))
    for name in ("keyring", "keyring.errors"):
        monkeypatch.delitem(sys.modules, name)
    (tmp_path / "keyring").mkdir()
    (tmp_path / "keyring" / "__init__.py").write_text(KEYRING)
    (tmp_path / "keyring" / "errors.py").write_text(
        "class KeyringError(Exception): ...\nclass KeyringLocked(KeyringError): ..."
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert read_secret("bank", {"bank": Secret(apps=("Bank",), keyring="bank/ann")}) == "hunter22"
    assert "keyring set bank eve" in why(Secret(apps=("Bank",), keyring="bank/eve"))
    locked = why(Secret(apps=("Bank",), keyring="locked/ann"))
    assert "KeyringLocked" in locked
    assert "hunter22" not in locked
    monkeypatch.setattr(secret_values, "KEYRING_S", 0.1)
    for _ in range(2):  # the second one waits for the thread of the first
        assert "has not answered for 0.1 s" in why(Secret(apps=("Bank",), keyring="slow/ann"))
    sys.modules["keyring"].unlocked.set()
    monkeypatch.setattr(secret_values, "KEYRING_S", 60.0)
    assert read_secret("bank", {"bank": Secret(apps=("Bank",), keyring="bank/ann")}) == "hunter22"
    for name in ("keyring", "keyring.errors"):
        sys.modules.pop(name, None)


def test_a_text_names_secrets_and_a_task_those_of_goal_and_hints() -> None:
    task = TaskSpec(id="a", goal="Sign in with {{secret:bank}}.", hints="The PIN is {{ secret: pin-2 }}")
    assert task.secrets == {"bank", "pin-2"}
    assert secret_names(placeholder("bank")) == {"bank"}
    assert not secret_names("{{secret:}} {secret:bank} {{secret:a b}}")


def test_to_type_a_secret_needs_a_word_wherever_it_is_typed() -> None:
    screen = Screen(content_id="a" * 32, size=Size(width=100, height=200), elements=(), keyboard="shown")
    for seen in (None, screen):
        facts = PolicyInput(goal="{{secret:bank}}", screen=seen)
        verdict = judge(Policy(), Type(text="{{secret:bank}}"), facts)
        assert (verdict.decision, verdict.effect) == ("ask", Effect.SECRET)


def test_a_gateway_with_secrets_leaves_no_core_dump(tmp_path: Path) -> None:
    cores = {}
    with core_dumps():
        for name in ("none", "secrets"):
            folder = tmp_path / name
            folder.mkdir()
            ended = subprocess.run([sys.executable, "-c", CRASH, name], cwd=folder, check=False, timeout=60)
            assert ended.returncode == -signal.SIGABRT
            cores[name] = [path.name for path in folder.glob("core*")]
    if not cores["none"]:
        pytest.skip("this machine writes no core dump into a process's folder (core_pattern, or the hard limit)")
    assert cores["secrets"] == []


def test_the_memory_of_a_process_is_searched_as_its_core_dump_would_be() -> None:
    """The word is made by the process itself, so that its command line and code do not have it."""
    code = "import sys; word = 'hunter'[::-1] * 2; print(flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        assert any(b"retnuhretnuh" in part for part in memory_of(process.pid))
        process.stdin.close()
