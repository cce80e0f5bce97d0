"""Targets and loss: which places are icons, and how wrong an answer is.

The loss is FCOS's (Tian et al. 2019): places in the middle of an icon are positive and give its box. Probabilities are
trained by the quality focal loss (Li et al. 2020), whose target is the overlap of the box that the place gives: so the
surest of several places is the one with the best box.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from training.detector.network import STRIDE, corners, places

MIDDLE = 0.5
"""Share of an icon's sides within which places are positive, about its centre."""
QUALITY_POWER = 2.0


@dataclass(frozen=True, slots=True)
class Targets:
    """Hold the targets of one map: ``boxes`` (h, w, 4) where ``positive`` (h, w); ``counted`` (h, w) enter the loss."""

    positive: Tensor
    boxes: Tensor
    counted: Tensor


def targets(icons: Tensor, neutral: Tensor, height: int, width: int) -> Targets:
    """Return the targets of a map of ``height`` x ``width`` places.

    ``icons`` (n, 4) and ``neutral`` (m, 4) are in pixels of the input.

    A place in several icons belongs to the smallest. The place next to an icon's centre is always positive. Places
    that are in an icon, but not in its middle, and those in neutral boxes do not count.
    """
    centres = places(height, width)
    positive = torch.zeros(height, width, dtype=torch.bool)
    boxes = torch.zeros(height, width, 4)
    counted = torch.ones(height, width, dtype=torch.bool)
    for box in neutral:
        counted &= ~_inside(centres, box)
    area = (icons[:, 2] - icons[:, 0]) * (icons[:, 3] - icons[:, 1])
    order = area.argsort(descending=True)
    for box in icons[order]:
        inside = _inside(centres, box)
        counted &= ~inside
        positive &= ~inside  # of a larger icon
    for box in icons[order]:
        middle = (box[:2] + box[2:]) / 2
        half = (box[2:] - box[:2]) * MIDDLE / 2
        chosen = _inside(centres, torch.cat([middle - half, middle + half]))
        column = int((middle[0] / STRIDE).clamp(0, width - 1))
        row = int((middle[1] / STRIDE).clamp(0, height - 1))
        chosen[row, column] = True
        positive |= chosen
        counted |= chosen
        boxes[chosen] = box
    return Targets(positive, boxes, counted)


def _inside(centres: Tensor, box: Tensor) -> Tensor:
    return ((centres >= box[:2]) & (centres < box[2:])).all(dim=-1)


def loss(logits: Tensor, distances: Tensor, wanted: list[Targets]) -> tuple[Tensor, Tensor]:
    """Return the losses of probabilities and of boxes per positive place.

    ``logits`` (n, h, w), ``distances`` (n, h, w, 4). ``wanted`` may lie on another device than these.
    """
    positive = torch.stack([target.positive for target in wanted]).to(logits.device)
    counted = torch.stack([target.counted for target in wanted]).to(logits.device)
    boxes = torch.stack([target.boxes for target in wanted]).to(logits.device)[positive]
    given = corners(distances)[positive]
    quality, apart = _overlaps(given, boxes)
    truth = torch.zeros_like(logits)
    truth[positive] = quality.detach().clamp(min=0.1).to(truth.dtype)
    probability = logits.sigmoid()
    focus = (truth - probability).abs().pow(QUALITY_POWER)
    sure = functional.binary_cross_entropy_with_logits(logits, truth, reduction="none") * focus
    many = max(int(positive.sum()), 1)
    return sure[counted].sum() / many, (1 - apart).sum() / many


def _overlaps(one: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """Return intersection over union, and the generalised one (Rezatofighi et al. 2019), of boxes pair by pair."""
    low, high = torch.maximum(one[:, :2], other[:, :2]), torch.minimum(one[:, 2:], other[:, 2:])
    common = (high - low).clamp(min=0).prod(dim=1)
    area = (one[:, 2:] - one[:, :2]).prod(dim=1) + (other[:, 2:] - other[:, :2]).prod(dim=1)
    union = (area - common).clamp(min=1e-6)
    hull = (torch.maximum(one[:, 2:], other[:, 2:]) - torch.minimum(one[:, :2], other[:, :2])).prod(dim=1)
    iou = common / union
    return iou, iou - (hull - union) / hull.clamp(min=1e-6)
