"""What the Grafana dashboard asks of gateways, phones and links is in a live scrape, with the labels it is asked by.

Its other metrics are held against the scrape of a run's parts in tests/deploy/telemetry/metrics/test_metrics.py.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import adbutils
import pytest

from manyhands.deploy.telemetry.metrics_endpoint import RunMetrics
from manyhands.simulator.fleet import VirtualFleet
from tests.deploy.telemetry.metrics.scraping import parsed, scraped
from tests.mqtt.conftest import StartBroker
from tests.mqtt.gateway_process import GatewayProcess, asking
from tests.simulator.connecting import connect, disconnect
from tests.simulator.plain_device import PlainDevice

ROOT = Path(__file__).parents[2]
DASHBOARD = ROOT / "deploy/telemetry/grafana.json"
OURS = ("manyhands_link_", "manyhands_site_")
_METRIC = re.compile(r"(manyhands_\w+)(?:\{([^}]*)\})?")
_BY = re.compile(r"by \(([^)]*)\) \((?:[^()]*\()?(manyhands_\w+)")
"""A metric with the labels that it is summed by."""


def dashboard() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    return value


def targets() -> list[Mapping[str, str]]:
    return [target for panel in dashboard()["panels"] for target in panel.get("targets", ())]


def asked() -> Mapping[str, set[str]]:
    """The metrics of the dashboard, with the labels by which they are chosen, summed or named."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for target in targets():
        expression, shown = target["expr"], re.findall(r"\{\{(\w+)\}\}", target.get("legendFormat", ""))
        for name, chosen in _METRIC.findall(expression):
            found[name] |= {re.split("[=!~]", one)[0].strip() for one in chosen.split(",") if one} | set(shown)
        for labels, name in _BY.findall(expression):
            found[name] |= {label.strip() for label in labels.split(",")}
    return found


async def test_what_it_asks_of_gateways_phones_and_links_is_there_while_they_work(
    start_broker: StartBroker, adb_server: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real gateway beside a virtual phone is scraped, and a run's end of the link to it, over a real broker."""
    site = GatewayProcess(start_broker(tls=True), adb_server[1], tmp_path, options=("--metrics-port", "0"))
    async with shelf(adb_server) as serial:
        await site.start()
        try:
            async with asking(site.broker, monkeypatch) as gateway, RunMetrics("127.0.0.1", 0) as run:
                run.add("cluster", gateway.counts)
                await gateway.size(f"A/{serial}")
                pages = [await scraped(run.url), await scraped(site.ready["metrics"])]
        finally:
            await site.kill()
    there: defaultdict[str, set[str]] = defaultdict(set)
    ends = set[str]()
    for name, labels in chain.from_iterable(map(parsed, pages)):
        there[name] |= {label for label, _ in labels}
        ends |= {text for label, text in labels if label == "end"}
    assert ends == {"A", "cluster"}
    ours = {name: labels for name, labels in asked().items() if name.startswith(OURS)}
    assert len(ours) > 12
    assert set(ours) <= set(there)
    assert {name: labels for name, labels in ours.items() if not labels <= there[name]} == {}


@asynccontextmanager
async def shelf(adb_server: tuple[str, int]) -> AsyncIterator[str]:
    """One plain device at the adb server; its serial."""
    client = adbutils.AdbClient(*adb_server)
    async with VirtualFleet(1, PlainDevice) as phones:
        await connect(phones, client)
        yield phones.serials[0]
        await disconnect(phones, client)


def test_it_shows_all_that_is_told_of_gateways_phones_and_links() -> None:
    documented = re.findall(
        r"^\| `(manyhands_(?:link|site)_\w+)`", (ROOT / "docs/monitoring.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert set(documented) <= set(asked())
