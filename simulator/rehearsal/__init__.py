"""The rehearsed model: an OpenAI-compatible server that stands in for Qwen-VL where there is no GPU.

It has rehearsed the goals of a suite: by goal it knows what a good agent wants next, in terms of what is
visible. Everything else it takes from the request: decisions from the prompt's text alone, plans, verdicts and
notes from the images, which it reads with OCR of its own. It knows nothing of phones.
"""

from manyhands.simulator.rehearsal.server import RehearsalServer, rehearse
from manyhands.simulator.rehearsal.settings import RehearsalSettings

__all__ = ["RehearsalServer", "RehearsalSettings", "rehearse"]
