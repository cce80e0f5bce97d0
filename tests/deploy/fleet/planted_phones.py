"""Virtual phones of a process of their own, with planted content, connected to an adb server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import adbutils

from manyhands.simulator.phone.content.planted import write_planted


@contextmanager
def planted_phones(
    server: adbutils.AdbClient, planted: Mapping[int, Any], count: int, folder: Path
) -> Iterator[Sequence[str]]:
    """Yield their serials. ``planted``: by the seed of a reset; ``folder``: where the file of it is written."""
    write_planted(planted, folder / "planted.json")
    command = [sys.executable, "-m", "manyhands.simulator.fleet", "--phones", str(count), "--size", "720x1600"]
    options = ["--planted", folder / "planted.json", "--json", "--until-stdin-closes"]
    with subprocess.Popen([*command, *map(str, options)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as phones:
        assert phones.stdout is not None
        assert phones.stdin is not None
        serials = [f"127.0.0.1:{port}" for port in json.loads(phones.stdout.readline())["ports"]]
        for serial in serials:
            assert "connected to" in server.connect(serial, timeout=10)
        yield serials
        for serial in serials:
            server.disconnect(serial)
        phones.stdin.close()
        phones.wait(20)
