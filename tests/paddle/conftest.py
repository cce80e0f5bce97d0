"""One PaddleOCR for the session, with folders made of RapidOCR's models, where nothing can be downloaded."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import rapidocr

from manyhands.actors.perception.text.paddle import PaddleTextSettings
from tests.paddle.folders import make_folders

# Read when PaddleX is imported, which else asks the hosts of models whether they are there.
os.environ["PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK"] = "True"


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PaddleTextSettings]:
    """With folders that were made here; opening a connection is an error while they are used."""

    def forbidden(*_: object) -> None:
        raise AssertionError("the text reader opened a connection")

    detector, recognizer = make_folders(Path(rapidocr.__file__).parent / "models", tmp_path_factory.mktemp("models"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", forbidden)
        patch.setattr(socket, "getaddrinfo", forbidden)
        yield PaddleTextSettings(
            det_model_dir=detector,
            rec_model_dir=recognizer,
            engine="onnxruntime",
            engine_config={"intra_op_num_threads": 1},
        )
