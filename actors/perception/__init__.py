"""Perceive screens: turn pixels into elements by text readers and icon finders, behind one service."""

import os

# onnxruntime reports to its maker unless this is set before its first import.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
