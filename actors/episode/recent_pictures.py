"""Keep the pixels of an episode's latest screens in memory, for its stages. Older ones are dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from manyhands.actors.frames import Frame, ModelImage
from manyhands.actors.interfaces import Ref
from manyhands.protocol.errors import CallError
from manyhands.protocol.journals.records import Span
from manyhands.protocol.screens.screen import Screenshot

FRAMES_KEPT = 2
"""The number of steps whose pixels are kept, the latest ones."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Hold a screenshot's pixels twice: as the picture for models, and as the frame that arrived.

    With Ray both are references.
    """

    image: Ref[ModelImage]
    frame: Ref[Frame]


@dataclass(frozen=True, slots=True)
class CapturedScreen:
    """Hold a screenshot of the screen at rest, and when it was taken."""

    screenshot: Screenshot
    picture: Picture
    span: Span


class PictureLost(CallError):
    """Signal that an interruption of the episode lost the pixels of a screen."""

    code = "picture_lost"


class RecentPictures:
    """Keep the pixels that stages may still ask for. The journal records what a screenshot showed."""

    def __init__(self, images_kept: int | None = FRAMES_KEPT, unread_kept: int = 0) -> None:
        """``images_kept``: how many steps' pictures for models are kept; None for all.

        ``unread_kept``: how many older steps' pixels are kept until perception has read them.
        """
        self.images_kept = images_kept
        self._unread_kept = unread_kept
        self.captured: dict[int, CapturedScreen] = {}
        """Screenshots that arrived together with an action, by the step that they begin. They stay until that step's
        capture."""
        self._pictures: dict[int, Picture] = {}
        self._images: dict[int, Ref[ModelImage]] = {}
        self._unread: dict[int, Picture] = {}

    def keep(self, step: int, picture: Picture) -> None:
        """Keep the pixels of s(step). Drop those of older steps, beyond the number that the profile declares."""
        self._pictures[step] = picture
        self._images[step] = picture.image
        if self._unread_kept:
            self._unread[step] = picture
            _drop(self._unread, step - self._unread_kept - 1)
        _drop(self._pictures, step - FRAMES_KEPT)
        if self.images_kept is not None:
            _drop(self._images, step - self.images_kept)

    def picture(self, step: int) -> Picture:
        """Return the pixels of s(step)."""
        return self._pictures.get(step) or self._unread[step]

    def holds(self, step: int) -> bool:
        """Return whether the pixels of s(step) are kept."""
        return step in self._pictures or step in self._unread

    def mark_read(self, step: int) -> None:
        """Note that perception has read the screens up to s(step), so their pixels need not be kept for it."""
        _drop(self._unread, step)

    def image(self, step: int) -> Ref[ModelImage]:
        """Return the picture of s(step) for models."""
        return self._images[step]

    def kept_image(self, step: int) -> Ref[ModelImage] | None:
        """Return the picture of s(step) for models; None if it is not kept any more."""
        return self._images.get(step)


def _drop(pictures: dict[int, Any], last: int) -> None:
    for old in [number for number in pictures if number <= last]:
        del pictures[old]
