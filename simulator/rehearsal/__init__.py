"""Provide the rehearsed model: an OpenAI-compatible server that stands in for Qwen-VL where there is no GPU.

It has rehearsed the goals of a suite. For each goal it knows what a good agent wants next, described by what is
visible. It takes all else from the request: decisions from the text of the prompt alone; plans, verdicts and notes
from the images, which it reads with its own OCR. It knows nothing of phones.
"""

from manyhands.simulator.rehearsal.server import RehearsalServer, rehearse
from manyhands.simulator.rehearsal.settings import RehearsalSettings

__all__ = ["RehearsalServer", "RehearsalSettings", "rehearse"]
