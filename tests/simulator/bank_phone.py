"""A virtual phone with a bank: a page to sign in, whose password is shown as dots or, on demand, as it is."""

from __future__ import annotations

from typing import Any

from manyhands.simulator.phone.apps.base import App, Page, View
from manyhands.simulator.phone.apps.host import Host
from manyhands.simulator.phone.ui.field import Field
from manyhands.simulator.phone.ui.geometry import Box
from manyhands.simulator.phone.ui.layout import Column, Gap, Look, Panel, Text, put_text
from manyhands.simulator.phone.ui.scene import Fill, Scene
from manyhands.simulator.phone.ui.widgets import Input, heading, wide_button
from manyhands.simulator.phone.views import EDIT
from manyhands.simulator.phone.virtual_phone import VirtualPhone

BANK = "com.example.bank"


class IdInput(Input):
    """A field with a resource id. ``password``: it shows dots, and is a password's field in the tree of views."""

    id = ""
    password = False

    def place(self, look: Look, scene: Scene, box: Box) -> None:
        scene.add(Fill(box, scene.clip, look.theme.sunken, look.px(8)))
        scene.touchable(box, self.tap)
        shown = "•" * len(self.field.text) if self.password else self.field.text
        facts = {"focused": self.focused, "clickable": True, "focusable": True, "password": self.password}
        scene.view(EDIT, box, text=shown or self.hint, resource_id=f"{BANK}:id/{self.id}", **facts)
        size = look.px(16)
        put_text(look, scene, box.x + look.px(16), box.y + look.px(12), shown or self.hint, size, False, "ink")


class SignInPage(Page):
    """Ask for a name, a password and a remark. The name is written in capitals, as some apps do."""

    name = "sign in"

    def __init__(self, app: Bank) -> None:
        super().__init__(app.os)
        self.app = app
        self.shows = False
        self.is_late = False
        self.fields = {name: Field(purpose="next") for name in ("user", "password", "remark")}

    def _input(self, name: str, hint: str) -> IdInput:
        field = self.fields[name]
        field.text = field.text.upper() if name == "user" else field.text
        made = IdInput(field, hint, self.os.focused(field), lambda: self.os.focus(field))
        made.id, made.password = name, name == "password" and not self.shows
        return made

    def view(self) -> View:
        inputs = [self._input(name, name.capitalize()) for name in self.fields]
        buttons = [wide_button("Show password", self._show), wide_button("Sign in", self._sign_in)]
        return View(Panel(Column([heading("Bank"), *inputs, Gap(8), *buttons], gap=12), pad=16))

    def _show(self) -> None:
        self.shows = not self.shows

    def _sign_in(self) -> None:
        self.app.entered = {name: field.text for name, field in self.fields.items()}
        self.os.push(WelcomePage(self.os))


class WelcomePage(Page):
    name = "welcome"

    def view(self) -> View:
        return View(Panel(Column([heading("Welcome"), Text("Your balance is 12.00", 18)]), pad=16))


class Bank(App):
    package, activity = BANK, f"{BANK}.SignIn"
    label, label_zh, icon, colour, system = "Bank", "银行", "cart", (0, 80, 160), False

    def __init__(self, os: Host) -> None:
        super().__init__(os)
        self.entered: dict[str, str] = {}

    def first_pages(self) -> list[Page]:
        return [SignInPage(self)]

    def state(self) -> dict[str, Any]:
        return {"entered": dict(self.entered)}


class BankPhone(VirtualPhone):
    """A virtual phone that has the bank, too."""

    def _make_apps(self, host: Host) -> list[App]:
        return [*super()._make_apps(host), Bank(host)]

    @property
    def fields(self) -> dict[str, str]:
        """What the fields of the page to sign in hold."""
        (page,) = [page for task in self._host.tasks for page in task.pages if isinstance(page, SignInPage)]
        return {name: field.text for name, field in page.fields.items()}
