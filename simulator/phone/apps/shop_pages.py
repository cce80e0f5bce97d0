"""Implement the shop's pages: home, results that can be sorted, a product with its reviews, the cart."""

from __future__ import annotations

from manyhands.simulator.phone.apps.base import Page, View
from manyhands.simulator.phone.apps.dialogs import confirmation
from manyhands.simulator.phone.apps.shop_customer import Customer
from manyhands.simulator.phone.content.library import Product, Review
from manyhands.simulator.phone.ui.field import Field
from manyhands.simulator.phone.ui.layout import Center, Column, Gap, Grow, Icon, Node, Panel, Row, Seen, Text
from manyhands.simulator.phone.ui.scene import Action
from manyhands.simulator.phone.ui.widgets import (
    Picture,
    card,
    chip,
    icon_button,
    rating,
    section,
    spaced,
    top_bar,
    wide_button,
)

CATEGORIES = (
    ("Headphones", "耳机"),
    ("Laptop", "笔记本"),
    ("TV", "电视"),
    ("Air fryer", "空气炸锅"),
    ("Cat food", "猫粮"),
    ("Grocery", "生鲜"),
)
SORTS = (
    ("relevance", "Best match", "综合"),
    ("price", "Price: low to high", "价格从低到高"),
    ("rating", "Rating", "评分"),
)


def search(customer: Customer, text: str) -> None:
    """Show the results of a search. Without words, do nothing."""
    if text.strip():
        customer.searched(text.strip())
        customer.os.push(ResultsPage(customer, text.strip()))


class _ShopPage(Page):
    def __init__(self, customer: Customer) -> None:
        super().__init__(customer.os)
        self._customer = customer

    def _cart_button(self) -> Node:
        count = sum(self._customer.cart.values())
        parts: list[Node] = [Icon("cart", 26)]
        if count:
            mark = Text(str(count), 12, bold=True, colour="on_accent", lines=1)
            parts.append(Panel(mark, pad=(6, 1, 6, 2), fill="danger", radius=10))
        return Panel(Row(parts, gap=2), pad=(10, 10, 8, 10), tap=lambda: self.os.push(CartPage(self._customer)))

    def _open(self, product: Product) -> Action:
        return lambda: self.os.push(ProductPage(self._customer, product.id))

    def _price(self, product: Product, size: float) -> Node:
        parts: list[Node] = [Text(self._customer.money(product.price), size, bold=True, colour="danger", lines=1)]
        if product.was:
            before = self.say("was ", "原价") + self._customer.money(product.was)
            parts.append(Text(before, size * 0.72, colour="muted", lines=1))
        return Row(parts, gap=8)

    def _row(self, product: Product) -> Node:
        sold = self.say(f"{product.sold} sold", f"已售{product.sold}")
        facts = Row([rating(product.rating), Text(sold, 13, colour="muted", lines=1)], gap=12)
        texts = Column([Text(product.name, 16, lines=2), facts, self._price(product, 18)], gap=4)
        picture = Picture(product.glyph, product.colour, (96, 96))
        return card([Row([picture, Grow(texts)], gap=14)], self._open(product))


class ShopHome(_ShopPage):
    """Show a search field, categories and offers."""

    name = "home"

    def __init__(self, customer: Customer) -> None:
        super().__init__(customer)
        self._search = Field(purpose="search", submit=lambda text: search(customer, text))

    def view(self) -> View:
        field = self.input(self._search, self.say("Search products", "搜索商品"), icon="search")
        top = Panel(Row([Grow(field), self._cart_button()], gap=6), pad=(16, 10, 8, 8))
        chips = [chip(self.say(en, zh), self._category(self.say(en, zh))) for en, zh in CATEGORIES]
        half = (len(chips) + 1) // 2
        rows: list[Node] = [Row([*chips[:half]], gap=8), Row([*chips[half:]], gap=8)]
        title = section(self.say("Recommended for you", "为你推荐"))
        offers = spaced(map(self._row, self.os.library.products(self._customer.language)))
        return View(Column([Panel(Column(rows, gap=8), pad=(16, 6, 16, 0)), title, *offers, Gap(10)]), top=top)

    def _category(self, text: str) -> Action:
        return lambda: search(self._customer, text)


