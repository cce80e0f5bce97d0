"""What is said where Grounding DINO cannot be made; tests/dino runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from manyhands.actors.perception.icons.edges import EdgeIconFinder
from manyhands.actors.perception.icons.grounding_dino import GroundingDinoIconFinder, GroundingDinoIconSettings
from manyhands.actors.perception.local_backends import local_backends
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadInput, PerceptionError


def test_an_engine_without_a_folder_is_bad_input_that_says_what_to_set() -> None:
    with pytest.raises(BadInput, match=r"set perception\.grounding_dino\.folder to a folder .* nothing is downloaded"):
        load_settings({"perception": {"icon_engine": "grounding_dino"}})


def test_edges_alone_need_no_folder_whatever_the_engine() -> None:
    settings = PerceptionSettings(icon_finder="edges", icon_engine="grounding_dino")
    assert isinstance(local_backends(settings).icons, EdgeIconFinder)


@pytest.mark.parametrize("finder", ["detector", "both"])
def test_a_folder_that_holds_no_weights_is_named(finder: str, tmp_path: Path) -> None:
    chosen = {"icon_finder": finder, "icon_engine": "grounding_dino", "grounding_dino": {"folder": tmp_path / "none"}}
    settings = PerceptionSettings.model_validate(chosen)
    with pytest.raises(PerceptionError, match=rf"no config\.json in grounding_dino\.folder {tmp_path}/none: set "):
        local_backends(settings)


def test_transformers_is_optional_and_the_refusal_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    with pytest.raises(
        PerceptionError, match=r"pip install 'manyhands\[grounding_dino\]' in an environment of its own"
    ):
        GroundingDinoIconFinder(GroundingDinoIconSettings(folder=tmp_path))


@pytest.mark.parametrize("words", ["icon . button", "Icon. Button.", " icon . button ."])
def test_words_become_the_form_that_the_network_knows(words: str) -> None:
    caption = GroundingDinoIconSettings(words=words).caption
    assert [word.strip() for word in caption.split(".")] == ["icon", "button", ""]
    assert caption == caption.lower()


@pytest.mark.parametrize("words", ["", " . "])
def test_words_that_name_nothing_are_refused(words: str) -> None:
    with pytest.raises(ValidationError, match="name what is to be found"):
        GroundingDinoIconSettings(words=words)
