"""Read the recorded model calls of a run, so that phones can make them again; pack and unpack runs that ship.

    python -m manyhands.benchmarks.model.recording RUN --task TASK     # writes recordings/PROFILE.zip here

A recording that ships is a run folder without logs and thumbnails. Its screens are WebP without loss, which takes a
third of the room of PNG. Record a profile again when its prompts have changed: ``manyhands run`` with the rehearsed
model and virtual phones, then this command.
"""

from __future__ import annotations

import argparse
import io
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import groupby
from pathlib import Path, PurePosixPath

import cv2
import numpy as np
import yaml
from PIL import Image

from manyhands.actors.frames import encode_png
from manyhands.evaluation.recorded_calls import RecordedCall, recorded_calls, shown_ids
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.crops import parse_content_id
from manyhands.protocol.utilities import secure_files


@dataclass(frozen=True, slots=True)
class OrderedCall:
    """Hold a recorded call, and the calls of its episode that it waits for."""

    recorded: RecordedCall
    after: tuple[int, ...]
    """The indices of the calls that had ended when this call began: calls that overlapped then may overlap now."""


@dataclass(frozen=True, slots=True)
class CallSequence:
    """Hold the answered calls of one episode, in the order in which they began."""

    episode: str
    calls: tuple[OrderedCall, ...]

    @property
    def steps(self) -> int:
        """Return the number of steps in which a model was asked."""
        return len({call.recorded.step for call in self.calls})


@dataclass(frozen=True, slots=True)
class PromptRecording:
    """Hold the calls of a run. At least one sequence has calls."""

    folder: RunFolder
    profile: str
    source: str
    """What answered the calls when they were recorded."""
    sequences: tuple[CallSequence, ...]

    @property
    def output(self) -> str:
        """Return the format in which the agent that chooses actions was asked (``actors.mllm.formats``)."""
        run_yaml = self.folder.asked
        parts = ((run_yaml.get("models") or {}).get(Role.DECIDE.value), run_yaml.get("settings"))
        return next((str(part["output"]) for part in parts if isinstance(part, dict) and part.get("output")), "json")

    @property
    def steps(self) -> int:
        """Return the number of steps of all episodes."""
        return sum(sequence.steps for sequence in self.sequences)

    @property
    def calls(self) -> tuple[RecordedCall, ...]:
        """Return the calls of all episodes."""
        return tuple(call.recorded for sequence in self.sequences for call in sequence.calls)

    @property
    def calls_per_step(self) -> float:
        """Return the mean number of calls of a step."""
        return len(self.calls) / self.steps

    @property
    def pictures_per_step(self) -> float:
        """Return the mean number of pictures that the calls of a step show."""
        return sum(len(shown_ids(call.call.request)) for call in self.calls) / self.steps


def read_recording(path: Path) -> PromptRecording:
    """Read a run folder. Blocks. Raises BadInput if no call of its journals was answered, and StoreError."""
    folder = RunFolder(path)
    answered = [call for call in recorded_calls(folder) if call.call.reply is not None]
    if not answered:
        raise BadInput(f"{path}: its journals hold no answered model call; give a run that asked a model")
    by_episode = groupby(answered, key=lambda call: call.episode)
    return PromptRecording(
        folder=folder,
        profile=str(folder.asked.get("profile") or "e"),
        source=str(folder.asked.get("model_source") or "a model that run.yaml does not name"),
        sequences=tuple(order_calls(episode, tuple(calls)) for episode, calls in by_episode),
    )


def order_calls(episode: str, calls: Sequence[RecordedCall]) -> CallSequence:
    """Return the calls of an episode in the order in which they began, each with the calls that it waits for."""
    by_start = sorted(calls, key=lambda call: call.call.started_at)
    ends = [call.call.started_at + call.call.latency_ms / 1000 for call in by_start]
    return CallSequence(
        episode,
        tuple(
            OrderedCall(call, tuple(index for index in range(number) if ends[index] <= call.call.started_at))
            for number, call in enumerate(by_start)
        ),
    )


