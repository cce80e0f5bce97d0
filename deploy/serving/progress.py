"""Print what ``mllm`` shows while servers start and run: text for people, JSON for programs."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn

from manyhands.deploy.command_line.output import say_json, text_console
from manyhands.deploy.serving.launch import Launch, check_lines, description, launch_json, remarks, run_line
from manyhands.deploy.serving.supervisor import ServerEvent

_REPORT_EVERY_S = 30.0
_LONGEST_DETAIL = 100


class TextProgress:
    """Show progress while servers load, then their addresses, then what happens to them."""

    def __init__(self, launch: Launch, logs: Path) -> None:
        self._launch = launch
        self._logs = logs
        self._console = text_console(stderr=True)
        self._progress = Progress(
            SpinnerColumn(), TextColumn("{task.description}", markup=False), console=self._console, transient=True
        )
        self._bars: dict[str, TaskID] = {}
        self._reported_s: dict[str, float] = {}
        self._ready: set[str] = set()
        self._announced = False

    def __enter__(self) -> Self:
        """Show what will be started."""
        for line in (*description(self._launch.plan), *remarks(self._launch.site)):
            self._print_line(line)
        self._print_line(f"logs: {self._logs}")
        if self._console.is_terminal:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Show that all servers have been stopped."""
        self._progress.stop()
        self._print_line("all servers have been stopped")

    def show(self, event: ServerEvent) -> None:
        """Show an event of a server."""
        if event.kind == "loading":
            self._loading(event)
            return
        self._hide(event.server)
        if event.kind == "starting":
            self._reported_s[event.server] = 0.0
            self._print_line(f"{event.server}: started (pid {event.pid}), loading")
        elif event.kind == "died":
            self._ready.discard(event.server)
            self._print_line(f"{event.server} (pid {event.pid}) {event.detail}")
        else:
            self._ready.add(event.server)
            self._print_line(f"{event.server}: ready after {event.seconds:.0f} s at {event.url}")
            self._announce()

    def _announce(self) -> None:
        if self._announced or len(self._ready) < len(self._launch.commands):
            return
        self._announced = True
        for url in self._launch.urls:
            text_console().print(url, markup=False, soft_wrap=True)
        self._print_line(f"Ctrl-C stops them all. Now: {run_line(self._launch)}")
        for line in check_lines(self._launch):
            self._print_line(line)

    def _loading(self, event: ServerEvent) -> None:
        text = f"{event.server}: loading, {event.seconds:.0f} s: {event.detail[:_LONGEST_DETAIL]}"
        if self._console.is_terminal:
            if event.server not in self._bars:
                self._bars[event.server] = self._progress.add_task(text, total=None)
            self._progress.update(self._bars[event.server], description=text)
        elif event.seconds - self._reported_s.get(event.server, 0.0) >= _REPORT_EVERY_S:
            self._reported_s[event.server] = event.seconds
            self._print_line(text)

    def _hide(self, server: str) -> None:
        bar = self._bars.pop(server, None)
        if bar is not None:
            self._progress.remove_task(bar)

    def _print_line(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)


class JsonProgress:
    """Print one JSON value a line: ``launch`` first, each event of a server, ``serving`` when all are ready."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._ready: set[str] = set()
        self._announced = False

    def __enter__(self) -> Self:
        """Print what will be started."""
        say_json({"event": "launch", **launch_json(self._launch)})
        return self

    def __exit__(self, *_: object) -> None:
        """Print that all servers have been stopped."""
        say_json({"event": "stopped"})

    def show(self, event: ServerEvent) -> None:
        """Print an event of a server."""
        if event.kind == "loading":
            return
        say_json(
            {
                "event": event.kind,
                "server": event.server,
                "url": event.url,
                "pid": event.pid,
                "seconds": round(event.seconds, 1),
                "detail": event.detail,
            }
        )
        (self._ready.add if event.kind == "ready" else self._ready.discard)(event.server)
        if not self._announced and len(self._ready) == len(self._launch.commands):
            self._announced = True
            say_json({"event": "serving", "urls": list(self._launch.urls), "run": run_line(self._launch)})
