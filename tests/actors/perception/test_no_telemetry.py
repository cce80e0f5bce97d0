"""onnxruntime reports to its maker unless it is told not to: whoever runs a fleet has not asked for that."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

OPENS_A_NETWORK = """
from pathlib import Path
import manyhands.actors.perception.icons as icons
from manyhands.actors.perception.onnx import open_network
open_network(Path(icons.__file__).parent / "weights" / "names.onnx", 1)
"""
READS_A_TEXT = """
from manyhands.actors.perception.text.rapid import RapidRecognizer, RapidTextSettings, rapid_detector
rapid_detector(RapidTextSettings())
RapidRecognizer(RapidTextSettings())
"""


def files_left_by(program: str, temporary: Path) -> list[str]:
    """What a new process leaves in its folder for temporary files: onnxruntime keeps the session's id there."""
    kept = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environment = {**kept, "TMPDIR": str(temporary)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=60)
    return sorted(path.name for path in temporary.iterdir())


def test_opening_a_network_begins_no_session_of_telemetry(tmp_path: Path) -> None:
    assert files_left_by(OPENS_A_NETWORK, tmp_path) == []


def test_the_text_reader_begins_no_session_of_telemetry(tmp_path: Path) -> None:
    assert files_left_by(READS_A_TEXT, tmp_path) == []
