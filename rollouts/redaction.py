"""Find what a file names on the screens and in the texts of an episode, so that no export holds it.

Where a text stands on a picture is known from what perception read there. On a screen that was not read it may stand
anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from manyhands.actors.mllm import parse
from manyhands.actors.redaction.boxes import EVERYTHING, find_boxes, screenshots_of
from manyhands.actors.redaction.redacted_texts import RedactedTexts
from manyhands.actors.redaction.redactions import Redactions
from manyhands.actors.redaction.screen_texts import ScreenTexts
from manyhands.protocol.errors import ReplyUnusable, StoreError
from manyhands.protocol.journals.records import Perceived, Record, Restored
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.replies import in_form
from manyhands.protocol.screens.crops import parse_content_id
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Screen
from manyhands.rollouts.rows import ChatMessage, EpisodeFacts, ShownPicture, TrainingRow


def is_readable(reply: str, reply_type: str, form: str) -> bool:
    """Return whether the text of a reply still is one. ``form``: that of the model's dialect."""
    kind = registered_profiles().reply_types.get(reply_type)
    if kind is None:
        return False
    try:
        parse(in_form(kind, form), reply)
    except ReplyUnusable:
        return False
    return True


class EpisodeRedaction:
    """Hold what is redacted in one episode. Without ``redactions`` it changes nothing."""

    def __init__(self, redactions: Redactions | None, records: Sequence[Record], finder: ScreenTexts) -> None:
        """``finder``: the texts that the episode may not show: named ones, and what was typed on its phone."""
        self._redactions = redactions
        self._boxes: dict[str, tuple[Box, ...] | None] = {}
        """The boxes to paint by screenshot; None if a text may be anywhere on it."""
        if redactions is None:
            self.texts = RedactedTexts(())
            return
        pieces: set[str] = set()
        screens: dict[str, Screen] = {
            record.screen.content_id: record.screen for record in records if isinstance(record, Perceived | Restored)
        }
        for record in records:
            for shot in screenshots_of(record):
                content = shot.content_id
                boxes = find_boxes(redactions, shot, screens.get(content), finder, pieces)
                # The same pixels may have been shown in several apps.
                before = self._boxes.get(content, ())
                together = None if boxes is None or before is None else dict.fromkeys((*before, *boxes))
                self._boxes[content] = None if together is None else tuple(together)
        self.texts = RedactedTexts(pieces, finder.exact)

    @property
    def has_tokens(self) -> bool:
        """Return whether token ids may be told. A tokenizer makes them the texts again, the redacted ones, too."""
        return self._redactions is None

    def picture(self, content: str) -> ShownPicture:
        """Return a picture with the boxes to paint. A screenshot that was not read is painted as a whole."""
        if self._redactions is None:
            return ShownPicture(content)
        boxes = self._boxes.get(parse_content_id(content).source)
        return ShownPicture(content, (EVERYTHING,) if boxes is None else boxes)

    def row(self, row: TrainingRow) -> tuple[TrainingRow, int]:
        """Return a row without its tokens and what is redacted, and at how many places texts were struck.

        Raises StoreError if it shows a screenshot that was not read, on which a text may stand.
        """
        if self._redactions is None:
            return row, 0
        before = self.texts.struck
        redacted = replace(
            row,
            messages=tuple(ChatMessage(turn.role, tuple(self._parts(turn))) for turn in row.messages),
            reply=self.texts.strike(row.reply),
            tools=self.texts.strike_in(row.tools),
            tokens=None,
            facts=row.facts.model_copy(update={"sampling": self.texts.strike_in(row.facts.sampling)}),
        )
        return redacted, self.texts.struck - before

    def _parts(self, turn: ChatMessage) -> Iterator[str | ShownPicture]:
        words: list[str] = []
        for part in (*turn.parts, None):
            if isinstance(part, str):
                words.append(part)
                continue
            together = "".join(words)  # a text may begin in one part and end in the next
            struck = self.texts.strike(together)
            yield from words if struck == together else [struck]
            words.clear()
            if part is not None:
                source = parse_content_id(part.content).source
                if self._boxes.get(source) is None:
                    raise StoreError(f"the screen {source} was not read, so nobody knows where redacted texts stand")
                yield self.picture(part.content)

    def facts(self, facts: EpisodeFacts) -> EpisodeFacts:
        """Return facts without redacted texts."""
        names = ("run", "episode", "task", "group", "goal", "fault", "model_source", "phones_source")
        return facts.model_copy(update={name: self.texts.strike_in(getattr(facts, name)) for name in names})
