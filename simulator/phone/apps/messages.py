"""Implement Messages: threads with unread counts, conversations with a line to type into, new messages by contact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, unquote

from manyhands.simulator.phone.apps.base import App, Page, System, View, note_once
from manyhands.simulator.phone.apps.dialogs import Menu, confirmation
from manyhands.simulator.phone.content.library import Person
from manyhands.simulator.phone.device import SEND_TO, VIEW, Link, TextMessage
from manyhands.simulator.phone.ui.field import Field
from manyhands.simulator.phone.ui.layout import Column, Gap, Grow, Icon, Node, Panel, Row, Text
from manyhands.simulator.phone.ui.scene import Action, Scroller
from manyhands.simulator.phone.ui.theme import rgb
from manyhands.simulator.phone.ui.widgets import Avatar, badge, heading, icon_button, section, top_bar

APART_S = 600
"""Seconds between two messages that a new phone has."""


@dataclass(slots=True, eq=False)
class Message:
    """Hold a message. ``sender`` is ``me`` or the contact's name; ``at`` is in Unix seconds."""

    id: int
    sender: str
    text: str
    at: float


@dataclass(slots=True, eq=False)
class Thread:
    """Hold a conversation. Its last ``unread`` messages have not been seen."""

    contact: str
    unread: int
    messages: list[Message]


def digits(number: str) -> str:
    """Return a telephone number with only its digits and plus signs."""
    return "".join(character for character in number if character.isdigit() or character == "+")


class ThreadsPage(Page):
    """List all conversations, the latest first."""

    name = "threads"

    def __init__(self, app: Messages) -> None:
        super().__init__(app.os)
        self._app = app

    def _row(self, thread: Thread) -> Node:
        new = thread.unread > 0
        last = thread.messages[-1] if thread.messages else None
        preview = "" if last is None else (self.say("You: ", "我：") if last.sender == "me" else "") + last.text
        texts = Column(
            [
                Text(thread.contact, 17, bold=new, lines=1),
                Text(preview, 15, bold=new, lines=1, colour="ink" if new else "muted"),
            ],
            gap=2,
        )
        tail: list[Node] = [badge(thread.unread)] if new else []
        row = Row([Avatar(self._app.colour_of(thread.contact)), Grow(texts), *tail], gap=14)
        return Panel(
            row,
            pad=(18, 12, 18, 12),
            tap=lambda: self._app.open_thread(thread.contact),
            hold=lambda: self._app.offer_thread(thread),
        )

    def view(self) -> View:
        rows = [self._row(thread) for thread in self._app.threads]
        label = Text(self.say("New message", "新消息"), 16, bold=True, colour="on_accent", lines=1)
        button = Panel(
            Row([Icon("edit", 22, "on_accent"), label], gap=10),
            pad=(20, 16, 22, 16),
            fill="accent",
            radius=18,
            tap=self._app.compose,
        )
        return View(Column([*rows, Gap(90)]), top=heading(self._app.title, 10), floating=button)


class ThreadPage(Page):
    """Show one conversation."""

    name = "thread"

    def __init__(self, app: Messages, thread: Thread, draft: str = "") -> None:
        super().__init__(app.os)
        self._app, self._thread = app, thread
        self._draft = Field(draft, purpose="send", submit=lambda _: self._send())
        self.scroller = Scroller(sticky=True)

    @property
    def about(self) -> str:
        return self._thread.contact

    def _send(self) -> None:
        if self._draft.text.strip():
            self._app.send(self._thread, self._draft.text)
            self._draft.set("")

    def _bubble(self, message: Message) -> Node:
        mine = message.sender == "me"
        text = Text(message.text, 16, colour="on_accent" if mine else "ink")
        bubble = Panel(
            text,
            pad=(15, 9, 15, 10),
            fill="accent" if mine else "card",
            radius=19,
            hold=lambda: self._app.offer_message(self._thread, message),
        )
        # The gap stands at the outer end of the row, so the bubble leaves that side free.
        free = Gap(48)
        return Row([free, Grow(Gap(1)), bubble] if mine else [bubble, Grow(Gap(1)), free])

    def view(self) -> View:
        bubbles = [self._bubble(message) for message in self._thread.messages]
        body = Panel(Column([Gap(8), *bubbles, Gap(6)], gap=8), pad=(14, 0, 14, 0))
        line = Row(
            [
                Grow(self.input(self._draft, self.say("Text message", "短信"))),
                icon_button("send", self._send, "accent", 26),
            ],
            gap=6,
        )
        return View(body, top=top_bar(self._thread.contact, self.os.pop), bottom=Panel(line, pad=(14, 8, 10, 10)))


class ComposePage(Page):
    """Let the user choose the recipient of a new message."""

    name = "compose"

    def __init__(self, app: Messages) -> None:
        super().__init__(app.os)
        self._app = app
        self._to = Field(purpose="next", submit=lambda _: self._first())

    def _matching(self) -> list[Person]:
        asked = self._to.text.strip().lower()
        return [person for person in self._app.people if asked in person.name.lower()]

    def _first(self) -> None:
        found = self._matching()
        if found and self._to.text.strip():
            self._pick(found[0])
        else:
            self.os.toast(self.say("No such contact", "没有这个联系人"))

    def _pick(self, person: Person) -> None:
        self.os.pop()
        self._app.open_thread(person.name)

    def _row(self, person: Person) -> Node:
        texts = Column([Text(person.name, 17, lines=1), Text(person.number, 14, colour="muted", lines=1)])
        row = Row([Avatar(person.colour, 40), Grow(texts)], gap=14)
        return Panel(row, pad=(18, 9, 18, 9), tap=lambda: self._pick(person))

    def view(self) -> View:
        to = self.input(self._to, self.say("Type a name", "输入姓名"), icon="person")
        top = Column([top_bar(self.say("New message", "新消息"), self.os.pop), Panel(to, pad=(16, 2, 16, 8))])
        rows = [self._row(person) for person in self._matching()]
        return View(Column([section(self.say("Contacts", "联系人")), *rows]), top=top)


