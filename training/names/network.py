"""The network: convolutions in residual blocks over 32x32 crops, about 9 million multiplications for one.

Colours differ from phone to phone and say little, so the network sees how much a pixel differs from the edge of its
crop, and whether it is brighter or darker than that.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from manyhands.actors.perception.onnx import SIDE

WIDTHS = (20, 40, 80)
"""Channels at sides of 16, 8 and 4 pixels."""
EDGE = 2
"""Pixels at each side that are taken for the ground an icon stands on."""
LEAST_RANGE = 24.0
"""Levels, of 255: smaller differences are noise, and are not made larger than they would be with this one."""
LUMINANCE = (0.299, 0.587, 0.114)


class Block(nn.Module):
    """Adds two 3x3 convolutions to its input."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _convolution(width, width)
        self.second = _convolution(width, width)

    def forward(self, x: Tensor) -> Tensor:
        added: Tensor = x + self.second(torch.relu(self.first(torch.relu(x))))
        return added


class NameNetwork(nn.Module):
    """Gives logits of the names, shape (crops, names), from what :func:`contrasts` makes of crops."""

    def __init__(self, names: int) -> None:
        super().__init__()
        one, two, three = WIDTHS
        self.features = nn.Sequential(
            _convolution(2, one, stride=2, side=5),
            Block(one),
            _convolution(one, two, stride=2),
            Block(two),
            Block(two),
            _convolution(two, three, stride=2),
            Block(three),
            nn.ReLU(),
        )
        self.drop = nn.Dropout(0.1)
        self.names = nn.Linear(three * (SIDE // 8) ** 2, names)

    def forward(self, seen: Tensor) -> Tensor:
        logits: Tensor = self.names(self.drop(self.features(seen).flatten(1)))
        return logits


class Shipped(nn.Module):
    """Is exported: uint8 crops of shape (crops, SIDE, SIDE, 3) in, probabilities at a temperature out."""

    def __init__(self, network: NameNetwork, temperature: float) -> None:
        super().__init__()
        self.network = network
        self.temperature = temperature

    def forward(self, crops: Tensor) -> Tensor:
        return torch.softmax(self.network(contrasts(crops)) / self.temperature, dim=1)


def contrasts(crops: Tensor) -> Tensor:
    """Return what the network sees, shape (crops, 2, SIDE, SIDE), of uint8 crops of shape (crops, SIDE, SIDE, 3).

    The first channel is the largest difference of red, green or blue from the mean colour of the crop's edge, from 0
    to 1; the second is the difference in luminance, from -1 to 1; both by the largest difference in the crop.
    """
    pixels = crops.permute(0, 3, 1, 2).float()
    edge = torch.cat(
        [
            pixels[:, :, :EDGE].flatten(2),
            pixels[:, :, -EDGE:].flatten(2),
            pixels[:, :, EDGE:-EDGE, :EDGE].flatten(2),
            pixels[:, :, EDGE:-EDGE, -EDGE:].flatten(2),
        ],
        dim=2,
    )
    apart = pixels - edge.mean(dim=2)[:, :, None, None]
    most = apart.abs().amax(dim=1, keepdim=True)
    scale = most.amax(dim=(2, 3), keepdim=True).clamp(min=LEAST_RANGE)
    red, green, blue = LUMINANCE
    brighter = red * apart[:, 0:1] + green * apart[:, 1:2] + blue * apart[:, 2:3]
    return torch.cat([most / scale, brighter / scale], dim=1)


def _convolution(wide_in: int, wide_out: int, stride: int = 1, side: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(wide_in, wide_out, side, stride=stride, padding=side // 2, bias=False), nn.BatchNorm2d(wide_out)
    )
