"""Each app is played through by what it shows, and judged by the phone's state."""

from __future__ import annotations

import pytest

from tests.simulator.phone.hand import Hand

UNICODE = 'café ~`!@#$%^&*()_+-={}[]|\\:";<>?,./ 你好，世界 😀 https://x.example//a#b'


class TestSettings:
    def test_switches_are_the_phones_settings(self) -> None:
        hand = Hand()
        hand.open("Settings")
        hand.tap("Network & internet")
        hand.tap("Airplane mode")
        assert hand.state("settings.airplane_mode") is True
        assert hand.state("settings.wifi") is False
        assert hand.phone.setting("global", "airplane_mode_on") == "1"
        hand.back()
        hand.tap("Sound & vibration")
        hand.tap("Do Not Disturb")
        assert hand.phone.setting("global", "zen_mode") == "1"
        hand.back()
        hand.tap("Notifications & status bar")
        assert not hand.sees("KB/s")
        hand.tap("Network speed display")
        assert hand.sees("KB/s")
        assert hand.state("settings.network_speed_display") is True
        assert hand.state("settings.pages") == [
            "Network & internet",
            "Sound & vibration",
            "Notifications & status bar",
        ]

    def test_search_finds_a_line_and_leads_to_its_page(self) -> None:
        hand = Hand()
        hand.open("Settings")
        hand.tap("Search settings")
        hand.type("dark")
        hand.enter()
        assert hand.state("settings.searches") == ["dark"]
        assert not hand.sees("Network & internet")
        hand.tap("Dark mode")
        hand.tap("Dark mode")
        assert hand.state("settings.dark_mode") is True
        hand.back()
        hand.back()
        assert hand.sees("Network & internet")
        assert hand.state("foreground.app") == "Settings"

    def test_language_switches_every_label(self) -> None:
        hand = Hand()
        hand.open("Settings")
        hand.tap("Languages")
        hand.tap("简体中文")
        assert hand.state("settings.language") == "zh"
        assert hand.sees("语言")
        hand.home()
        assert hand.sees("商城")
        hand.phone.put_setting("system", "system_locales", "en-US")
        assert hand.sees("Shop")


