"""Provide dialogs for any app: a question, a permission, a choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from manyhands.simulator.phone.apps.base import Page, System, View
from manyhands.simulator.phone.ui.chrome import dialog_card
from manyhands.simulator.phone.ui.layout import Center, Column, Gap, Icon, Node, Panel, Row, Text
from manyhands.simulator.phone.ui.scene import Action
from manyhands.simulator.phone.ui.widgets import button, list_row


class Dialog(Page):
    """Show a card over the page: a title, a text, buttons. A button closes the dialog, then acts."""

    name = "dialog"
    overlay = True
    cancelable = True

    def __init__(self, os: System, title: str, text: str, buttons: Sequence[tuple[str, Action | None]]) -> None:
        super().__init__(os)
        self._title, self._text, self._buttons = title, text, buttons

    def choose(self, action: Action | None) -> None:
        self.os.pop()
        if action:
            action()

    def view(self) -> View:
        buttons: list[Node] = [
            button(label, lambda action=action: self.choose(action), filled=False)  # type: ignore[misc]
            for label, action in self._buttons
        ]
        return View(dialog_card(self._title, [Text(self._text, 16, colour="muted")], buttons))


def confirmation(os: System, question: str, text: str, yes: str, action: Action) -> Dialog:
    """Return a dialog that asks before ``action`` is done."""
    return Dialog(os, question, text, [(os.say("Cancel", "取消"), None), (yes, action)])


class Menu(Dialog):
    """Show choices one above the other."""

    name = "menu"

    def view(self) -> View:
        rows: list[Node] = [
            list_row(label, tap=lambda action=action: self.choose(action))  # type: ignore[misc]
            for label, action in self._buttons
        ]
        head: list[Node] = [Panel(Text(self._title, 20, bold=True, lines=2), pad=(20, 8, 20, 6))]
        return View(Panel(Column([*head, *rows]), pad=(4, 14, 4, 14), fill="card", radius=26))


class Permission(Page):
    """Ask whether an app may do something: Allow, or Don't allow. Back gives no answer, so the app asks again later."""

    name = "permission"
    overlay = True

    def __init__(self, os: System, glyph: str, question: str, answered: Callable[[bool], None]) -> None:
        super().__init__(os)
        self._glyph, self._question, self._answered = glyph, question, answered

    def _answer(self, allowed: bool) -> None:
        self.os.pop()
        self._answered(allowed)

    def view(self) -> View:
        def choice(label: str, allowed: bool) -> Node:
            text = Text(label, 16, bold=True, colour="accent", align="center", lines=1)
            return Panel(text, pad=(12, 14, 12, 14), fill="tint", radius=18, tap=lambda: self._answer(allowed))

        parts: list[Node] = [
            Center(Row([Icon(self._glyph, 32, "accent")])),
            Gap(12),
            Text(self._question, 18, align="center"),
            Gap(20),
            choice(self.say("Allow", "允许"), True),
            Gap(6),
            choice(self.say("Don't allow", "不允许"), False),
        ]
        return View(Panel(Column(parts), pad=(22, 22, 22, 20), fill="card", radius=28))
