"""Readers are counted where the service runs."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest

from manyhands.deploy.settings.loading import load_settings

ACTOR = """
import asyncio, os, pickle, sys
from manyhands.actors.perception.service import PerceptionService

os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
settings = pickle.load(sys.stdin.buffer)
print(asyncio.run(PerceptionService(settings).counts()).workers)
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not say who may use which core")
def test_the_cores_of_the_machine_that_reads_are_counted_not_the_drivers() -> None:
    settings = load_settings({}).perception_settings(None)
    done = subprocess.run([sys.executable, "-c", ACTOR], input=pickle.dumps(settings), capture_output=True, check=True)
    assert done.stdout == b"1\n"
    assert settings.readers() == min(4, len(os.sched_getaffinity(0)))
