"""Install the app under test on one phone, and prepare it for a task.

Files go through adbutils' sync, in a thread, and one install session takes them all: a split app is several files. What
a phone has is remembered by the files' digests and by what the phone says of the package, so that it gets the same
files once.
"""

from __future__ import annotations

import asyncio
import logging
import re
from pathlib import Path

from manyhands.actors.phones.adb.server import AdbServer
from manyhands.actors.phones.adb.shell import Ask, ShellResult, command_line
from manyhands.actors.phones.adb.value_store import ValueStore
from manyhands.protocol.errors import ManyhandsError, SetupRefused
from manyhands.protocol.tasks.build import Build
from manyhands.protocol.tasks.build_files import digest_file

INSTALLED, UNINSTALL = "installed:", "uninstall:"
"""The beginnings of names in the ValueStore; a package follows. ``UNINSTALL``: the app goes when the phone is given
back."""
PUSH_S = 240.0
"""The time limit for sending the files to the phone."""
COMMAND_S = 240.0
"""The time limit of a command: a phone may check the app, compile it, or ask a person."""
_FOLDER = "/data/local/tmp"
_REMOVE = f"rm -f {_FOLDER}/manyhands-*.apk"
_log = logging.getLogger(__name__)
_SESSION = re.compile(r"\[(\d+)\]")
NO_SPACE = "INSTALL_FAILED_INSUFFICIENT_STORAGE"
_NO_SPACE = re.compile(r"not enough space|allocatable")
"""What a session prints on a full phone, without the name of the failure."""
_FAILURE = re.compile(r"Failure \[([A-Z0-9_]+)")
REASONS = {
    "INSTALL_FAILED_VERSION_DOWNGRADE": "a newer version is installed; uninstall it first",
    "INSTALL_FAILED_UPDATE_INCOMPATIBLE": "the installed app has another signature; uninstall it first",
    NO_SPACE: "its storage is full",
    "INSTALL_FAILED_USER_RESTRICTED": "it forbids that; turn on 'Install via USB' in the developer options",
    "INSTALL_FAILED_OLDER_SDK": "its Android is older than the app allows",
    "INSTALL_FAILED_NO_MATCHING_ABIS": "the app has no code for its processor",
    "INSTALL_FAILED_TEST_ONLY": "the app is only for tests",
    "INSTALL_FAILED_MISSING_SPLIT": "a part of the split app is missing: name all its files",
    "INSTALL_PARSE_FAILED_NOT_APK": "a file is no APK",
    "INSTALL_PARSE_FAILED_NO_CERTIFICATES": "a file is not signed",
}
"""What people can do, by the name of the failure that the phone prints."""