class ResultsPage(_ShopPage):
    """Show the results of a search, with ways to sort them."""

    name = "results"

    def __init__(self, customer: Customer, query: str) -> None:
        super().__init__(customer)
        self._query, self._sort = query, "relevance"
        self._search = Field(query, purpose="search", submit=lambda text: search(customer, text))
        self.load()

    @property
    def about(self) -> str:
        return self._query

    def _choose(self, sort: str) -> Action:
        def choose() -> None:
            self._sort = self._customer.sorted_by = sort
            self.load()

        return choose

    def _found(self) -> list[Product]:
        found = self.os.library.search_products(self._query, self._customer.language)
        if self._sort == "price":
            return sorted(found, key=lambda product: product.price)
        if self._sort == "rating":
            return sorted(found, key=lambda product: -product.rating)
        return found

    def view(self) -> View:
        field = self.input(self._search, self.say("Search products", "搜索商品"), icon="search")
        bar = Row([icon_button("back", self.os.pop), Grow(field), self._cart_button()], gap=4)
        sorts = [chip(self.say(en, zh), self._choose(key), key == self._sort) for key, en, zh in SORTS]
        top = Column([Panel(bar, pad=(4, 10, 8, 8)), Panel(Row(sorts, gap=8), pad=(14, 0, 14, 10))])
        if self.loading:
            return self.loading_view(top)
        if not self.os.settings.online:
            return View(self._notice(self.say("You are offline", "没有网络连接")), top=top)
        rows = spaced(map(self._row, self._found()))
        empty = self._notice(self.say("Nothing found", "没有找到商品"))
        return View(Column([Gap(2), *(rows or [empty]), Gap(10)]), top=top)

    @staticmethod
    def _notice(text: str) -> Node:
        return Panel(Text(text, 18, align="center", colour="muted"), pad=40)


class ProductPage(_ShopPage):
    """Show a product: picture, price, description, reviews, and a button that puts it into the cart."""

    name = "product"

    def __init__(self, customer: Customer, key: str) -> None:
        super().__init__(customer)
        self._key = key
        customer.viewed(customer.product(key))
        self.load()

    @property
    def about(self) -> str:
        return self._key

    def _review(self, product: Product, review: Review) -> Node:
        stars = Row([Icon("star", 14, "star" if index < review.stars else "line") for index in range(5)], gap=2)
        head = Row([Grow(Text(review.author, 15, bold=True, lines=1)), stars])
        seen = lambda: self._customer.review_seen(product, review.author, review.text)  # noqa: E731
        return Seen(card([head, Text(review.text, 16)]), seen)

    def view(self) -> View:
        product = self._customer.product(self._key)
        top = top_bar(self.say("Product", "商品"), self.os.pop, [self._cart_button()])
        if self.loading:
            return self.loading_view(top)
        facts: list[Node] = [
            Picture(product.glyph, product.colour, (None, 250), 24),
            Gap(10),
            Text(product.name, 22, bold=True),
            self._price(product, 26),
            Row(
                [
                    rating(product.rating, 16),
                    Text(self.say(f"{product.sold} sold", f"已售{product.sold}"), 15, colour="muted"),
                ],
                gap=14,
            ),
            Text(product.detail, 17),
        ]
        title = section(self.say("Customer reviews", "用户评价"))
        reviews = spaced(self._review(product, review) for review in product.reviews)
        add = wide_button(self.say("Add to cart", "加入购物车"), lambda: self._customer.add(product))
        body = Column([Panel(Column(facts, gap=8), pad=(18, 6, 18, 6)), title, *reviews, Gap(8)])
        return View(body, top=top, bottom=Panel(add, pad=(18, 8, 18, 12)))


class CartPage(_ShopPage):
    """Show the products in the cart with their numbers, the total, and a button to order."""

    name = "cart"

    def _change(self, product: Product, by: int) -> Action:
        return lambda: self._customer.change(product, by)

    def _line(self, product: Product, count: int) -> Node:
        counter = Row(
            [
                icon_button("minus", self._change(product, -1), "accent", 20),
                Text(str(count), 17, bold=True, lines=1),
                icon_button("plus", self._change(product, 1), "accent", 20),
                Grow(Gap(1)),
                icon_button("trash", self._change(product, -count), "muted", 22),
            ],
            gap=4,
        )
        texts = Column([Text(product.name, 16, lines=2), self._price(product, 17), counter], gap=2)
        return card([Row([Picture(product.glyph, product.colour, (72, 72)), Grow(texts)], gap=14)])

    def _checkout(self) -> None:
        total = self._customer.money(self._customer.total())
        text = self.say(f"You will pay {total}.", f"您将支付{total}。")
        question, yes = self.say("Place order?", "提交订单？"), self.say("Place order", "提交订单")
        self.os.push(confirmation(self.os, question, text, yes, self._customer.order))

    def view(self) -> View:
        top = top_bar(self.say("Cart", "购物车"), self.os.pop)
        lines = self._customer.lines()
        if not lines:
            empty = Column([Gap(110), Center(Icon("cart", 84, "line")), Gap(14), self._empty()])
            return View(empty, top=top)
        rows = spaced(self._line(product, count) for product, count in lines)
        total = Row(
            [
                Grow(Text(self.say("Total", "合计"), 18, lines=1)),
                Text(self._customer.money(self._customer.total()), 22, bold=True, lines=1),
            ]
        )
        pay = wide_button(self.say("Checkout", "结算"), self._checkout)
        return View(Column(rows), top=top, bottom=Panel(Column([total, pay], gap=8), pad=(20, 8, 20, 12)))

    def _empty(self) -> Node:
        return Text(self.say("Your cart is empty", "购物车是空的"), 19, align="center", colour="muted")
