"""Which engines the settings name, and what is said where one is missing."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path
from typing import Literal

import pytest

from manyhands.actors.perception.batching import BatchSettings
from manyhands.actors.perception.icons.combined import CombinedIconFinder
from manyhands.actors.perception.icons.edges import EdgeIconFinder
from manyhands.actors.perception.icons.icon_namer import NameSettings
from manyhands.actors.perception.icons.ultralytics import UltralyticsIconSettings
from manyhands.actors.perception.icons.yolo import YoloIconFinder
from manyhands.actors.perception.local_backends import LocalBackends, local_backends
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.actors.perception.text.rapid import RapidTextSettings
from manyhands.actors.perception.text.reader import LineSettings
from manyhands.actors.perception.text.signs import SignSettings
from manyhands.protocol.errors import PerceptionError
from tests.actors.perception.pictures import sample


def test_the_default_needs_nothing_but_the_base_and_reads() -> None:
    backends = local_backends(PerceptionSettings())
    assert isinstance(backends.icons, CombinedIconFinder)
    assert [text.content for text in backends.text.read(sample("Battery"))] == ["Battery"]


@pytest.mark.parametrize(("name", "kind"), [("edges", EdgeIconFinder), ("detector", YoloIconFinder)])
def test_one_finder_of_icons_does_without_the_other(name: Literal["edges", "detector"], kind: type) -> None:
    assert isinstance(local_backends(PerceptionSettings(icon_finder=name)).icons, kind)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (PerceptionSettings(text_engine="paddle"), "local model folder"),
        (
            PerceptionSettings(icons=UltralyticsIconSettings(weights=Path("none.onnx"))),
            "no icon weights at none.onnx",
        ),
        (PerceptionSettings(names=NameSettings(weights=Path("none.onnx"))), "none.onnx"),
    ],
)
def test_an_engine_that_cannot_be_made_says_what_is_missing(settings: PerceptionSettings, message: str) -> None:
    with pytest.raises(PerceptionError, match=message):
        local_backends(settings)
    with pytest.raises(PerceptionError, match=message):
        LocalBackends()(settings)


def test_what_cannot_be_made_leaves_no_thread_behind() -> None:
    lines = LineSettings(signs=SignSettings(weights=Path("none.onnx")))
    settings = PerceptionSettings(text=RapidTextSettings(lines=lines), recognition=BatchSettings(size=4))
    before = set(threading.enumerate())
    with pytest.raises(PerceptionError, match="make train-signs"):
        LocalBackends()(settings)
    assert set(threading.enumerate()) <= before


def test_workers_share_a_network_where_batches_pay_and_nothing_where_they_do_not() -> None:
    shared = pickle.loads(pickle.dumps(LocalBackends()))
    one, other = (shared(PerceptionSettings(recognition=BatchSettings(size=4))) for _ in range(2))
    try:
        assert one.text is not other.text
        assert one.batcher is other.batcher
        assert one.batcher is not None
        for backends in (one, other):
            assert [text.content for text in backends.text.read(sample("Shared"))] == ["Shared"]
        assert one.batcher.counts().sizes == {1: 2}
    finally:
        if one.batcher is not None:
            one.batcher.close()
    assert LocalBackends()(PerceptionSettings(recognition=BatchSettings(size=1))).batcher is None
