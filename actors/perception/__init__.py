"""From pixels to elements: text readers, icon finders and the service in front of them."""

import os

# onnxruntime reports to its maker unless this is set before it is first imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
