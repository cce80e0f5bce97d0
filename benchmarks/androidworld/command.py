"""``manyhands bench androidworld``: play the tasks of AndroidWorld on the user's own emulators and checkout."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, table, text_console
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.policy import Policy
from manyhands.protocol.utilities import secure_files

if TYPE_CHECKING:
    from manyhands.benchmarks.androidworld.checkout import Checkout
    from manyhands.benchmarks.androidworld.episodes import AndroidWorldFigures, ScoredTask

EXAMPLE = (
    "Example: manyhands bench androidworld --serials emulator-5554 --root ~/android_world --dry-run. "
    "How to read it: docs/emulators.md. Exit codes: 0 every task has a score, 1 some have none, 2 bad input."
)
FIGURES_FILE = "androidworld.json"


@options.with_settings("run")
def command(
    read_settings: options.ReadGiven,
    root: Annotated[Path, typer.Option("--root", help="The user's checkout of AndroidWorld.", show_default=False)],
    serials: Annotated[str, typer.Option("--serials", help="Serials of emulators, with commas between them.")] = "",
    python: Annotated[
        Path | None, typer.Option("--python", help="The Python in which AndroidWorld is installed.", show_default=False)
    ] = None,
    task: Annotated[list[str] | None, typer.Option("--task", help="Only this task; repeatable.")] = None,
    family: Annotated[str, typer.Option("--family", help="AndroidWorld's family of tasks.")] = "android_world",
    task_seed: Annotated[int, typer.Option("--task-seed", help="The seed of the tasks' parameters.")] = 30,
    combinations: Annotated[int, typer.Option("--combinations", min=1, help="Instances of each task.")] = 1,
    checkpoint: Annotated[
        Path | None,
        typer.Option("--checkpoint", help="AndroidWorld's checkpoints: what is done there is not played again."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what each task needs, and play none.")] = False,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Let AndroidWorld's own code initialise and score tasks, and our agent play them."""
    given = read_settings()
    if serials:
        if given.get("phones"):
            raise BadInput("give either --serials or --phones")
        given = {**given, "phones": [serial.strip() for serial in serials.split(",") if serial.strip()]}
    settings = load_settings({"name": "androidworld", **given}, config)
    if settings.episode.policy == Policy():  # its tasks send and delete, on emulators that hold nothing of a person's
        episode = settings.episode.model_copy(update={"policy": Policy(phones="none")})
        settings = settings.model_copy(update={"episode": episode})
    if settings.virtual_phones is None and not settings.phones:
        raise BadInput("name the emulators: --serials emulator-5554,emulator-5556, or --phones avd:NAME:4")
    from manyhands.benchmarks.androidworld.checkout import Checkout

    folder = root.expanduser().absolute()
    checkout = Checkout(
        root=folder,
        python=python or _python_of(folder),
        checkpoint=(checkpoint or folder / "manyhands_checkpoint").absolute(),
        adb_port=settings.adb_port,
        tasks=tuple(task or ()),
        family=family,
        seed=task_seed,
        combinations=combinations,
    )
    checkout.check()
    show = _preview if dry_run else _run
    carry_out(lambda: show(settings, checkout, as_json), as_json)


def _python_of(root: Path) -> Path:
    own = root / ".venv" / "bin" / "python"
    return own if own.exists() else Path(sys.executable)


async def _preview(settings: FleetSettings, checkout: Checkout, as_json: bool) -> int:
    """Show steps and apps of each task, and which of the apps each phone lacks."""
    with tempfile.TemporaryDirectory(prefix="manyhands-") as logs:
        async with checkout.server(None, Path(logs)) as server:
            tasks = await server.tasks()
        needs = {}
        for serial in () if settings.starts_phones else settings.phones:
            async with checkout.server(serial, Path(logs)) as server:
                needs[serial] = await server.ask("needs")
    lacking = {
        one.id: {
            serial: sorted(set(one.packages) - set(there["packages"]))
            for serial, there in needs.items()
            if set(one.packages) - set(there["packages"])
        }
        for one in tasks
    }
    roots = {serial: there["is_root"] for serial, there in needs.items()}
    if as_json:
        listed = [{**one.model_dump(mode="json"), "lacks": lacking[one.id]} for one in tasks]
        say_json({"tasks": listed, "is_root": roots})
        return 0
    console = text_console()
    lacks = {
        key: "; ".join(f"{serial}: {', '.join(apps)}" for serial, apps in one.items()) for key, one in lacking.items()
    }
    rows = [(one.id, str(one.budget), ", ".join(one.apps), lacks[one.id]) for one in tasks]
    console.print(table(f"{len(tasks)} tasks", ("task", "steps", "apps", "lacks"), rows))
    for serial in (serial for serial, is_root in roots.items() if not is_root):
        console.print(f"{serial}: adbd is not root, which most tasks need; use an image without Google Play")
    return 0


async def _run(settings: FleetSettings, checkout: Checkout, as_json: bool) -> int:
    from manyhands.actors.phones.adb.server import AdbServer
    from manyhands.benchmarks.androidworld.episodes import SuiteRunner, figures_of
    from manyhands.deploy.fleet.fleet import Fleet
    from manyhands.deploy.fleet.phones.android_sdk import boot_snapshot

    console = text_console(stderr=as_json)
    async with Fleet(settings, on_start=lambda line: console.print(line, markup=False)) as fleet:
        logs = fleet.folder / "logs"
        async with checkout.server(None, logs) as server:
            listed, finished = await server.tasks(), server.finished
        tasks = [one for one in listed if one.id not in finished]
        adb = AdbServer(settings.adb_host, settings.adb_port)
        try:
            snapshot = settings.reset_snapshot if settings.emulators is None else boot_snapshot(settings)
            runner = SuiteRunner(fleet, checkout, adb, logs, snapshot, lambda one: _tell(console, one))
            results = await runner.run(tasks, fleet.serials)
        finally:
            adb.close()
            summary = await asyncio.to_thread(fleet.summary)
        figures = figures_of(results, len(listed) - len(tasks))
        secure_files.replace_text(fleet.folder / FIGURES_FILE, figures.model_dump_json(indent=1))
        if as_json:
            value = {"checkpoint": str(checkout.checkpoint), "summary": summary.model_dump(mode="json")}
            say_json({"out": str(fleet.folder), **figures.model_dump(mode="json"), **value})
        else:
            _show(console, figures, fleet.folder, checkout)
    return 0 if figures.scored == figures.tasks else 1


def _tell(console: Console, one: ScoredTask) -> None:
    console.print(f"{one.id} on {one.serial}: {_score(one)}", soft_wrap=True, markup=False)


def _score(one: ScoredTask) -> str:
    return f"no score: {one.problem}" if one.score is None else f"{one.score:g}"


def _show(console: Console, figures: AndroidWorldFigures, folder: Path, checkout: Checkout) -> None:
    rows = [(one.id, _score(one), f"{one.steps} of {one.budget}", one.ending or "") for one in figures.by_task]
    console.print(table("AndroidWorld", ("task", "score", "steps", "ending"), rows))
    mean = "none" if figures.success is None else f"{figures.success:.1%}"
    console.print(
        f"Success: {mean} of {figures.scored} scored tasks; {figures.tasks - figures.scored} have no score, "
        f"{figures.skipped} were done before\nCheckpoint: {checkout.checkpoint}\nRun folder: {folder}",
        soft_wrap=True,
        markup=False,
    )
