"""Find one thing on a screenshot by words.

python docs/examples/locate.py SHOT.png text Settings
python docs/examples/locate.py SHOT.png icon "the gear, top right"
"""

import asyncio
import sys
import time
from pathlib import Path

from actors.frames import Frame, content_id
from actors.perception.service import PerceptionService
from actors.perception.settings import PerceptionSettings
from deploy.perception.pictures import read_picture
from protocol.geometry import Size
from protocol.locating import LocateQuery
from protocol.messages import CallContext
from protocol.screens import Screenshot


async def main(picture: str, kind: str, words: str) -> None:
    rgb = read_picture(Path(picture))
    size = Size(width=rgb.shape[1], height=rgb.shape[0])
    # Of a phone, gateway.capture gives the screenshot and its frame; behind Ray the frame is a reference, and
    # PerceptionProxy.locate takes that.
    shot = Screenshot(content_id=content_id(rgb), size=size, serial=picture, taken_at=time.time(), capture_ms=0)
    query = LocateQuery.model_validate({"kind": kind, "words": words})
    service = PerceptionService(PerceptionSettings(workers=1))
    await service.start()
    try:
        context = CallContext(episode="example", step=0, deadline=time.time() + 60)
        located = await service.locate(shot, Frame("rgb", rgb), query, context)
    finally:
        await service.stop()
    for match in located.matches:
        print(*match.element.centre, match.element.content or "no name", f"{match.score:.2f}", *match.ways)


asyncio.run(main(*sys.argv[1:]))
