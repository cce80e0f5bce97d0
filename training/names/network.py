"""The network: convolutions in residual blocks over 48x48 crops, about 15 million multiplications for one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

WIDTHS = (16, 32, 64, 112)
"""Channels at sides of 24, 12, 6 and 3 pixels."""


class Block(nn.Module):
    """Two 3x3 convolutions and what went in."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _convolution(width, width)
        self.second = _convolution(width, width)

    def forward(self, x: Tensor) -> Tensor:
        added: Tensor = x + self.second(torch.relu(self.first(torch.relu(x))))
        return added


class NameNetwork(nn.Module):
    """Logits of the names, shape (crops, names), from float crops of shape (crops, 3, 48, 48) between -1 and 1."""

    def __init__(self, names: int) -> None:
        super().__init__()
        one, two, three, four = WIDTHS
        self.features = nn.Sequential(
            _convolution(3, one, stride=2, side=5),
            Block(one),
            _convolution(one, two, stride=2),
            Block(two),
            Block(two),
            _convolution(two, three, stride=2),
            Block(three),
            Block(three),
            _convolution(three, four, stride=2),
            nn.ReLU(),
        )
        self.drop = nn.Dropout(0.1)
        self.names = nn.Linear(four * 9, names)

    def forward(self, crops: Tensor) -> Tensor:
        logits: Tensor = self.names(self.drop(self.features(crops).flatten(1)))
        return logits


class Shipped(nn.Module):
    """What is exported: uint8 crops of shape (crops, 48, 48, 3) in, probabilities at a temperature out."""

    def __init__(self, network: NameNetwork, temperature: float) -> None:
        super().__init__()
        self.network = network
        self.temperature = temperature

    def forward(self, crops: Tensor) -> Tensor:
        return torch.softmax(self.network(normal(crops)) / self.temperature, dim=1)


def normal(crops: Tensor) -> Tensor:
    """uint8 (crops, 48, 48, 3) as the network wants them."""
    return crops.permute(0, 3, 1, 2).float() / 127.5 - 1


def _convolution(wide_in: int, wide_out: int, stride: int = 1, side: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(wide_in, wide_out, side, stride=stride, padding=side // 2, bias=False), nn.BatchNorm2d(wide_out)
    )
