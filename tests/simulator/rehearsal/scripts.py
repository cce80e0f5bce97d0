"""The rehearsed model's own scripts, read once by each process: reading them takes a second."""

from __future__ import annotations

from manyhands.simulator.rehearsal.script import load_scripts

SCRIPTS = load_scripts()
