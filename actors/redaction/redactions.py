"""Read what a file wants redacted, and tell what people and agents typed in an episode."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError, model_validator

from manyhands.actors.redaction.redacted_texts import fold
from manyhands.protocol.base import Input
from manyhands.protocol.journals.records import ActionDecided, ActionSent, EpisodeUnpaused, Record
from manyhands.protocol.screens.actions import OpenApp, RunShortcut, Type
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.secrets import PLACEHOLDER
from manyhands.protocol.utilities.yaml_document import find_problems, read_yaml

Thousandth = Annotated[int, Field(ge=0, le=1000)]


class Region(Input):
    """Name a part of the screens of an app."""

    app: str = ""
    """Its package, or its name under its icon; empty for every app."""
    box: tuple[Thousandth, Thousandth, Thousandth, Thousandth]
    """Left, top, right and bottom in thousandths of the screen."""

    @model_validator(mode="after")
    def _is_not_empty(self) -> Region:
        if self.box[0] >= self.box[2] or self.box[1] >= self.box[3]:
            raise ValueError("a box is left, top, right, bottom, in thousandths of the screen")
        return self

    def box_on(self, size: Size) -> Box:
        """Return the box in pixels of a screen, rounded outwards."""
        left, top, right, bottom = self.box
        return Box(
            x1=left * size.width // 1000,
            y1=top * size.height // 1000,
            x2=-(-right * size.width // 1000),
            y2=-(-bottom * size.height // 1000),
        )


class Redactions(Input):
    """Say what an export, or the folder of a run, must not hold."""

    typed: bool = True
    """Whether that is each text that the agent or a person typed, or a person answered."""
    texts: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    regions: tuple[Region, ...] = ()
    apps: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """Packages, or names under icons, of apps of whose screens nothing is shown."""

    @model_validator(mode="after")
    def _can_be_found(self) -> Redactions:
        for text in self.texts:
            if not _has_signs(text):
                raise ValueError(f"the text {text!r} has no letter or digit")
        return self


def read_redactions(path: Path) -> Redactions:
    """Return what a file names. Raises BadInput with each mistake."""
    document = read_yaml(path)
    try:
        redactions = Redactions.model_validate(document.data or {})
    except ValidationError as error:
        document.refuse(find_problems(error, Redactions))
        raise
    document.refuse(())
    return redactions


def typed_texts(records: Iterable[Record]) -> tuple[str, ...]:
    """Return the texts that were typed, or were to be typed, in an episode, and the answers of persons.

    Texts that were typed one after the other stand in one field, so they count together, too. Arguments of shortcuts
    count, but for names of apps.
    """
    texts: dict[str, None] = {}
    arguments: dict[str, None] = {}
    opened = set[str]()
    field = ""
    for record in records:
        match record:
            case ActionSent(action=Type(text=text, clear=clear)):
                field = text if clear else field + text
                texts |= dict.fromkeys((text, field))
            case ActionSent(action=action):
                field = ""
                opened |= {action.app} if isinstance(action, OpenApp) else set()
            case ActionDecided(decision=decision):
                for decided in (decision.action, *decision.then):
                    if isinstance(decided, Type):
                        texts[decided.text] = None
                    elif isinstance(decided, RunShortcut):
                        arguments |= dict.fromkeys(one for one in decided.arguments.values() if isinstance(one, str))
            case EpisodeUnpaused(answer=str(answer)):
                texts[answer] = None
    texts |= {one: None for one in arguments if one not in opened}
    return tuple(one for one in texts if _is_text(PLACEHOLDER.sub("", one)))


def _is_text(text: str) -> bool:
    """Return whether a text says something: more than one letter or digit, or than punctuation."""
    return any(len(one) > 1 or not one.isascii() for one in fold(text)) and _has_signs(text)


def _has_signs(text: str) -> bool:
    return any(one.isalnum() or not one.isascii() for folded in fold(text) for one in folded)
