"""A few seconds of `bench broker`: all that is asked of real gateways over a real broker is answered."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def test_all_is_answered(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "manyhands", "bench", "broker", "--minutes", "0.05", "--json"]
    given = {"--phones": 20, "--sites": 2, "--commands": 10, "--pictures": 5, "--out": tmp_path}
    words += [str(word) for pair in given.items() for word in pair]
    done = subprocess.run(words, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["commands"]["count"], said["pictures"]["count"]) == (30, 15)
    assert (said["failed"], said["malformed"]) == (0, 0)
    assert said["bytes_in"] > 15 * 257_000
    assert said["states_told"] > 0
    assert 0 < said["broker"]["cores"] < 2
    assert said["gateways"]["rss_mb_last"] > 50
