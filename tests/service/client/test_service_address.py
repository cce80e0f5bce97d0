"""Which service a client uses, with which token: arguments, the environment, the file of logins."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from manyhands import AsyncClient, ServiceRefused
from manyhands.protocol.errors import BadInput
from manyhands.service.client.service_address import LoginFile, SavedLogin, find_address, normalise_url

HOME, OFFICE = "http://127.0.0.1:8008", "https://phones.example:8443"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    found = {"MANYHANDS_STATE_DIR": str(tmp_path)}
    logins = LoginFile().with_login(OFFICE, SavedLogin(token="o", ca=Path("/ca.pem")))
    logins.with_login(HOME, SavedLogin(token="h")).save(LoginFile.path(found))
    return found


def test_the_last_login_is_used_if_nothing_names_a_service(environment: dict[str, str]) -> None:
    found = find_address(environment=environment)
    assert (found.url, found.token, found.ca, found.is_loopback) == (HOME, "h", None, True)


def test_a_token_goes_to_its_own_service_only(environment: dict[str, str]) -> None:
    office = find_address(f"{OFFICE}/", environment=environment)
    assert (office.url, office.token, office.ca, office.is_loopback) == (OFFICE, "o", Path("/ca.pem"), False)
    assert find_address("http://elsewhere:1", environment=environment).token is None
    named = {**environment, "MANYHANDS_SERVER": HOME, "MANYHANDS_TOKEN": "e"}
    assert find_address(environment=named).token == "e"
    assert find_address(OFFICE, environment=named).token == "o"
    assert find_address("http://elsewhere:1", environment=named).token is None
    assert find_address(OFFICE, "given", environment=named).token == "given"
    assert find_address(OFFICE, environment={**environment, "MANYHANDS_TOKEN": "e"}).token == "e"


def test_no_service_at_all_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"manyhands serve.*manyhands login URL.*--server"):
        find_address(environment={"MANYHANDS_STATE_DIR": str(tmp_path)})


def test_the_file_of_logins_is_private(environment: dict[str, str]) -> None:
    path = LoginFile.path(environment)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o640)
    with pytest.raises(BadInput, match=f"chmod 600 {path}"):
        find_address(environment=environment)
    path.chmod(0o600)
    path.write_text("{")
    with pytest.raises(BadInput, match="log in again"):
        find_address(environment=environment)


def test_a_login_can_be_forgotten(environment: dict[str, str]) -> None:
    logins = LoginFile.read(LoginFile.path(environment))
    assert logins.without_login(HOME).last == OFFICE
    with pytest.raises(BadInput, match="there is no login for it"):
        logins.without_login("http://elsewhere:1")


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("HTTP://Phones.Example:80/", "http://phones.example:80"),
        ("https://[::1]:8443", "https://[::1]:8443"),
        ("https://example.org/phones/", "https://example.org/phones"),
    ],
)
def test_addresses_have_one_form(text: str, url: str) -> None:
    assert normalise_url(text) == url


@pytest.mark.parametrize(
    "text",
    ["127.0.0.1:8008", "ftp://a", "http://", "http://a:b", "http://user:secret@host", "http://a?b=c", "http://["],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="http://HOST:PORT") as refused:
        normalise_url(text)
    assert "secret" not in str(refused.value)


def test_tokens_are_not_shown(environment: dict[str, str]) -> None:
    assert "'h'" not in repr(find_address(environment=environment))
    assert "'h'" not in repr(LoginFile.read(LoginFile.path(environment)))
    with pytest.raises(BadInput, match="copied as a whole"):
        AsyncClient(HOME, token="two words")
    assert issubclass(ServiceRefused, BadInput)


def test_a_machine_that_only_uses_a_service_needs_no_libraries_of_fleets() -> None:
    program = (
        "import sys\n"
        "for name in ('ray', 'aiohttp', 'cv2', 'rapidocr', 'onnxruntime', 'cachetools', 'blake3', 'jinja2', "
        "'prometheus_client', 'junitparser', 'aiomqtt'):\n"
        "    sys.modules[name] = None\n"
        "from manyhands import AsyncClient, Client\n"
        "import manyhands.service.client.service_progress, manyhands.service.mcp\n"
        "import manyhands.deploy.command_line.display\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
