"""A model server that answers with the touches of a right play (``plays``), so that an episode records it.

A play is a function that looks and touches until it returns. It runs in a thread of its own: each touch answers one
question of the episode, and the play goes on once the next question has come, which is after the screen has settled.
"""

from __future__ import annotations

import asyncio
import json
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import adbutils
from aiohttp import web

from manyhands.protocol.profiles import registered_profiles
from manyhands.simulator.serving.model_server import ModelServer, Refused, usage_of
from manyhands.simulator.serving.plain_reply import plain_reply
from manyhands.simulator.serving.settings import ServerSettings
from tests.simulator.web.miniwob.adb_hand import AdbHand
from tests.simulator.web.miniwob.player import ENTER, Node, Player
from tests.simulator.web.miniwob.plays import PLAYS

PATIENCE_S = 60.0
THOUSANDTHS = 1000
Action = Mapping[str, Any]
STOP: Action = {"name": "Stop"}


class RecordedHand:
    """Look by adb, and touch by answers of the model."""

    def __init__(self, hand: AdbHand, size: tuple[int, int], act: Callable[[Action], None]) -> None:
        self._hand, self._size, self._act = hand, size, act
        self.width = hand.width

    def nodes(self) -> list[Node]:
        return self._hand.nodes()

    def tap(self, x: int, y: int) -> None:
        self._act({"name": "Tap", "x": self._part(x, 0), "y": self._part(y, 1)})

    def swipe(self, x1: int, y1: int, x2: int, y2: int, ms: int) -> None:
        ends = {"x1": self._part(x1, 0), "y1": self._part(y1, 1), "x2": self._part(x2, 0), "y2": self._part(y2, 1)}
        self._act({"name": "Swipe", **ends})

    def type(self, text: str) -> None:
        self._act({"name": "Type", "text": text, "clear": False})

    def key(self, code: int) -> None:
        assert code == ENTER, f"no action of an agent presses key {code}"
        self._act({"name": "Enter"})

    def _part(self, place: int, side: int) -> int:
        return round(place * THOUSANDTHS / self._size[side])


class PlayInSteps:
    """Run a play, one touch for each question."""

    def __init__(self, page: str, device: adbutils.AdbDevice) -> None:
        self._questions: queue.Queue[None] = queue.Queue()
        self._answers: queue.Queue[Action] = queue.Queue()
        self._by_step: dict[int, Action] = {}
        hand = AdbHand(device)
        size = device.window_size()
        self._hand = RecordedHand(hand, (size.width, size.height), self._act)
        self._play, self._goal = PLAYS[page].right, hand.page()["goal"]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _act(self, action: Action) -> None:
        self._answers.put(action)
        self._questions.get(timeout=PATIENCE_S)

    def _run(self) -> None:
        self._questions.get(timeout=PATIENCE_S)
        try:
            self._play(Player(self._hand, self._goal))
        finally:
            self._answers.put(STOP)

    def answer(self, step: int) -> Action:
        """Return the action of a step; the same again to who asks again."""
        if step not in self._by_step:
            self._questions.put(None)
            self._by_step[step] = self._answers.get(timeout=PATIENCE_S)
        return self._by_step[step]


class PlayingModel(ModelServer):
    """Answer the agent of ``native`` with the play of the page that a phone shows."""

    def __init__(self, server: adbutils.AdbClient, serials: Sequence[str]) -> None:
        super().__init__("manyhands-plays", ServerSettings())
        self._server, self._serials = server, serials
        self._plays: dict[str, PlayInSteps] = {}

    async def _complete(self, http: web.Request) -> web.Response:
        body = json.loads(await http.read())
        kind = registered_profiles().reply_types[body["response_format"]["json_schema"]["name"]]
        if "action" not in kind.model_fields:
            raise Refused(f"the plays are no answer to a question for {kind.__name__}")
        episode = http.headers.get("x-manyhands-episode")  # without one, a run asks whether the server can answer
        step = http.headers.get("x-manyhands-step", "0")
        action = STOP if episode is None else await asyncio.to_thread(self._action, episode, int(step))
        plain = {name: value for name, value in plain_reply(kind).model_dump().items() if name != "action"}
        text = json.dumps({**plain, **({"outcome": "A"} if "outcome" in plain else {}), "action": dict(action)})
        return self._completion(self.model, text, "stop", usage_of(1, 1))

    def _action(self, episode: str, step: int) -> Action:
        if episode not in self._plays:
            self._plays[episode] = PlayInSteps(*self._page_of(episode))
        return self._plays[episode].answer(step)

    def _page_of(self, episode: str) -> tuple[str, adbutils.AdbDevice]:
        """Return the page of an episode, and the phone that shows it. Ids are ``miniwob.PAGE.SEED-ATTEMPT-MARK``."""
        page, seed = episode.rsplit("-", 2)[0].removeprefix("miniwob.").rsplit(".", 1)
        for serial in self._serials:
            device = self._server.device(serial)
            shown = AdbHand(device).page() or {}
            if (shown.get("task"), shown.get("seed")) == (page, int(seed)):
                return page, device
        raise Refused(f"no phone shows {page} with seed {seed}")
