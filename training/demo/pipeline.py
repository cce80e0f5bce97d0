"""python -m training.demo.pipeline --out DIR: teach a small text model to operate a phone, and measure what it learned.

It is scored as it comes, learns from the rehearsed model's verified episodes, is scored again, tries other episodes
itself, learns from those that were verified, and is scored again. Every step's result is on disk: a killed pipeline
goes on where it was, by the same command. docs/training.md tells more.
"""

from __future__ import annotations

import argparse
import asyncio
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

import aiohttp
import yaml

from manyhands.deploy import process_reaper
from manyhands.deploy.child_process import ChildProcess, SidecarProcess
from manyhands.protocol.errors import BadInput, CallError
from training.demo.goals import SEEDS, scripts, tasks
from training.demo.report import lines, write_report
from training.demo.state import State

FORM = (
    *("--profile", "native", "--pictures", "none", "--dialect", "plain-chat", "--output-format", "native"),
    *("--without", "planner,tips,shortcuts"),
)
"""How all models are asked: the base model, the rehearsed one, the tuned ones."""
WANTED = ("--format", "swift", "--role", "operator", "--verified", "phone", "--no-loops")
BASE = "SmolLM2-135M-Instruct"
TUNED, AGAIN = f"{BASE}-tuned", f"{BASE}-again"
"""Names of models, by which their family is known."""
MANYHANDS = (sys.executable, "-m", "manyhands")
CONTEXT = 2048
"""The most tokens of a request and its reply."""
REPLY = 64
"""The most tokens of a reply: an untuned model goes on for long. The longest that are learned have 40."""
ROUND, GROUP = 30, 2
"""How many goals the tuned model tries itself, and how often each."""
_GRACE_S = 20
_SERVED_S = 900.0
_LOOK_EVERY_S = 2.0


class ServedModel(ChildProcess):
    """Run ``manyhands mllm`` under a reaper until its server answers, which it does long after it has begun to load."""

    def __init__(self, name: str, words: Sequence[str], port: int, log: Path) -> None:
        reaped = (*process_reaper.COMMAND, "run", str(_GRACE_S), *words, "--port", str(port))
        super().__init__(f"the server of {name}", reaped, log, ready_s=_SERVED_S, stop_s=2 * _GRACE_S)
        self._base = f"http://127.0.0.1:{port}"
        self.url = f"{self._base}/v1"

    async def _become_ready(self) -> None:
        await self.read_line()  # its process id
        async with aiohttp.ClientSession() as session:
            while not await _is_healthy(session, f"{self._base}/health"):
                if self.returncode is not None:
                    raise CallError(f"{self.name} ended with exit code {self.returncode}: see {self.log}")
                await asyncio.sleep(_LOOK_EVERY_S)