PACKAGE = "manyhands.benchmarks.model"
FIRST = ("native", "e")
"""The profiles that are measured first, if the time does not suffice for all."""
_RUN_FILE = "run.yaml"
_OF_RUNS = ("run_id", "started_at", "profile", "schedule", "model_source", "phones_source", "versions")
_OF_MODELS = ("model", "dialect", "max_pixels", "output")
"""What is kept of run.yaml. The rest is about the machine of the run."""
_MOMENT = (2026, 1, 1, 0, 0, 0)
"""The date of all packed files, so that equal runs give equal bytes."""


def shipped_profiles() -> tuple[str, ...]:
    """Return the profiles of which a recording ships, those of ``FIRST`` first."""
    names = sorted(
        entry.name.removesuffix(".zip")
        for entry in (resources.files(PACKAGE) / "recordings").iterdir()
        if entry.name.endswith(".zip")
    )
    return tuple(sorted(names, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST)))


def check_shipped(profile: str) -> None:
    """Raise BadInput if no recording of a profile ships."""
    if profile not in shipped_profiles():
        names = ", ".join(shipped_profiles())
        raise BadInput(f"--profile {profile}: no recording of it ships; there are {names}. Or give a run: --run RUN")


def unpack(profile: str, folder: Path) -> Path:
    """Unpack a profile's recording within ``folder``, and return its run folder. Blocks. Raises BadInput."""
    check_shipped(profile)
    run = folder / profile
    data = (resources.files(PACKAGE) / "recordings" / f"{profile}.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        for entry in packed.infolist():
            path = PurePosixPath(entry.filename)
            secure_files.make_folder(run / path.parent)
            content = packed.read(entry)
            if path.suffix == ".webp":
                picture = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
                rgb = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), np.uint8)
                secure_files.write_bytes(run / path.with_suffix(".png"), encode_png(rgb))
            else:
                secure_files.write_bytes(run / path, content)
    return run


def pack(run: RunFolder, tasks: Sequence[str], target: Path) -> None:
    """Write the recording of a run's tasks; of all tasks if none is named. Blocks. Raises BadInput, StoreError."""
    episodes = [
        name for name, scan in run.journals.items() if not tasks or any(name.startswith(f"{task}-") for task in tasks)
    ]
    contents = {
        parse_content_id(content).source
        for call in recorded_calls(run)
        if call.episode in episodes
        for content in shown_ids(call.call.request)
    }
    if not contents:
        raise BadInput(f"{run.path}: no call of these tasks shows a picture")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, content in _files(run, episodes, sorted(contents)):
            packed.writestr(zipfile.ZipInfo(name, _MOMENT), content, zipfile.ZIP_DEFLATED, 9)


def _files(run: RunFolder, episodes: Sequence[str], screens: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    run_yaml = run.asked
    models = {
        role: {name: model.get(name) for name in _OF_MODELS} for role, model in (run_yaml.get("models") or {}).items()
    }
    yield _RUN_FILE, yaml.safe_dump({**{name: run_yaml.get(name) for name in _OF_RUNS}, "models": models}).encode()
    for episode in episodes:
        for path in sorted((run.path / "episodes" / episode).glob("*.mh")):
            yield f"episodes/{episode}/{path.name}", run.cipher.decrypt_frames(path.read_bytes())
    for screen in screens:
        png = run.screen_png(screen)
        if png is None:
            raise BadInput(f"{run.path}: screens/{screen}.png is missing")
        buffer = io.BytesIO()
        with Image.open(io.BytesIO(png)) as picture:
            picture.convert("RGB").save(buffer, "WEBP", lossless=True, quality=80, method=4)
        yield f"screens/{screen}.webp", buffer.getvalue()


def main() -> None:
    """Pack the run that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--task", action="append", default=[], help="only this task; repeatable")
    arguments = parser.parse_args()
    run = RunFolder(arguments.run)
    target = Path(__file__).resolve().parent / "recordings" / f"{run.asked.get('profile')}.zip"
    secure_files.make_folder(target.parent)
    pack(run, arguments.task, target)
    sys.stdout.write(f"{target}: {target.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
