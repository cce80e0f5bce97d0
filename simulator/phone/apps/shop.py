"""Implement the shop: the app with its advertisement and its question about notifications. Pages: ``shop_pages``."""

from __future__ import annotations

from typing import Any

from manyhands.simulator.phone.apps.base import App, Page, System, View
from manyhands.simulator.phone.apps.dialogs import Permission
from manyhands.simulator.phone.apps.shop_customer import Customer
from manyhands.simulator.phone.apps.shop_pages import CartPage, ShopHome, search
from manyhands.simulator.phone.device import VIEW, Link
from manyhands.simulator.phone.ui.layout import Center, Column, Gap, Grow, Icon, Panel, Row, Text
from manyhands.simulator.phone.ui.scene import Action
from manyhands.simulator.phone.ui.theme import rgb
from manyhands.simulator.phone.ui.widgets import button, icon_button


class Advertisement(Page):
    """Show a pop-up that first covers the shop. A cross and a button close it."""

    name = "advertisement"
    overlay = True

    def __init__(self, app: Shop) -> None:
        super().__init__(app.os)
        self._app = app

    def back(self) -> bool:
        self._close()
        return True

    def _close(self) -> None:
        self._app.ad_closed = True
        self.os.pop()

    def _follow(self) -> None:
        self._close()
        self._app.followed_ad = True
        self._app.search(self.say("headphones", "耳机"))

    def view(self) -> View:
        parts = [
            Row([Grow(Gap(1)), icon_button("close", self._close, "muted")]),
            Center(Icon("gift", 88, "danger")),
            Gap(16),
            Text(self.say("Big Summer Sale", "夏日大促"), 28, bold=True, align="center"),
            Text(self.say("Up to 50% off, only today!", "最高五折，仅限今日！"), 17, align="center", colour="muted"),
            Gap(20),
            Center(button(self.say("Shop the sale", "立即抢购"), self._follow, tone="danger")),
            Gap(4),
            Center(button(self.say("No thanks", "不用了"), self._close, filled=False, tone="muted")),
        ]
        return View(Panel(Column(parts), pad=(16, 10, 10, 18), fill="card", radius=28))


class Shop(App):
    """Ask for a permission, and show an advertisement, until the user has answered both."""

    package, activity = "com.manyhands.shop", "com.manyhands.shop.HomeActivity"
    label, label_zh, icon, colour = "Shop", "商城", "bag", rgb("d6452f")
    system = False

    def __init__(self, os: System) -> None:
        super().__init__(os)
        self._customer = Customer(os)
        self.ad_closed = False
        self.followed_ad = False
        self.notifications: bool | None = None

    def first_pages(self) -> list[Page]:
        pages: list[Page] = [ShopHome(self._customer)]
        if self.notifications is None:
            question = self.say("Allow Shop to send you notifications?", "允许“商城”向您发送通知吗？")
            pages.append(Permission(self.os, "bell", question, self._allow))
        if not self.ad_closed:
            pages.append(Advertisement(self))
        return pages

    def _allow(self, allowed: bool) -> None:
        self.notifications = allowed

    def opener(self, link: Link) -> Action | None:
        """Open ``shop://cart``: the cart."""
        if link.action != VIEW or link.uri != "shop://cart":
            return None
        return lambda: self.os.push(CartPage(self._customer))

    def search(self, text: str) -> None:
        search(self._customer, text)

    def state(self) -> dict[str, Any]:
        return {
            **self._customer.state(),
            "notifications": self.notifications,
            "ad_closed": self.ad_closed,
            "ad_followed": self.followed_ad,
        }

    def lasting_state(self) -> dict[str, Any]:
        customer = self._customer.state()
        granted = ["notifications"] if self.notifications is True else []
        return {"cart": customer["cart"], "orders": customer["orders"], "granted": granted}
