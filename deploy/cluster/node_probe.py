"""Run on a node and report on it, even if manyhands is missing there or has another version."""

from __future__ import annotations

from typing import Any


def probe_class() -> type[Any]:
    """Return the class of the probe; each node gets one instance.

    The class is made inside a function, so Ray sends its code. A class at module level would be imported on the node,
    where the module may differ.
    """

    class Probe:
        def clock(self) -> float:
            """Return this machine's time."""
            import time

            return time.time()

        def look(
            self, urls: tuple[str, ...], variables: tuple[str, ...], files: tuple[str, ...], limit_s: float
        ) -> dict[str, Any]:
            """Return the fields of Facts. The URLs are asked in parallel and have ``limit_s`` seconds in total."""
            import os
            import platform

            try:
                from manyhands.protocol import PROTOCOL_VERSION
            except ImportError:
                protocol = None
            else:
                protocol = PROTOCOL_VERSION
            reasons = self._all_unreached(urls, limit_s)
            return {
                "manyhands": self._version("manyhands"),
                "protocol": protocol,
                "python": platform.python_version(),
                "ray": self._version("ray"),
                "lacking": self.lacking("fleet"),
                "files": self._checksums(files),
                "variables": tuple(name for name in variables if os.environ.get(name)),
                "unreached": {url: reason for url, reason in reasons.items() if reason},
            }

        def _all_unreached(self, urls: tuple[str, ...], limit_s: float) -> dict[str, str]:
            """Return for each URL why it does not answer.

            Nobody waits for URLs that answer too late, not even the exit of the process.
            """
            from concurrent.futures import Future, wait
            from threading import Thread

            answers: dict[str, Future[str]] = {url: Future() for url in urls}

            def ask(url: str) -> None:
                answers[url].set_result(self.unreached(url, limit_s))

            for url in answers:
                Thread(target=ask, args=(url,), daemon=True).start()
            ready, _ = wait(answers.values(), timeout=limit_s)
            return {url: answer.result() if answer in ready else "timed out" for url, answer in answers.items()}

        def unreached(self, url: str, limit_s: float) -> str:
            """Return why the server does not answer; empty if it gave any answer.

            ``limit_s`` holds for each address of the host, and for each part of the answer.
            """
            import urllib.error
            import urllib.request

            try:
                urllib.request.urlopen(f"{url}/models", timeout=limit_s).close()
            except urllib.error.HTTPError:
                return ""
            except (OSError, ValueError) as error:
                reason = getattr(error, "reason", error)
                return str(getattr(reason, "strerror", None) or reason)
            except Exception as error:  # noqa: BLE001 - it answers, but not in HTTP; that is the reason to report
                return type(error).__name__
            return ""

        def lacking(self, extra: str) -> tuple[str, ...]:
            """Return the packages that manyhands with this extra requires and that are not installed."""
            import re
            from importlib import metadata

            try:
                required = metadata.requires("manyhands") or []
            except metadata.PackageNotFoundError:
                return ()
            missing = []
            for one in required:
                name = re.match(r"[\w.-]+", one)
                is_needed = re.search(rf"extra == ['\"]{extra}['\"]", one) or "extra ==" not in one
                if name is not None and is_needed and self._version(name[0]) is None:
                    missing.append(name[0])
            return tuple(missing)

        def _version(self, package: str) -> str | None:
            from importlib import metadata

            try:
                return metadata.version(package)
            except metadata.PackageNotFoundError:
                return None

        def _checksums(self, files: tuple[str, ...]) -> dict[str, str]:
            import hashlib
            import importlib.util
            from pathlib import Path

            spec = importlib.util.find_spec("manyhands")
            package = Path(spec.origin).parent if spec is not None and spec.origin else Path("/nowhere")
            checksums = {}
            for file in files:
                path = package / Path(file).expanduser()
                if path.is_dir():
                    checksums[file] = ""
                elif path.is_file():
                    with path.open("rb") as opened:
                        checksums[file] = hashlib.file_digest(opened, "sha256").hexdigest()
            return checksums

    return Probe
