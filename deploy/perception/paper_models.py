"""List the models with which the papers perceive, what replaces them here, and what can stand in for them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PaperModel:
    """Describe a model of the papers. ``docs/perception.md`` has the same table."""

    model: str
    purpose: str
    """The use of the model, and the profiles whose papers use the model."""
    ours: str
    """What does the model's work here in every profile, even with ``paper_exact``."""
    stand_in: str
    settings: str
    """The settings that choose the stand-in, as in a file of ``--config``."""
    environment: str
    """The environment in which the stand-in runs, and how to install it."""


PAPER_MODELS = (
    PaperModel(
        model="ModelScope's OCR",
        purpose="texts; v1, v2, e",
        ours="RapidOCR's PP-OCR networks",
        stand_in="PaddleOCR from two model folders",
        settings="perception: {text_engine: paddle, paddle: {det_model_dir: DIR, rec_model_dir: DIR}}",
        environment="an environment of its own, manyhands[fleet,paddle]",
    ),
    PaperModel(
        model="GroundingDINO",
        purpose="places of icons; v1, v2, e",
        ours="our detector and edges",
        stand_in="Grounding DINO from a folder, by transformers",
        settings="perception: {icon_finder: detector, icon_engine: grounding_dino, grounding_dino: {folder: DIR}}",
        environment="an environment of its own, manyhands[fleet,grounding_dino]",
    ),
    PaperModel(
        model="Qwen-VL captions",
        purpose="what icons show; v2, e",
        ours="our network's names; with paper_exact a served model's",
        stand_in="any Qwen-VL that you serve",
        settings="episode: {captions: true, caption_all: true}",
        environment="the model server, in runs",
    ),
    PaperModel(
        model="CLIP",
        purpose="the icon that is described; v1",
        ours="names, labels, colour and place",
        stand_in="CLIP from a folder, exported to ONNX",
        settings="perception: {clip: {folder: DIR}}",
        environment="the environment of the run, manyhands[fleet]",
    ),
)
