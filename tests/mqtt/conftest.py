"""Brokers for tests: real ones, on free ports, that end with the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.mqtt.broker import Mosquitto

StartBroker = Callable[..., Mosquitto]


@pytest.fixture
def start_broker(tmp_path: Path) -> Iterator[StartBroker]:
    """Start brokers by the arguments of Mosquitto, less the folder: `start_broker(tls=False, sites=["A"])`."""
    with ExitStack() as stack:
        count = iter(range(100))

        def start(**options: Any) -> Mosquitto:
            broker = Mosquitto(tmp_path / f"broker-{next(count)}", **options)
            stack.callback(broker.kill)
            broker.start()
            return broker

        yield start


@pytest.fixture
def mosquitto(start_broker: StartBroker) -> Mosquitto:
    """A broker without TLS, with the sites A and B and the user `cluster`."""
    return start_broker(tls=False)


@pytest.fixture
def mosquitto_tls(start_broker: StartBroker) -> Mosquitto:
    """The same with TLS: passwords on one port, certificates on another."""
    return start_broker(tls=True)
