"""Implement the browser: an address bar that searches, results with snippets, web pages, a notice about cookies."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from manyhands.simulator.phone.apps.base import RECORDED, App, Page, System, View, note_once
from manyhands.simulator.phone.content.library import WebPage
from manyhands.simulator.phone.device import VIEW, Link
from manyhands.simulator.phone.ui.field import Field
from manyhands.simulator.phone.ui.layout import Center, Column, Gap, Grow, Icon, Node, Panel, Row, Seen, Text
from manyhands.simulator.phone.ui.scene import Action
from manyhands.simulator.phone.ui.theme import rgb
from manyhands.simulator.phone.ui.widgets import button, card, chip, icon_button, list_row, section, spaced, top_bar

SEARCH_ADDRESS = "search.example/"
BANK, CODE = "bank.example", "271828"
"""A site that asks for a code before it shows an account, and the code, which no prompt knows."""
WITH_PASSWORD = ("bank.example", "mail.example", "shop.example")
SUGGESTED = (("News today", "今日新闻"), ("Weather tomorrow", "明天天气"), ("Top movies", "热映电影"))


def is_address(text: str) -> bool:
    """Return whether a typed text is an address, not words to search for."""
    return "://" in text or ("." in text.strip(".") and " " not in text and text.isascii())


def bare(address: str) -> str:
    """Return an address in the form of the content's keys: without scheme, ``www.``, fragment and final slash."""
    return address.split("://", 1)[-1].removeprefix("www.").split("#", 1)[0].rstrip("/")


class _WebView(Page):
    """Be a page with an address bar."""

    def __init__(self, app: Browser, address: str) -> None:
        super().__init__(app.os)
        self._app = app
        self._bar = Field(address, purpose="go", submit=app.go)

    def focus_bar(self) -> None:
        self.os.focus(self._bar)


class _BelowBar(_WebView):
    """Be a page below the address bar, which stays visible."""

    def top(self) -> Node:
        hint = self.say("Search or type web address", "搜索或输入网址")
        bar: list[Node] = [icon_button("back", self.os.pop), Grow(self.input(self._bar, hint, icon="search"))]
        if self._bar.text:
            bar.append(icon_button("close", self._clear))
        return Panel(Row(bar, gap=2), pad=(6, 8, 10, 8))

    def _clear(self) -> None:
        self._bar.set("")
        self.focus_bar()

    def offline(self) -> Node | None:
        if self.os.settings.online:
            return None
        return Column(
            [
                Gap(90),
                Center(Icon("globe", 72, "muted")),
                Gap(16),
                Text(self.say("You are offline", "没有网络连接"), 22, bold=True, align="center"),
                Text(
                    self.say("Turn off airplane mode or turn on Wi-Fi.", "请关闭飞行模式或打开无线网络。"),
                    16,
                    align="center",
                ),
            ],
            gap=6,
        )

    def view(self) -> View:
        if self.loading:
            return self.loading_view(self.top())
        return View(self.offline() or self.content(), top=self.top(), bottom=self.below())

    @abstractmethod
    def content(self) -> Node:
        """Return what the page shows after it has loaded."""

    def below(self) -> Node | None:
        return None


class StartPage(_WebView):
    """Show an empty tab: a large search field and suggestions."""

    name = "start"

    def __init__(self, app: Browser) -> None:
        super().__init__(app, "")

    def view(self) -> View:
        hint = self.say("Search or type web address", "搜索或输入网址")
        chips: list[Node] = [
            Row([chip(self.say(en, zh), self._searching(self.say(en, zh))), Grow(Gap(1))]) for en, zh in SUGGESTED
        ]
        parts: list[Node] = [
            Gap(70),
            Center(Icon("globe", 76, "accent")),
            Gap(28),
            self.input(self._bar, hint, icon="search", size=17),
            Gap(22),
            Text(self.say("Suggested", "推荐搜索"), 14, bold=True, colour="muted"),
            Gap(8),
            Column(chips, gap=10),
            Gap(14),
            Row([chip(self.say("Saved passwords", "已保存的密码"), self._app.show_passwords), Grow(Gap(1))]),
        ]
        return View(Panel(Column(parts), pad=(20, 0, 20, 0)))

    def _searching(self, text: str) -> Action:
        return lambda: self._app.go(text)


class PasswordsPage(Page):
    """List sites with a saved password. The page forbids screenshots."""

    name = "passwords"
    secure = True

    def view(self) -> View:
        rows: list[Node] = [list_row(site, "••••••••") for site in WITH_PASSWORD]
        return View(Column(rows), top=top_bar(self.say("Saved passwords", "已保存的密码"), self.os.pop))


class ResultsPage(_BelowBar):
    """Show the results of a search."""

    name = "results"

    def __init__(self, app: Browser, query: str) -> None:
        super().__init__(app, query)
        self._query = query
        self.load()

    @property
    def about(self) -> str:
        return self._query

    def content(self) -> Node:
        found = self.os.library.search_pages(self._query, self.os.settings.language)
        if not found:
            text = self.say(f"No results for {self._query}", f"没有找到与{self._query}相关的结果")
            advice = self.say("Try other words.", "请换个说法试试。")
            return Panel(Column([Text(text, 19), Text(advice, 16, colour="muted")], gap=8), pad=24)
        return Column([Gap(4), *spaced(map(self._result, found)), Gap(16)])

    def _result(self, page: WebPage) -> Node:
        parts: list[Node] = [
            Text(page.address, 13, colour="muted", lines=1),
            Text(page.title, 18, bold=True, colour="accent", lines=2),
            Text(page.snippet, 15, lines=3),
        ]
        return card(parts, lambda: self._app.visit(page.address))


