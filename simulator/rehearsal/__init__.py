"""Provide the rehearsed model: an OpenAI-compatible server that stands in for Qwen-VL where there is no GPU.

The model has rehearsed the goals of a suite. For each goal it knows what a good agent wants next on a screen that shows
certain texts. It takes all else from the request. Decisions come from the text of the prompt alone. Plans, verdicts and
notes come from the images, which the model reads with its own OCR. It knows nothing of phones.
"""

from manyhands.simulator.rehearsal.server import RehearsalServer, rehearse
from manyhands.simulator.rehearsal.settings import RehearsalSettings

__all__ = ["RehearsalServer", "RehearsalSettings", "rehearse"]
