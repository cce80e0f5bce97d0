"""Perceive screens: turn pixels into elements by text readers and icon finders, behind one service.

``service``, ``settings``, ``counts``      the service, its backends and its figures
``reading``, ``backends``, ``arrangement``  a picture's texts and icons, and the lines that they form
``text``, ``icons``, ``grounding``         texts; icons; places that a description names
``rows``, ``page_matching``, ``page_cache``  read only what no earlier picture has
``screen_state``, ``keyboard``, ``dialog``  the phone's state from pixels
``view_tree``, ``appearance``              elements of the phone's own views; how icons look
``onnx``, ``batching``                     networks in onnxruntime, shared between readers in batches
"""

import os

# onnxruntime reports to its maker unless this is set before its first import.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
