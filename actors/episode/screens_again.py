"""The pictures of an interrupted episode, from the run folder."""

from __future__ import annotations

import asyncio

from manyhands.actors.episode.context import EpisodeContext, Picture
from manyhands.actors.episode.patience import Patience
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.frames import Frame, ModelImage, encode_jpeg
from manyhands.protocol.errors import CaptureFailed


async def show_again(context: EpisodeContext, patience: Patience, state: EpisodeState, step: int) -> tuple[int, ...]:
    """Keep the pictures up to s(``step``) that stages may still show models. Return the steps whose picture is lost.

    What an episode wrote in its last second may not be on disk. Raises StoreError.
    """
    kept, lost = context.images_kept, []
    for number in range(0 if kept is None else max(0, step + 2 - kept), step + 1):
        shot = state.step(number).screenshot
        content_id = None if shot is None else shot.content_id
        picture = None if content_id is None else await _picture(context, patience, content_id)
        if picture is None:
            lost.append(number)
        else:
            context.show(number, picture)
    return tuple(lost)


async def _picture(context: EpisodeContext, patience: Patience, content_id: str) -> Picture | None:
    png = await patience.until_done(f"screen {content_id}", lambda: context.collaborators.store.screen(content_id))
    if png is None:
        return None
    frame = Frame("png", png)
    try:
        jpeg = await asyncio.to_thread(lambda: encode_jpeg(frame.rgb()))
    except CaptureFailed:  # it was being written when the machine died
        return None
    return Picture(ModelImage(content_id, jpeg), frame)
