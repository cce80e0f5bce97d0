"""A Grounding DINO of transformers with tiny random weights, in a folder, where nothing can be downloaded."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from transformers import (
    BertConfig,
    BertTokenizerFast,
    GroundingDinoConfig,
    GroundingDinoForObjectDetection,
    GroundingDinoImageProcessorPil,
    GroundingDinoProcessor,
    SwinConfig,
)

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", "?", "icon", "button")


@pytest.fixture(scope="session", autouse=True)
def _offline() -> Iterator[None]:
    """Opening a connection is an error."""

    def forbidden(*_: object) -> None:
        raise AssertionError("the icon finder opened a connection")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", forbidden)
        patch.setattr(socket, "getaddrinfo", forbidden)
        yield


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as ``save_pretrained`` leaves it."""
    folder = tmp_path_factory.mktemp("grounding_dino")
    torch.manual_seed(0)
    GroundingDinoForObjectDetection(_tiny()).save_pretrained(folder)
    tokenizer = BertTokenizerFast(vocab={word: number for number, word in enumerate(WORDS)})
    pictures = GroundingDinoImageProcessorPil(size={"shortest_edge": 160, "longest_edge": 266})
    GroundingDinoProcessor(pictures, tokenizer).save_pretrained(folder)
    return folder


def _tiny() -> GroundingDinoConfig:
    backbone = SwinConfig(
        image_size=64,
        patch_size=4,
        embed_dim=8,
        depths=[1, 1, 1, 1],
        num_heads=[1, 1, 2, 2],
        window_size=2,
        out_indices=[2, 3, 4],
    )
    text = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
    )
    return GroundingDinoConfig(
        backbone_config=backbone,
        text_config=text,
        num_queries=40,
        d_model=32,
        encoder_layers=1,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        encoder_n_points=2,
        decoder_n_points=2,
        max_text_len=32,
    )