class Messages(App):
    """Hold the threads, the latest first, and the contacts."""

    package, activity = "com.android.messaging", "com.android.messaging.ConversationListActivity"
    label, label_zh, icon, colour = "Messages", "短信", "chat", rgb("1a7f5a")

    def __init__(self, os: System, wall: Callable[[], datetime]) -> None:
        super().__init__(os)
        self._wall = wall
        self.people = os.library.people()
        self.threads = self._first_threads()
        self._opened: list[str] = []

    def _first_threads(self) -> list[Thread]:
        """Return the seed's threads. Their messages were received at even distances until the phone was started."""
        entries = self.os.library.threads()
        self._count = sum(len(entry["messages"]) for entry in entries)
        number, started, threads = self._count, self._wall().timestamp(), []
        for entry in entries:
            first = number - len(entry["messages"]) + 1
            messages = [
                Message(id, line["from"], line["text"], started - (self._count + 1 - id) * APART_S)
                for id, line in enumerate(entry["messages"], first)
            ]
            threads.append(Thread(entry["contact"], entry["unread"], messages))
            number = first - 1
        return threads

    def first_pages(self) -> list[Page]:
        return [ThreadsPage(self)]

    def colour_of(self, contact: str) -> tuple[int, int, int]:
        return next((person.colour for person in self.people if person.name == contact), self.colour)

    def compose(self) -> None:
        self.os.push(ComposePage(self))

    def open_thread(self, contact: str, draft: str = "") -> None:
        """Show a conversation, and make a new one if there is none. Its messages count as read from now on."""
        thread = next((thread for thread in self.threads if thread.contact == contact), None)
        if thread is None:
            thread = Thread(contact, 0, [])
        thread.unread = 0
        note_once(self._opened, contact)
        self.os.push(ThreadPage(self, thread, draft))

    def opener(self, link: Link) -> Action | None:
        """Open ``sms:`` and similar links: a conversation with that number, with the link's text as an unsent draft."""
        if link.action not in (VIEW, SEND_TO) or link.scheme not in ("sms", "smsto", "mms", "mmsto"):
            return None
        to, _, query = link.uri.partition(":")[2].partition("?")
        body = link.extras.get("sms_body") or parse_qs(query).get("body", [""])[0]
        return lambda: self.write_to(unquote(to.strip("/")).strip(), body)

    def write_to(self, number: str, body: str) -> None:
        """Show the conversation with a number, known or unknown. Without a number, ask for the recipient."""
        if not number:
            self.compose()
            return
        names = (person.name for person in self.people if digits(person.number) == digits(number))
        self.open_thread(next(names, number), draft=body)

    def send(self, thread: Thread, text: str) -> None:
        self._count += 1
        thread.messages.append(Message(self._count, "me", text, self._wall().timestamp()))
        if thread in self.threads:
            self.threads.remove(thread)
        self.threads.insert(0, thread)

    def texts(self) -> list[TextMessage]:
        """Return all messages in the order of their ids, as Android's provider has them."""
        numbers = {person.name: person.number for person in self.people}
        found = []
        for thread in self.threads:
            unread = {id(message) for message in thread.messages[len(thread.messages) - thread.unread :]}
            address = numbers.get(thread.contact, thread.contact)
            found += [
                TextMessage(
                    message.id, address, message.text, message.sender == "me", id(message) not in unread, message.at
                )
                for message in thread.messages
            ]
        return sorted(found, key=lambda message: message.id)

    def offer_message(self, thread: Thread, message: Message) -> None:
        def delete() -> None:
            thread.messages.remove(message)
            self.os.toast(self.say("Message deleted", "消息已删除"))

        choices = [(self.say("Delete", "删除"), delete), (self.say("Cancel", "取消"), None)]
        self.os.push(Menu(self.os, self.say("Message", "消息"), "", choices))

    def offer_thread(self, thread: Thread) -> None:
        def delete() -> None:
            self.threads.remove(thread)
            self.os.toast(self.say("Conversation deleted", "对话已删除"))

        def ask() -> None:
            text = self.say("All its messages will be lost.", "其中的消息将全部丢失。")
            question = self.say("Delete conversation?", "删除对话？")
            self.os.push(confirmation(self.os, question, text, self.say("Delete", "删除"), delete))

        self.os.push(Menu(self.os, thread.contact, "", [(self.say("Delete", "删除"), ask)]))

    def state(self) -> dict[str, Any]:
        threads = [
            {
                "contact": thread.contact,
                "unread": thread.unread,
                "messages": [{"from": message.sender, "text": message.text} for message in thread.messages],
            }
            for thread in self.threads
        ]
        return {"threads": threads, "opened": list(self._opened)}

    def lasting_state(self) -> dict[str, Any]:
        return {
            "messages": [
                {"contact": thread["contact"], **message}
                for thread in self.state()["threads"]
                for message in thread["messages"]
            ]
        }
