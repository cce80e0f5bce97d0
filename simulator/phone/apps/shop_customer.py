"""Hold what a shop knows of its customer: the cart, orders, searches and visited products."""

from __future__ import annotations

from typing import Any

from manyhands.simulator.phone.apps.base import System, note_once
from manyhands.simulator.phone.content.library import Product, money


class Customer:
    """Hold the cart, the searches, the visited products and reviews, and the orders."""

    def __init__(self, os: System) -> None:
        self.os = os
        self.cart = dict.fromkeys(os.library.cart(), 1)
        self.searches: list[str] = []
        self.sorted_by: str | None = None
        self._viewed: list[str] = []
        self._reviews: dict[tuple[str, str], dict[str, str]] = {}
        self._orders: list[dict[str, Any]] = []

    def searched(self, text: str) -> None:
        note_once(self.searches, text)

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
        """Change how many of a product are in the cart. At zero, the product leaves the cart."""
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

    def _reviews_by_product(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for (product, _), entry in self._reviews.items():
            found.setdefault(product, []).append(entry["text"])
        return found

    def state(self) -> dict[str, Any]:
        """Return all this data as JSON values."""
        return {
            "cart": self._cart_state(),
            "total": self.total(),
            "orders": [dict(order) for order in self._orders],
            "searches": list(self.searches),
            "sort": self.sorted_by,
            "viewed": [self.product(key).name for key in self._viewed],
            "viewed_ids": list(self._viewed),
            "reviews_seen": [dict(entry) for entry in self._reviews.values()],
            "reviews_seen_of": self._reviews_by_product(),
        }
