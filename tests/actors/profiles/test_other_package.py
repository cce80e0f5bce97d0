"""A package of other people brings a profile and a transport: installed by pip, it is known by its entry points."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent / "other_package"
ROOT = Path(__file__).parents[3]
METADATA = "Metadata-Version: 2.1\nName: tiny-paper\nVersion: 1.0\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def wheel(folder: Path) -> Path:
    """Build the wheel of the package: its files, and a ``dist-info`` with the entry points."""
    path, info = folder / "tiny_paper-1.0-py3-none-any.whl", "tiny_paper-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted((PROJECT / "tiny_paper").rglob("*.*")):
            if file.suffix in (".py", ".jinja"):
                archive.write(file, file.relative_to(PROJECT))
        archive.write(PROJECT / "entry_points.txt", f"{info}/entry_points.txt")
        for name, text in (("METADATA", METADATA), ("WHEEL", WHEEL), ("RECORD", "")):
            archive.writestr(f"{info}/{name}", text)
    return path


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Install the package beside everything else, and return the environment of a process that finds it."""
    folder = tmp_path_factory.mktemp("installed")
    install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", "--target")
    subprocess.run([sys.executable, *install, str(folder / "site"), str(wheel(folder))], check=True, timeout=100)
    state = str(folder / "state")
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(folder / "site"), str(ROOT))),
        "MANYHANDS_STATE_DIR": state,
    }


