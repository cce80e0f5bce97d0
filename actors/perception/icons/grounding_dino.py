"""Find icons by Grounding DINO, the papers' detector. transformers runs it from a local folder.

No other module imports transformers and torch. Both are an extra (``manyhands[grounding_dino]``) and are imported when
a finder is made. The folder is one that ``save_pretrained`` writes: ``config.json``, ``model.safetensors``,
``processor_config.json`` or ``preprocessor_config.json``, and the tokenizer's files. Nothing is downloaded.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from manyhands.actors.frames import Rgb
from manyhands.actors.perception.icons.yolo import STRIDE, Letterbox, decode, select_icons, to_elements
from manyhands.protocol.base import Input
from manyhands.protocol.errors import PerceptionError
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element

OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
"""transformers reads these at its import. Without them, transformers would request what a folder lacks from
a server."""
KINDS = ("grounding-dino", "mm-grounding-dino")
"""Values of ``model_type`` in config.json of the supported networks. Their inputs and outputs are equal."""
FOLDER_NEEDED = "set perception.grounding_dino.folder to a folder of Grounding DINO's weights; nothing is downloaded"


class GroundingDinoIconSettings(Input):
    """Configure Grounding DINO. ``words`` and ``box_threshold`` are those in the code of Mobile-Agent-v2 and E."""

    folder: Path | None = None
    """The weights, as ``save_pretrained`` of transformers writes them."""
    words: str = Field(default="icon", max_length=400)
    """What to look for, such as ``icon . button``: in the network's form, with points between the things."""
    box_threshold: float = Field(default=0.05, gt=0, lt=1)
    """A place is an icon if the probability of its likeliest word is at least this."""
    overlap: float = Field(default=0.5, gt=0, lt=1)
    """Two findings are one from this intersection over union on."""
    limit: int = Field(default=60, ge=1, le=1000)
    """The most icons of a screen. The surest stay."""
    device: str = Field(default="cpu", pattern=r"^(cpu|mps|cuda(:\d+)?)$")
    """The device, by PyTorch's name."""

    @field_validator("words")
    @classmethod
    def _name_something(cls, words: str) -> str:
        if not words.strip(" ."):
            raise ValueError("name what is to be found, such as 'icon . button'")
        return words

    @property
    def caption(self) -> str:
        """Return the words in the form of the network's training: small letters, and a point after each thing."""
        return f"{self.words.lower().strip(' .')} ."


class GroundingDinoIconFinder:
    """Implements IconFinder. One instance belongs to one thread at a time."""

    def __init__(self, settings: GroundingDinoIconSettings) -> None:
        """Load the weights. Raises PerceptionError without transformers, or if the folder cannot be used."""
        self._settings = settings
        folder = _weights_folder(settings)
        for name, value in OFFLINE.items():
            os.environ.setdefault(name, value)
        try:
            import torch
            import transformers
        except ImportError as error:
            raise PerceptionError(
                f"the icon engine 'grounding_dino' is not installed ({error}): "
                "pip install 'manyhands[grounding_dino]' in an environment of its own (docs/perception.md)"
            ) from error
        self._torch = torch
        transformers.utils.logging.disable_progress_bar()
        try:
            self._processor, self._model = _load(transformers, folder, settings.device)
            _check_words(self._processor.tokenizer, settings)
            self.detect(np.zeros((STRIDE, STRIDE, 3), np.uint8))  # fails here if the device or the words cannot be used
        except PerceptionError:
            raise
        except Exception as error:  # the loaders raise many types
            raise PerceptionError(
                f"grounding_dino.folder {folder} cannot be used on {settings.device}: {type(error).__name__}: {error}"
            ) from error

    def find(self, rgb: Rgb, texts: Sequence[Element]) -> list[Element]:
        """Find icons that are not among ``texts``, the surest first, with empty contents."""
        size = Size(width=rgb.shape[1], height=rgb.shape[0])
        return select_icons(self.detect(rgb), texts, size, self._settings.limit)

    def detect(self, rgb: Rgb) -> list[Element]:
        """Find icons whatever the texts, the surest first, one for each place."""
        size = Size(width=rgb.shape[1], height=rgb.shape[0])
        corners, confidences = decode(self._answer(rgb), self._settings.box_threshold, self._settings.overlap)
        unscaled = Letterbox(picture=size, seen=size, scale=1.0, left=0, top=0)
        return to_elements(unscaled, corners, confidences)

    def _answer(self, rgb: Rgb) -> NDArray[np.float32]:
        """Return (5, places): centre x and y, width and height in pixels of ``rgb``, and a probability.

        The probability is that of the likeliest word.
        """
        tensors = self._processor(
            images=[np.ascontiguousarray(rgb)], text=[self._settings.caption], return_tensors="pt"
        )
        with self._torch.inference_mode():
            output = self._model(**tensors.to(self._settings.device))
        height, width = rgb.shape[:2]
        boxes: NDArray[np.float32] = output.pred_boxes[0].cpu().numpy() * np.array([width, height] * 2, np.float32)
        likely: NDArray[np.float32] = output.logits[0].sigmoid().amax(dim=-1).cpu().numpy()
        return np.concatenate([boxes.T, likely[None]]).astype(np.float32)


def _weights_folder(settings: GroundingDinoIconSettings) -> Path:
    """Return the folder that ``settings`` name. Raises PerceptionError if it does not exist.

    transformers would take a path that does not exist for a model's name.
    """
    if settings.folder is None:
        raise PerceptionError(f"the icon engine 'grounding_dino' has no weights: {FOLDER_NEEDED}")
    if not (settings.folder / "config.json").is_file():
        raise PerceptionError(f"there is no config.json in grounding_dino.folder {settings.folder}: {FOLDER_NEEDED}")
    return settings.folder


def _load(transformers: Any, folder: Path, device: str) -> tuple[Any, Any]:
    """Return the processor and the network, ready for use.

    Raises PerceptionError for another network, and for missing weights, which transformers would fill with random
    numbers.
    """
    here: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    kind = transformers.AutoConfig.from_pretrained(folder, **here).model_type
    if kind not in KINDS:
        raise PerceptionError(f"grounding_dino.folder {folder} holds a network {kind!r}, none of {', '.join(KINDS)}")
    processor = transformers.AutoProcessor.from_pretrained(folder, **here)
    loader = transformers.AutoModelForZeroShotObjectDetection
    model, loading_info = loader.from_pretrained(folder, output_loading_info=True, **here)
    if missing := sorted(loading_info["missing_keys"]):
        raise PerceptionError(
            f"grounding_dino.folder {folder} lacks {len(missing)} of the network's weights, such as {missing[0]}"
        )
    return processor, model.float().to(device).eval()


def _check_words(tokenizer: Any, settings: GroundingDinoIconSettings) -> None:
    """Raise PerceptionError if the tokenizer does not know the words.

    If a folder lacks the tokenizer's file, transformers makes a tokenizer that knows no words.
    """
    if tokenizer.unk_token_id in tokenizer(settings.caption)["input_ids"]:
        raise PerceptionError(
            f"the tokenizer in grounding_dino.folder {settings.folder} does not know all of {settings.caption!r}: "
            "change grounding_dino.words, or add tokenizer.json or vocab.txt where the folder has neither"
        )
