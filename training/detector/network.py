"""The network: an encoder to stride 32, a decoder back to stride 4, and one head there.

One scale suffices for one class of small things: an icon is 6 to 60 pixels long at the width of 288 pixels that the
network sees, a place every 4 pixels tells the smallest apart, and the deep layers see enough around it. One scale also
spares the rule that assigns icons to scales.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

STRIDE = 4
"""Pixels of the input from one place to the next."""
DEEPEST = 32
"""Sides of the input are multiples of this."""
PRIOR = 0.01
"""Probability that an untrained network gives every place (Lin et al. 2017, Focal Loss, section 4.1)."""


WIDTHS = (32, 64, 96, 128)
"""Channels at strides 4, 8, 16 and 32."""


class _Conv(nn.Sequential):
    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
        )


class _Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = _Conv(channels, channels)
        self.second = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.second(self.first(x)))


class IconNetwork(nn.Module):
    """Maps pictures ``(n, 3, height, width)`` from 0 to 1 to logits ``(n, h, w)`` and distances ``(n, h, w, 4)``.

    Distances are from a place's centre to the left, top, right and bottom of the icon around it, in the input's pixels.
    ``widths``: channels at strides 4, 8, 16 and 32.
    """

    def __init__(self, widths: tuple[int, int, int, int] = WIDTHS) -> None:
        super().__init__()
        first, *deeper = widths
        self.stem = nn.Sequential(nn.PixelUnshuffle(2), _Conv(12, first, 2), _Residual(first))
        self.down = nn.ModuleList(
            nn.Sequential(_Conv(inputs, outputs, 2), _Residual(outputs))
            for inputs, outputs in zip(widths, deeper, strict=False)
        )
        pairs = list(zip(deeper, widths, strict=False))[::-1]
        self.narrow = nn.ModuleList(nn.Conv2d(inputs, outputs, 1) for inputs, outputs in pairs)
        self.up = nn.ModuleList(_Conv(outputs, outputs) for _, outputs in pairs)
        self.head = nn.Sequential(_Conv(first, first), nn.Conv2d(first, 5, 1))
        last = self.head[-1]
        assert isinstance(last, nn.Conv2d)
        assert last.bias is not None
        nn.init.normal_(last.weight, std=0.01)
        nn.init.constant_(last.bias, 1.0)  # icons are some pixels long from the start
        nn.init.constant_(last.bias[:1], -float(torch.logit(torch.tensor(1 - PRIOR))))

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        levels = [self.stem(pictures - 0.5)]
        for down in self.down:
            levels.append(down(levels[-1]))
        x = levels.pop()
        for narrow, up in zip(self.narrow, self.up, strict=True):
            side = levels.pop()
            x = up(side + functional.interpolate(narrow(x), size=side.shape[2:], mode="nearest"))
        out = self.head(x).permute(0, 2, 3, 1)
        return out[..., 0], functional.softplus(out[..., 1:].float()) * STRIDE


def places(height: int, width: int, device: torch.device | None = None) -> Tensor:
    """Return the centres of a map's places: (height, width, 2) of x, y in pixels of the input."""
    rows = (torch.arange(height, device=device) + 0.5) * STRIDE
    columns = (torch.arange(width, device=device) + 0.5) * STRIDE
    y, x = torch.meshgrid(rows, columns, indexing="ij")
    return torch.stack([x, y], dim=-1)


def corners(distances: Tensor) -> Tensor:
    """Return boxes (..., h, w, 4) of x1, y1, x2, y2 in pixels of the input, from distances (..., h, w, 4)."""
    centres = places(distances.shape[-3], distances.shape[-2], distances.device)
    return torch.cat([centres - distances[..., :2], centres + distances[..., 2:]], dim=-1)


class YoloForm(nn.Module):
    """Gives the answer in YOLO's exported form: ``(n, 5, places)`` of centre x, y, width, height, probability."""

    def __init__(self, network: IconNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, pictures: Tensor) -> Tensor:
        logits, distances = self.network(pictures)
        low, high = corners(distances).split(2, dim=-1)
        answer = torch.cat([(low + high) / 2, high - low, logits.sigmoid()[..., None]], dim=-1)
        return answer.flatten(1, 2).transpose(1, 2)