def python(code: str, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=100, env=environment, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


EVERYBODY = """
import json
from manyhands.evaluation.comparison.sheets import declared_sheets
from manyhands.protocol.profiles import registered_profiles
from manyhands.simulator.rehearsal.profiles.rehearsals import declared_rehearsals
import sys

registry = registered_profiles()
print(json.dumps({
    "profiles": list(registry.declarations),
    "paper": registry.find("v2").paper,
    "writer": registry.writers["TinyReply"],
    "sheets": [sheet.title for sheet in declared_sheets()],
    "rehearsals": [type(one).__name__ for one in declared_rehearsals()],
    "problems": {name: str(error) for name, error in registry.problems.items()},
    "actors": [name for name in sys.modules if name.startswith("manyhands.actors")],
}))
"""


def test_stand_ins_and_sheets_know_it_without_its_loop(environment: dict[str, str]) -> None:
    known = json.loads(python(EVERYBODY, environment))
    assert known["profiles"] == ["v1", "v2", "e", "e+evo", "native", "native+evo", "bare", "flow", "tiny"]
    assert known["paper"] == "Mobile-Agent-v2"  # ours keep their names
    assert known["writer"] == "decide"
    assert known["sheets"][-1] == "As the tiny paper"
    assert known["rehearsals"][-1] == "TinyRehearsal"
    assert list(known["problems"]) == ["broken"]
    assert known["problems"]["broken"].startswith(
        "profile 'broken': 'tiny_paper.nowhere:DECLARATION' cannot be imported: ModuleNotFoundError"
    )
    assert known["actors"] == []


ACCEPTED = """
import json
from pydantic import ValidationError
from manyhands.actors.profiles import agent_that_reads, profile_of, unused
from manyhands.deploy.fleet.model_servers.resolution import role_models
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.profiles import registered_profiles

def refusal(**episode):
    try:
        FleetSettings(mllm_url=("rehearsed",), episode=episode)
    except ValidationError as error:
        return str(error)

def outputs(profile, **own):
    settings = FleetSettings(mllm_url=("http://server/v1",), episode={"profile": profile}, **own)
    return {role.value: model.output for role, model in role_models(settings).items()}

settings = FleetSettings(mllm_url=("rehearsed",), episode={"profile": "tiny", "escalate_after": 3, "history": 1})
print(json.dumps({
    "stages": profile_of("tiny").stage_names(settings.episode),
    "unused": unused(settings.episode),
    "agent": agent_that_reads(registered_profiles().reply_types["TinyReply"]).__name__,
    "speculate": refusal(profile="tiny", schedule="speculate"),
    "broken": refusal(profile="broken"),
    "unknown": refusal(profile="tinny"),
    "like_e": refusal(profile="tiny", like_e=True),
    "outputs": outputs("tiny"),
    "of_e": outputs("e")["judge"],
    "for_the_run": outputs("tiny", output="json"),
    "for_the_role": outputs("tiny", models={"judge": {"output": "tool_call"}}),
}))
"""


def test_settings_accept_it_and_say_what_it_cannot_follow(environment: dict[str, str]) -> None:
    found = json.loads(python(ACCEPTED, environment))
    assert found["stages"] == ["capture", "decide", "review", "act"]
    assert found["unused"] == ["escalate_after"]
    assert found["agent"] == "TinyAgent"
    assert "profile 'tiny' assumes nothing; choose serial or overlap" in found["speculate"]
    assert "profile 'broken': 'tiny_paper.nowhere:DECLARATION' cannot be imported" in found["broken"]
    assert "'tinny' is not a profile; profiles are v1 (Mobile-Agent), " in found["unknown"]
    assert "tiny (a tiny paper); did you mean 'tiny'?" in found["unknown"]
    assert "like_e is for the profile v2 alone, and this one is tiny" in found["like_e"]
    assert (found["outputs"], found["of_e"]) == ({"decide": "json", "judge": "headers"}, "json")
    assert found["for_the_run"] == {"decide": "json", "judge": "json"}
    assert found["for_the_role"] == {"decide": "json", "judge": "tool_call"}


IN_FAMILY_FORM = """
import asyncio
import json
from manyhands.actors.roles import RoleSettings
from manyhands.deploy.fleet.model_servers.resolution import check_models, role_models
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.roles.role import Role
from tests.actors.mllm.model_servers import ModelServer, Say, serving
from tests.actors.roles.examples import BEFORE, brief, shot
from tests.actors.roles.test_roles import context
from tiny_paper.declaration import TinyReply
from tiny_paper.profile import TinyAgent, TinyRequest

call = {"name": "mobile_use", "arguments": {"action": "system_button", "button": "Home"}}
reply = f"Action: Go home.\\n<tool_call>\\n{json.dumps(call)}\\n</tool_call>"

async def ask(server):
    settings = FleetSettings(mllm_url=(server.url,), episode={"profile": "tiny"})
    models = await check_models(settings, role_models(settings))
    agent = TinyAgent(RoleSettings(model=models[Role.DECIDE], templates="tiny_paper", replies=(TinyReply,)))
    await agent.start()
    try:
        request = TinyRequest(brief=brief(), screenshot=shot(), reviews=("Step 0: Home",))
        return await agent.answer(request, context(), BEFORE)
    finally:
        await agent.stop()

async def main():
    async with serving(ModelServer(Say(REPLY), models=("mPLUG/GUI-Owl-1.5-8B-Instruct",))) as server:
        answered = await ask(server)
    print(json.dumps({
        "action": answered.value.action and answered.value.action.name,
        "problem": answered.value.problem,
        "requests": [call.request for call in answered.calls],
    }))

asyncio.run(main())
"""


def test_its_agent_is_asked_in_the_form_of_its_models_family(environment: dict[str, str]) -> None:
    found = json.loads(python(IN_FAMILY_FORM.replace("REPLY", "reply"), environment))
    assert (found["action"], len(found["requests"])) == ("Home", 1)
    system, user = (json.dumps(message["content"]) for message in found["requests"][0]["messages"])
    assert "mobile_use" in system
    assert "Step 0: Home" in user
    assert "response_format" not in found["requests"][0]
    refused = json.loads(python(IN_FAMILY_FORM.replace("REPLY", "'Hello!'"), environment))
    assert (refused["action"], len(refused["requests"])) == (None, 2)
    assert "the answer holds no <tool_call> of mobile_use" in refused["problem"]


REACHED = """
import json
from manyhands.deploy.fleet.phones.transports import transport_of
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.errors import BadInput

def made(name):
    try:
        return type(transport_of(FleetSettings(mllm_url=("rehearsed",), transport=name))).__name__
    except BadInput as error:
        return str(error)

print(json.dumps([made(name) for name in ("adb", "panel", "broken", "fax")]))
"""


def test_a_package_brings_a_way_to_reach_phones(environment: dict[str, str]) -> None:
    adb, panel, broken, unknown = json.loads(python(REACHED, environment))
    assert (adb, panel) == ("AdbTransport", "Panels")
    assert broken.startswith("transport broken: tiny_paper.nowhere:make: No module named 'tiny_paper.nowhere'; mend")
    assert unknown == "transport fax: unknown; there are adb, broken, panel"


PLAYED = """
import json
from dataclasses import replace
from manyhands.actors.episode.host import EpisodeHost, HostSettings
from manyhands.actors.mllm import dialect_named
from manyhands.actors.prompts import Prompts
from manyhands.protocol.messages import Answered
from manyhands.protocol.journals.records import StageResult
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import split_sections
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.profiles.rehearsals import Question
from tests.actors.episode.world import CALL, World, order
from tests.virtual_clock import run_virtual
from tiny_paper.declaration import TinyReply
from tiny_paper.profile import TinyAgent
from tiny_paper.rehearsal import TinyRehearsal

dialect = dialect_named("qwen3-vl")
prompts = Prompts(dialect, "json", "tiny_paper", (TinyReply,))

class Answering:
    async def answer(self, request, context, *images):
        prompt = TinyAgent.prompt(prompts, request, images)
        text = "\\n".join((prompt.system, *(one for one in prompt.content if isinstance(one, str))))
        asked = Question(Role.DECIDE, TinyReply, Reading(split_sections(text)), (), None)
        decision = TinyAgent.read(TinyRehearsal().reply(asked), request.reply_context, dialect)
        return Answered(value=decision, calls=(CALL,))

world = World()
host = EpisodeHost(HostSettings(), replace(world.collaborators(), agents={Role.DECIDE: Answering()}), world.clock)
result = run_virtual(host.run_episode(order(profile="tiny")))
left = [record.data for record in world.written(result.episode) if isinstance(record, StageResult)]
print(json.dumps({"ending": result.ending, "reason": result.reason, "left": left}))
"""


def test_an_episode_plays_its_loop(environment: dict[str, str]) -> None:
    assert json.loads(python(PLAYED, environment)) == {
        "ending": "finished",
        "reason": "tiny agent: It was pressed.",
        "left": [{"remark": "Step 0: Home"}],
    }


@pytest.mark.slow
def test_a_run_plays_it_on_a_virtual_phone(
    environment: dict[str, str], tmp_path: Path, adb_server: tuple[str, int]
) -> None:
    words = ["run", "--goal", "Go home.", "--profile", "tiny", "--mllm-url", "rehearsed", "--phones", "virtual:1"]
    port = ["--adb-port", str(adb_server[1])]
    done = subprocess.run(
        [sys.executable, "-m", "manyhands", *words, "--json", "--out", str(tmp_path / "run"), *port],
        capture_output=True,
        text=True,
        timeout=240,
        env=environment,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["profile"], summary["finished"], summary["steps"]) == ("tiny", {"finished": 1}, 1)
    assert "review" in summary["stage_ms"]
    shutil.rmtree(tmp_path / "run")