async def _is_healthy(session: aiohttp.ClientSession, url: str) -> bool:
    try:
        async with session.get(url, timeout=aiohttp.ClientTimeout(total=_LOOK_EVERY_S)) as answer:
            return answer.status == 200
    except (aiohttp.ClientError, TimeoutError):
        return False


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Hold where everything is: the folder, and the Pythons of the model's and of the server's environments."""

    folder: Path
    python: Path
    vllm: Path
    phones: int
    seed: int
    rows: int
    rows_again: int
    port: int
    state: State

    async def run(self) -> None:
        """Do all that is not done yet. Raises CallError, BadInput."""
        models, do = self.folder / "models", self.state.do
        await do("goals", self._write_goals)
        await do("convert", lambda: self._demo("convert", str(models / BASE)))
        await self._with_model(BASE, ("before",))
        await do("learn", self._rehearse)
        await do("learn_rows", lambda: self._export("learn"))
        await do("tune", lambda: self._tune(BASE, TUNED, self.rows, "learn"))
        await self._with_model(TUNED, ("after", "round"))
        await do("round_rows", lambda: self._export("round"))
        await do("tune_again", lambda: self._tune(TUNED, AGAIN, self.rows_again, "learn", "round"))
        await self._with_model(AGAIN, ("after_round",))

    def report(self) -> list[str]:
        """Write the report, and return it as lines."""
        runs = {name.replace("_", " "): self.folder / "runs" / name for name in ("before", "after", "after_round")}
        commands = self._commands.read_text().splitlines()
        return lines(write_report(self.folder, runs, self.state.seconds, commands, self.seed))

    # ------------------------------------------------------------------ steps
    async def _write_goals(self) -> None:
        (self.folder / "goals").mkdir(exist_ok=True)
        for part in SEEDS:
            every = tasks(part)
            chosen = Random(f"round {self.seed}").sample(every, ROUND) if part == "round" else every
            self._goals(part).write_text(yaml.safe_dump({"tasks": chosen}, sort_keys=False))
        self._goals("scripts").write_text(yaml.safe_dump(scripts(), sort_keys=False))
        self._goals("settings").write_text(yaml.safe_dump({"models": {"decide": {"max_tokens": REPLY}}}))

    async def _rehearse(self) -> None:
        arguments = ("--port", "0", "--script", str(self._goals("scripts")))
        log = self.folder / "logs" / "rehearsed_model.log"
        async with SidecarProcess("manyhands.simulator.rehearsal", arguments, log) as model:
            await self._play("learn", model.ready["url"])

    async def _with_model(self, model: str, runs: Sequence[str]) -> None:
        """Serve a model for those of its runs that are not done."""
        if self.state.is_done(*runs):
            return
        async with self._serve(model) as server:
            for run in runs:
                await self.state.do(run, partial(self._play, run, server.url))

    async def _tune(self, start: str, out: str, count: int, *rows: str) -> None:
        models = self.folder / "models"
        folders = [str(self.folder / "rows" / one) for one in rows]
        options = ("--out", str(models / out), "--count", str(count), "--seed", str(self.seed))
        await self._demo("tune", str(models / start), *folders, *options)

    async def _export(self, run: str) -> None:
        out = self.folder / "rows" / run
        shutil.rmtree(out, ignore_errors=True)
        await self._call("export", [*MANYHANDS, "export", str(self.folder / "runs" / run), *WANTED, "--out", str(out)])

    async def _play(self, run: str, url: str) -> None:
        """Carry out the tasks of a run, or go on with an interrupted one. Tasks that fail are no error."""
        out, part = self.folder / "runs" / run, run if run in SEEDS else "score"
        where = ("--phones", f"virtual:{self.phones}", "--mllm-url", url)
        form = ("--config", str(self._goals("settings")), *FORM)
        group = ("--group", str(GROUP)) if run == "round" else ()
        words = [*MANYHANDS, "run", str(self._goals(part)), *where, *form, *group, "--out", str(out)]
        if (out / "run.yaml").exists():
            words = [*MANYHANDS, "resume", str(out), *where]
        await self._call(run, words, allowed=(0, 1))

    # ------------------------------------------------------------------ processes
    def _serve(self, model: str) -> ServedModel:
        folder = self.folder / "models" / model
        options = ("--gpus", "0", "--vllm", str(self.vllm), "--offline", "--max-model-len", str(CONTEXT))
        words = [*MANYHANDS, "mllm", "--model", str(folder), *options]
        self._tell(words)
        return ServedModel(model, words, self.port, self.folder / "logs" / f"{model}.log")

    async def _demo(self, module: str, *arguments: str) -> None:
        await self._call(module, [str(self.python), "-m", f"training.demo.{module}", *arguments])

    async def _call(self, name: str, words: Sequence[str], allowed: Sequence[int] = (0,)) -> None:
        """Run a command to its end; it does not outlive this process. Raises CallError for other exit codes."""
        self._tell(words)
        logs = self.folder / "logs"
        reaped = (*process_reaper.COMMAND, "run", str(_GRACE_S), *words)
        async with ChildProcess(name, reaped, logs / f"{name}.log", output=logs / f"{name}.out") as child:
            code = await child.wait()
        if code not in allowed:
            raise CallError(f"{name} ended with exit code {code}: {child.last_words()} ({child.log})")

    def _tell(self, words: Sequence[str]) -> None:
        with self._commands.open("a") as file:
            file.write(f"{shlex.join(words)}\n")

    @property
    def _commands(self) -> Path:
        return self.folder / "commands.txt"

    def _goals(self, name: str) -> Path:
        return self.folder / "goals" / f"{name}.yaml"


def parsed(words: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the folder of all results; the same goes on with them")
    parser.add_argument(
        "--python", type=Path, default=Path(".venv-demo/bin/python"), help="has the demo's requirements"
    )
    parser.add_argument("--vllm", type=Path, default=Path(".venv-vllm/bin/vllm"), help="vLLM's executable")
    parser.add_argument("--phones", type=int, default=6, help="virtual phones")
    parser.add_argument("--seed", type=int, default=0, help="of the rows' variants and of the round's goals")
    parser.add_argument("--rows", type=int, default=640, help="rows of the first tuning")
    parser.add_argument("--rows-again", type=int, default=128, help="rows of the second")
    parser.add_argument("--port", type=int, default=8000, help="of the model server")
    return parser.parse_args(words)


def main() -> None:
    options = vars(parsed(sys.argv[1:]))
    out = options.pop("out").absolute()
    kept = {name: options[name] for name in ("seed", "rows", "rows_again")}
    try:
        for name in ("python", "vllm"):
            if not options[name].is_file():
                raise BadInput(f"{options[name]} is missing; make train-demo installs it")
        state = State(out, kept, lambda line: print(line, flush=True))  # noqa: T201
        pipeline = Pipeline(folder=out, state=state, **options)
        asyncio.run(pipeline.run())
        print(*pipeline.report(), sep="\n")  # noqa: T201
    except (BadInput, CallError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
