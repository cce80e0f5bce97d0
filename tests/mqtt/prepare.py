"""``python -m tests.mqtt.prepare``: sees to the mosquitto that the tests of tests/mqtt start."""

from __future__ import annotations

import sys

from tests.installing import see_to

if __name__ == "__main__":
    sys.exit(see_to({"mosquitto": "mosquitto", "openssl": "openssl"}))