class Installation:
    """Install and prepare apps on one phone. Calls may raise SetupRefused, PhoneLost, StoreError."""

    def __init__(self, serial: str, server: AdbServer, ask: Ask, values: ValueStore) -> None:
        """``ask`` runs a line on the phone that changes nothing."""
        self._serial = serial
        self._server = server
        self._ask = ask
        self._values = values

    async def prepare(self, build: Build) -> None:
        """Install the build's files, if the phone has not got them yet, and prepare the app for a task."""
        stamp = await self._stamp(build.package)
        if build.uninstall_after and not stamp:  # an app that was there before is its owner's
            await self._values.write(self._serial, {UNINSTALL + build.package: "1"})
        if build.install:
            await self._install(build, stamp)
        elif not stamp:
            raise SetupRefused(f"phone {self._serial}: it has no app {build.package}; 'install' names its files")
        commands = [["am", "force-stop", build.package]] if build.stop else []
        commands += [["pm", "clear", build.package]] if build.clear else []
        commands += [["pm", "grant", build.package, permission] for permission in build.grant]
        for command in commands:
            answer = await self._run(command)
            if answer.status != 0 or "Exception" in answer.text + answer.complaint:
                raise SetupRefused(f"phone {self._serial}: {' '.join(command)}: {answer.complaint}")

    async def give_back(self) -> None:
        """Uninstall what was to be uninstalled. What the phone refuses is logged, and tried again next time."""
        for name in await self._values.read(self._serial):
            if name.startswith(UNINSTALL):
                package = name.removeprefix(UNINSTALL)
                answer = await self._run(["pm", "uninstall", package])
                if answer.status != 0 and await self._stamp(package):
                    _log.warning("phone %s: pm uninstall %s: %s", self._serial, package, answer.complaint)
                    continue
                await self._values.write(self._serial, {name: None, INSTALLED + package: None})

    async def _install(self, build: Build, stamp: str) -> None:
        """Install the build's files, unless the phone has them. ``stamp``: what it says of the package now."""
        files_key = " ".join(build.sha256)
        last = (await self._values.read(self._serial)).get(INSTALLED + build.package)
        if stamp and last == f"{files_key} {stamp}":
            return
        files = [Path(file) for file in build.install]
        if not build.sha256 or build.sha256 != await asyncio.to_thread(_digest, files):
            raise SetupRefused(
                f"phone {self._serial}: {', '.join(build.install)}: not the files with which the run began, on the "
                "machine of this phone's gateway; they must have the same paths on all machines"
            )
        places = [f"{_FOLDER}/manyhands-{digest[:16]}.apk" for digest in build.sha256]
        await self._ask(_REMOVE)  # what a killed run has left
        try:
            await self._server.push(self._serial, dict(zip(places, files, strict=True)), PUSH_S)
            await self._run_session(files, places)
        except OSError as error:
            words = f"the phone does not store it; is its storage full? ({error})"
            raise SetupRefused(f"phone {self._serial}: {files[0].name} is not installed: {words}") from error
        finally:
            await self._ask(_REMOVE)
        stamp = await self._stamp(build.package)
        if not stamp:
            raise SetupRefused(f"phone {self._serial}: {', '.join(build.install)}: not the files of {build.package}")
        await self._values.write(self._serial, {INSTALLED + build.package: f"{files_key} {stamp}"})

    async def _run_session(self, files: list[Path], places: list[str]) -> None:
        sizes = [str(file.stat().st_size) for file in files]
        total = str(sum(map(int, sizes)))
        answer = await self._run(["pm", "install-create", "-r", "-t", "-S", total])
        session = _SESSION.search(answer.text)
        if session is None:
            raise self._refusal(files, answer)
        number = session[1]
        try:
            for index, (size, place) in enumerate(zip(sizes, places, strict=True)):
                await self._must(files, ["pm", "install-write", "-S", size, number, f"{index}.apk", place])
            await self._must(files, ["pm", "install-commit", number])
        except ManyhandsError:
            await self._run(["pm", "install-abandon", number])
            raise

    async def _must(self, files: list[Path], command: list[str]) -> None:
        answer = await self._run(command)
        if "Success" not in answer.text:
            raise self._refusal(files, answer)

    async def _run(self, command: list[str]) -> ShellResult:
        """Run a command once. It may wait for a dialog of the phone's maker."""
        return await self._server.shell(self._serial, command_line([command]), COMMAND_S)

    def _refusal(self, files: list[Path], answer: ShellResult) -> SetupRefused:
        failure = _FAILURE.search(f"{answer.text}\n{answer.complaint}")
        code = failure[1] if failure else NO_SPACE if _NO_SPACE.search(answer.complaint) else ""
        words, name = REASONS.get(code, answer.complaint), f" ({code})" if code else ""
        return SetupRefused(f"phone {self._serial}: {files[0].name} is not installed: {words}{name}")

    async def _stamp(self, package: str) -> str:
        """Return what the phone says of an installed package's version and time of installation; empty without it."""
        path = await self._ask(command_line([["pm", "path", package]]))
        if "package:" not in path.text:
            return ""
        facts = await self._ask(f"{command_line([['dumpsys', 'package', package]])} | grep -E 'versionCode|lastUpdate'")
        return " ".join([*path.text.split(), *facts.text.split()])


def _digest(files: list[Path]) -> tuple[str, ...]:
    """Return the digest of each file; empty for one that cannot be read."""
    digests = []
    for file in files:
        try:
            digests.append(digest_file(file))
        except OSError:
            digests.append("")
    return tuple(digests)