class TestNotes:
    @staticmethod
    def new(hand: Hand, title: str, body: str) -> None:
        hand.open("Notes")
        hand.phone.tap(950, 2130)
        hand.wait()
        hand.tap("Title")
        hand.type(title)
        hand.enter()
        hand.type(body)

    def test_any_text_is_kept_exactly(self) -> None:
        hand = Hand()
        self.new(hand, UNICODE, f"first\n{UNICODE}\nlast")
        hand.tap("Save")
        assert hand.state("notes.items.0") == {"title": UNICODE, "body": f"first\n{UNICODE}\nlast"}

    def test_a_note_is_not_kept_without_save(self) -> None:
        hand = Hand()
        before = hand.state("notes.items")
        self.new(hand, "Draft", "text")
        hand.back()
        hand.back()
        assert hand.sees("Save changes?")
        hand.tap("Discard")
        assert hand.state("notes.items") == before
        self.new(hand, "Draft", "text")
        hand.back()
        hand.back()
        hand.tap("Save")
        assert hand.state("notes.items.0.title") == "Draft"
        assert hand.state("foreground.page") == "list"

    def test_edit_moves_a_note_to_the_top(self) -> None:
        hand = Hand()
        hand.open("Notes")
        hand.tap("Books to read")
        hand.tap("Invisible Cities")
        hand.type("\nDune")
        hand.tap("Save")
        assert hand.state("notes.items.0.body").endswith("Middlemarch\nDune")
        assert hand.state("notes.opened") == ["Books to read"]

    def test_delete_asks_first(self) -> None:
        hand = Hand()
        hand.open("Notes")
        titles = [note["title"] for note in hand.state("notes.items")]
        hand.hold("Old draft")
        hand.tap("Delete")
        hand.tap("Cancel")
        assert [note["title"] for note in hand.state("notes.items")] == titles
        hand.hold("Old draft")
        hand.phone.tap(540, 200)
        assert hand.state("foreground.page") == "list", "a tap beside a dialog leaves it"
        hand.hold("Old draft")
        hand.tap("Delete")
        assert hand.sees("Delete this note?")
        hand.tap("Delete")
        titles.remove("Old draft")
        assert [note["title"] for note in hand.state("notes.items")] == titles

    def test_delete_from_the_editor_leaves_it(self) -> None:
        hand = Hand()
        hand.open("Notes")
        hand.tap("Gym plan")
        bar = hand.box("Edit note")
        hand.phone.tap(hand.box("Save").x - 110, bar.y + bar.h // 2)
        hand.wait()
        hand.tap("Delete")
        assert "Gym plan" not in [note["title"] for note in hand.state("notes.items")]
        assert hand.state("foreground.page") == "list"

    def test_search(self) -> None:
        hand = Hand()
        hand.open("Notes")
        hand.tap("Search notes")
        hand.type("olive")
        assert hand.sees("Shopping list")
        assert not hand.sees("Gym plan")
        hand.enter()
        assert hand.state("notes.searches") == ["olive"]
        hand.back()
        assert hand.sees("Gym plan")

    def test_a_long_body_keeps_its_caret_above_the_keyboard(self) -> None:
        hand = Hand()
        self.new(hand, "Long", "\n".join(f"line {index}" for index in range(120)))
        assert hand.sees("line 119")
        assert hand.box("line 119").bottom <= hand.box("ADB Keyboard {ON}").y
        hand.scroll(-0.4)
        assert not hand.sees("line 119")
        hand.type("!")
        assert hand.sees("line 119!")


class TestMessages:
    def test_opening_a_thread_reads_it(self) -> None:
        hand = Hand()
        hand.open("Messages")
        assert [t["unread"] for t in hand.state("messages.threads")] == [2, 1, 1, 0, 0, 3]
        hand.tap("Alice Carter")
        assert hand.sees("10:15")
        assert hand.state("messages.threads.0.unread") == 0
        assert hand.state("messages.opened") == ["Alice Carter"]

    def test_send_moves_the_thread_to_the_top(self) -> None:
        hand = Hand()
        hand.open("Messages")
        hand.tap("Grace Kim")
        hand.tap("Text message")
        hand.type(UNICODE)
        hand.enter()
        thread = hand.state("messages.threads.0")
        assert thread["contact"] == "Grace Kim"
        assert thread["messages"][-1] == {"from": "me", "text": UNICODE}
        assert hand.sees("Text message"), "the draft is gone"

    def test_a_draft_is_not_sent(self) -> None:
        hand = Hand()
        before = hand.state("messages.threads")
        hand.open("Messages")
        hand.tap("Ben Howard")
        hand.tap("Text message")
        hand.type("not yet")
        hand.home()
        after = hand.state("messages.threads")
        assert [t["messages"] for t in after] == [t["messages"] for t in before]

    def test_a_new_message_to_a_contact_by_name(self) -> None:
        hand = Hand()
        hand.open("Messages")
        hand.tap("New message")
        hand.tap("Type a name")
        hand.type("emma")
        assert not hand.sees("Frank Weber")
        hand.enter()
        hand.tap("Text message")
        hand.type("Hello Emma")
        hand.enter()
        assert hand.state("messages.threads.0") == {
            "contact": "Emma Larsen",
            "unread": 0,
            "messages": [{"from": "me", "text": "Hello Emma"}],
        }

    def test_a_conversation_opens_at_its_end_and_scrolls(self) -> None:
        hand = Hand(0, 720, 1280, 320)
        hand.open("Messages")
        hand.tap("Clara Mendes")
        assert hand.sees("Got it, thanks!")
        assert not hand.sees("What shall we cook")
        hand.scroll(-0.6)
        hand.scroll(-0.6)
        assert hand.sees("What shall we cook")
        assert not hand.sees("Got it, thanks!")

    def test_long_press_deletes_a_message_or_a_thread(self) -> None:
        hand = Hand()
        hand.open("Messages")
        hand.tap("David Okafor")
        hand.hold("Thank you so much!")
        hand.tap("Delete")
        hand.back()
        assert [m["from"] for m in hand.state("messages.threads.4.messages")] == ["me"]
        hand.hold("David Okafor")
        hand.tap("Delete")
        hand.tap("Delete")
        assert "David Okafor" not in [t["contact"] for t in hand.state("messages.threads")]


class TestBrowser:
    def test_search_read_and_go_back(self) -> None:
        hand = Hand()
        hand.tap("Search the web")
        assert hand.phone.keyboard_shown()
        hand.phone.input_text("lakers game today")
        hand.enter()
        assert hand.state("browser.searches") == ["lakers game today"]
        assert hand.state("foreground.page") == "results"
        hand.tap("Lakers game today: final score")
        assert hand.sees("Lakers 112, Celtics 104")
        assert hand.state("browser.address") == "scoreboard.example/lakers"
        assert hand.state("browser.read") == []
        for _ in range(3):
            hand.scroll()
        assert hand.state("browser.read") == ["Lakers game today: final score"]
        hand.tap("Accept")
        assert hand.state("browser.cookies") == "accepted"
        assert not hand.sees("cookies")
        hand.back()
        assert hand.sees("Basketball standings this week")

    def test_addresses_and_pages_that_are_not_there(self) -> None:
        hand = Hand()
        hand.visit("https://peaks.example/everest#top")
        hand.wait()
        assert hand.sees("8,849 metres")
        hand.visit("http://nowhere.example")
        hand.wait()
        assert hand.sees("This page cannot be found")
        assert [entry["address"] for entry in hand.state("browser.history")] == [
            "peaks.example/everest",
            "nowhere.example",
        ]

    def test_a_search_without_results_says_so(self) -> None:
        hand = Hand()
        hand.tap("Search the web")
        hand.type("zzyzx")
        hand.enter()
        assert hand.sees("No results for zzyzx")

    def test_airplane_mode_takes_the_web_away(self) -> None:
        hand = Hand()
        hand.phone.put_setting("global", "airplane_mode_on", "1")
        hand.visit("http://peaks.example/everest")
        hand.wait()
        assert hand.sees("You are offline")
        hand.phone.put_setting("global", "airplane_mode_on", "0")
        assert hand.sees("8,849 metres")

    def test_a_page_that_forbids_screenshots_is_black_in_them_and_works(self) -> None:
        hand = Hand()
        hand.open("Browser")
        hand.phone.frame()
        hand.tap("Saved passwords")
        for _ in range(2):  # once more when the transition has ended
            pixels = hand.phone.frame().rgb
            hand.wait()
        assert hand.state("foreground.page") == "passwords"
        assert not hand.sees("example")
        assert pixels[100:2250].max() == 0
        assert pixels[:100].max() > 0
        hand.phone.tap(70, 150)  # the arrow that nobody sees
        assert hand.state("foreground.page") == "start"


class TestShop:
    @staticmethod
    def enter(hand: Hand) -> None:
        hand.open("Shop")
        hand.tap("No thanks")
        hand.tap("Don't allow")

    def test_advertisement_and_permission_come_once(self) -> None:
        hand = Hand()
        hand.open("Shop")
        assert hand.state("foreground.page") == "advertisement"
        hand.phone.tap(540, 150)
        hand.phone.tap(540, 1800)
        assert hand.state("foreground.page") == "advertisement", "what lies beneath cannot be touched"
        cross = hand.box("Big Summer Sale")
        hand.phone.tap(hand.phone.width - 155, cross.y - 350)
        hand.wait()
        assert hand.state("shop.ad_closed") is True
        hand.tap("Allow")
        assert hand.state("shop.notifications") is True
        hand.phone.force_stop("com.manyhands.shop")
        hand.open("Shop")
        assert hand.state("foreground.page") == "home"

    def test_search_sort_and_buy(self) -> None:
        hand = Hand()
        self.enter(hand)
        hand.tap("Search products")
        hand.type("headphones")
        hand.enter()
        hand.tap("Price: low to high")
        names = [text for text in hand.texts() if "Headphones" in text]
        assert names[0].startswith("Basso One")
        hand.tap("Basso One")
        hand.tap("Add to cart")
        hand.tap("Add to cart")
        shop = hand.state("shop")
        assert shop["cart"] == [{"id": "basso-one", "name": "Basso One Wired Headphones", "price": 49.5, "quantity": 2}]
        assert shop["total"] == 99.0
        assert shop["searches"] == ["headphones"]
        assert shop["sort"] == "price"
        assert shop["viewed"] == ["Basso One Wired Headphones"]
        assert shop["orders"] == []

    def test_reviews_count_as_seen_when_they_were_on_the_screen(self) -> None:
        hand = Hand(0, 720, 1280, 320)
        self.enter(hand)
        hand.tap("Aurora Q45")
        few = len(hand.state("shop.reviews_seen"))
        for _ in range(4):
            hand.scroll()
        reviews = hand.state("shop.reviews_seen")
        assert few < 3 <= len(reviews) == 6
        assert {entry["product"] for entry in reviews} == {"Aurora Q45 Wireless Headphones"}
        assert hand.state("shop.reviews_seen_of") == {"aurora-q45": [entry["text"] for entry in reviews]}

    def test_cart_changes_and_order_needs_a_second_yes(self) -> None:
        hand = Hand()
        self.enter(hand)
        hand.tap("Lumen Air")
        hand.tap("Add to cart")
        title = hand.box("Product")
        hand.phone.tap(hand.phone.width - 90, title.y + title.h // 2)
        hand.wait()
        assert hand.state("foreground.page") == "cart"
        hand.tap("Checkout")
        hand.tap("Cancel")
        assert hand.state("shop.orders") == []
        hand.tap("Checkout")
        hand.tap("Place order")
        assert hand.state("shop.orders.0.total") == 89.0
        assert hand.state("shop.cart") == []
        assert hand.sees("Your cart is empty")


class TestChinese:
    def test_a_person_without_a_name_in_a_phones_language_is_no_contact_there(self) -> None:
        english, chinese = Hand(), Hand(1000)
        english.open("Messages")
        english.tap("New message")
        assert english.sees("555-0108")
        assert not english.sees("555-0109")
        chinese.open("短信")
        chinese.tap("新消息")
        chinese.tap("王君阳")
        assert chinese.state("foreground.about") == "王君阳"

    def test_a_seed_from_1000_up_is_a_chinese_phone(self) -> None:
        hand = Hand(1000)
        assert hand.state("settings.language") == "zh"
        hand.tap("商城")
        hand.tap("不用了")
        hand.tap("不允许")
        hand.tap("搜索商品")
        hand.type("降噪耳机")
        hand.enter()
        hand.tap("极光Q45无线降噪耳机")
        hand.tap("加入购物车")
        assert hand.state("shop.cart.0.name") == "极光Q45无线降噪耳机"
        assert hand.state("shop.cart.0.price") == 1393
        hand.open("短信")
        hand.tap("陈晓雨")
        hand.tap("短信")
        hand.type("好的，星期六见！")
        hand.enter()
        assert hand.state("messages.threads.0.messages.4") == {"from": "me", "text": "好的，星期六见！"}

    def test_the_web_answers_in_chinese(self) -> None:
        hand = Hand(1000)
        hand.tap("搜索网页")
        hand.type("珠穆朗玛峰有多高")
        hand.enter()
        hand.tap("珠穆朗玛峰有多高？")
        assert hand.sees("8848.86米")


@pytest.mark.parametrize("label", ["Clock", "Calendar", "Camera", "Maps", "Photos"])
def test_small_apps_open_and_close(label: str) -> None:
    hand = Hand()
    hand.tap(label)
    assert hand.state("foreground.app") == label
    assert hand.state("visited") == [label]
    hand.back()
    assert hand.state("foreground.page") == "home"


def test_the_calendar_knows_today() -> None:
    hand = Hand()
    hand.tap("Calendar")
    assert hand.sees("Today is Thursday, June 5")
    assert hand.state("calendar.today") == "2025-06-05"
    assert {"June 5", "5 June", "6月5日", "06/05"} <= set(hand.state("calendar.written"))


def test_the_state_says_what_the_page_in_front_is_about() -> None:
    hand = Hand()
    about = []
    for app, words in (
        ("Browser", ()),
        ("Settings", ("Display",)),
        ("Messages", ("Alice Carter",)),
        ("Notes", ("Gym plan",)),
    ):
        hand.open(app)
        for text in words:
            hand.tap(text)
        about.append(hand.state("foreground.about"))
    assert about == ["", "Display", "Alice Carter", "Gym plan"]
    hand.visit("https://peaks.example/everest/")
    hand.wait()
    assert hand.state("foreground.about") == "peaks.example/everest"
    hand.tap("The ten highest mountains")
    assert hand.state("foreground.about") == "peaks.example/list"
    hand.back()
    assert hand.state("foreground.about") == "peaks.example/everest"
    hand.phone.key(187)
    assert hand.state("foreground.about") == ""


def test_the_shop_says_what_is_searched_and_which_product_is_shown() -> None:
    hand = Hand()
    hand.open("Shop")
    hand.tap("No thanks")
    hand.tap("Don't allow")
    hand.tap("Laptop")
    assert hand.state("foreground.about") == "Laptop"
    hand.tap("Titan 16")
    assert hand.state("foreground.about") == "titan-16"
    hand.back()
    hand.tap("QuickBook 13")
    hand.back()
    assert hand.state("foreground.about") == "Laptop"
