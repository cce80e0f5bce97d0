"""Shop: the app's data, its advertisement and permission; its pages are in ``shop_pages``."""

from __future__ import annotations

from typing import Any

from simulator.apps.base import App, Page, System, View
from simulator.apps.dialogs import Permission
from simulator.apps.host import note_once
from simulator.apps.shop_pages import ResultsPage, ShopHome
from simulator.content.library import Product, money
from simulator.ui.layout import Center, Column, Gap, Grow, Icon, Panel, Row, Text
from simulator.ui.theme import rgb
from simulator.ui.widgets import button, icon_button


class Advertisement(Page):
    """A pop-up that covers the shop at first; a cross and a button close it."""

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
    """Cart, searches, what was looked at, orders."""

    package, activity = "com.manyhands.shop", "com.manyhands.shop.HomeActivity"
    label, label_zh, icon, colour = "Shop", "商城", "bag", rgb("d6452f")
    system = False

    def __init__(self, os: System) -> None:
        super().__init__(os)
        self.cart: dict[str, int] = {}
        self.searches: list[str] = []
        self.sorted_by: str | None = None
        self.ad_closed = False
        self.followed_ad = False
        self.notifications: bool | None = None
        self._viewed: list[str] = []
        self._reviews: dict[tuple[str, str], dict[str, str]] = {}
        self._orders: list[dict[str, Any]] = []

    # ------------------------------------------------------------------ pages
    def first_pages(self) -> list[Page]:
        pages: list[Page] = [ShopHome(self)]
        if self.notifications is None:
            question = self.os.say("Allow Shop to send you notifications?", "允许“商城”向您发送通知吗？")
            pages.append(Permission(self.os, "bell", question, self._allow))
        if not self.ad_closed:
            pages.append(Advertisement(self))
        return pages

    def _allow(self, allowed: bool) -> None:
        self.notifications = allowed

    def search(self, text: str) -> None:
        if text.strip():
            note_once(self.searches, text.strip())
            self.os.push(ResultsPage(self, text.strip()))

    # ------------------------------------------------------------------ data
    @property
    def language(self) -> str:
        return self.os.settings.language

    def money(self, amount: float) -> str:
        return money(amount, self.language)

    def product(self, key: str) -> Product:
        return next(item for item in self.os.library.products(self.language) if item.id == key)

    def viewed(self, product: Product) -> None:
        note_once(self._viewed, product.id)

    def review_seen(self, product: Product, author: str, text: str) -> None:
        entry = {"product": product.name, "author": author, "text": text}
        self._reviews.setdefault((product.id, author), entry)

    def add(self, product: Product) -> None:
        self.change(product, 1)
        self.os.toast(self.os.say("Added to cart", "已加入购物车"))

    def change(self, product: Product, by: int) -> None:
        """Changes how many are in the cart; none takes it out."""
        count = min(99, self.cart.get(product.id, 0) + by)
        if count > 0:
            self.cart[product.id] = count
        else:
            self.cart.pop(product.id, None)

    def lines(self) -> list[tuple[Product, int]]:
        return [(self.product(key), count) for key, count in self.cart.items()]

    def total(self) -> float:
        return round(sum(product.price * count for product, count in self.lines()), 2)

    def order(self) -> None:
        self._orders.append({"items": self._cart_state(), "total": self.total()})
        self.cart.clear()
        self.os.toast(self.os.say("Order placed", "下单成功"))

    def _cart_state(self) -> list[dict[str, Any]]:
        return [
            {"id": product.id, "name": product.name, "price": product.price, "quantity": count}
            for product, count in self.lines()
        ]

    def state(self) -> dict[str, Any]:
        return {
            "cart": self._cart_state(),
            "total": self.total(),
            "orders": [dict(order) for order in self._orders],
            "searches": list(self.searches),
            "sort": self.sorted_by,
            "viewed": [self.product(key).name for key in self._viewed],
            "viewed_ids": list(self._viewed),
            "reviews_seen": [dict(entry) for entry in self._reviews.values()],
            "notifications": self.notifications,
            "ad_closed": self.ad_closed,
            "ad_followed": self.followed_ad,
        }