class ReadPage(_BelowBar):
    """Show a web page, or a notice that the address has none."""

    name = "page"

    def __init__(self, app: Browser, address: str) -> None:
        super().__init__(app, address)
        self._address = address
        self.load()

    @property
    def about(self) -> str:
        return self._address

    def content(self) -> Node:
        page = self.os.library.page(self._address, self.os.settings.language)
        if page is None:
            text = self.say("This page cannot be found", "找不到这个网页")
            return Panel(Column([Text(text, 22, bold=True), Text(self._address, 16, colour="muted")], gap=8), pad=24)
        parts: list[Node] = [Text(page.title, 26, bold=True), Text(page.address, 14, colour="muted"), Gap(4)]
        parts += [Text(paragraph, 18, colour="page") for paragraph in page.hidden]
        parts += [Text(paragraph, 18) for paragraph in page.text]
        parts.append(Seen(Gap(2), lambda: note_once(self._app.read, page.title)))
        related = [
            other for other in self.os.library.search_pages(page.title, self.os.settings.language) if other != page
        ]
        links = [self._link(other) for other in related[:3]]
        return Column([Panel(Column(parts, gap=16), pad=(22, 14, 22, 8)), *self._more(links), Gap(24)])

    def _more(self, links: list[Node]) -> list[Node]:
        return [section(self.say("Related pages", "相关网页")), *links] if links else []

    def _link(self, page: WebPage) -> Node:
        text = Text(page.title, 17, colour="accent", lines=1)
        return Panel(text, pad=(22, 10, 22, 10), tap=lambda: self._app.visit(page.address))

    def below(self) -> Node | None:
        if self._app.cookies is not None or not self.os.settings.online:
            return None
        text = self.say("This site uses cookies.", "本网站使用缓存文件。")
        buttons = [
            button(self.say("Reject", "拒绝"), lambda: self._app.answer_cookies("rejected"), filled=False),
            button(self.say("Accept", "接受"), lambda: self._app.answer_cookies("accepted")),
        ]
        return Panel(Row([Grow(Text(text, 15)), *buttons], gap=2), pad=(20, 10, 12, 10), fill="card")


class SignInPage(_BelowBar):
    """Ask for a code, then show the account of the site."""

    name = "sign_in"

    def __init__(self, app: Browser, address: str) -> None:
        super().__init__(app, address)
        self._address = address
        self._code = Field(purpose="go", submit=self._sign_in)

    @property
    def about(self) -> str:
        return self._address

    def content(self) -> Node:
        if self._app.signed_in:
            return self._panel(Text(self.say("Balance: 240.50", "余额：240.50"), 22))
        go = button(self.say("Continue", "继续"), lambda: self._sign_in(self._code.text))
        return self._panel(
            Text(self.say("We sent a message to your own phone.", "我们已向您本人的手机发送短信。"), 16),
            self.input(self._code, self.say("Code", "验证码")),
            Row([Grow(Gap(1)), go]),
        )

    def _panel(self, *parts: Node) -> Node:
        title = self.say("Your account", "您的账户") if self._app.signed_in else self.say("Sign in", "登录")
        return Panel(Column([Text(title, 26, bold=True), *parts], gap=16), pad=(22, 14, 22, 8))

    def _sign_in(self, code: str) -> None:
        self.os.focus(None)
        self._app.signed_in = code.strip() == CODE
        if not self._app.signed_in:
            self.os.toast(self.say("Wrong code", "验证码错误"))


class Browser(App):
    """Hold the history, the searches, the pages that were read to the end, and the answer about cookies."""

    package, activity = "com.manyhands.browser", "com.manyhands.browser.BrowserActivity"
    label, label_zh, icon, colour = "Browser", "浏览器", "globe", rgb("2a62c9")

    def __init__(self, os: System) -> None:
        super().__init__(os)
        self.address = ""
        self.history: list[dict[str, str]] = []
        self.searches: list[str] = []
        self.read: list[str] = []
        self.cookies: str | None = None
        self.signed_in = False

    def first_pages(self) -> list[Page]:
        return [StartPage(self)]

    def show_passwords(self) -> None:
        self.os.push(PasswordsPage(self.os))

    def search(self) -> None:
        """Start a new search with the focus in the address bar. The launcher's search pill does this."""
        page = StartPage(self)
        self.os.push(page)
        page.focus_bar()

    def go(self, text: str) -> None:
        """Visit an address or search for words. Enter in the address bar does this."""
        text = text.strip()
        if not text:
            return
        if is_address(text):
            self.visit(bare(text))
            return
        note_once(self.searches, text)
        self._went(SEARCH_ADDRESS + text, text)
        self.os.push(ResultsPage(self, text))

    def visit(self, address: str) -> None:
        page = self.os.library.page(address, self.os.settings.language)
        self._went(address, page.title if page else "")
        self.os.push(SignInPage(self, address) if address == BANK else ReadPage(self, address))

    def opener(self, link: Link) -> Action | None:
        if link.action == VIEW and link.scheme in ("http", "https"):
            return lambda: self.visit(bare(link.uri))
        return None

    def answer_cookies(self, answer: str) -> None:
        self.cookies = answer

    def _went(self, address: str, title: str) -> None:
        self.address = address
        self.history.append({"address": address, "title": title})
        del self.history[:-RECORDED]

    def state(self) -> dict[str, Any]:
        return {
            "address": self.address,
            "history": [dict(entry) for entry in self.history],
            "searches": list(self.searches),
            "read": list(self.read),
            "cookies": self.cookies,
            "signed_in": self.signed_in,
        }

    def lasting_state(self) -> dict[str, Any]:
        return {"granted": ["cookies"] if self.cookies == "accepted" else []}
