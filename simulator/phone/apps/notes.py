"""Implement Notes: a searchable list, an editor with title and body, deletion that asks first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from manyhands.simulator.phone.apps.base import App, Page, SearchPage, System, View, note_once
from manyhands.simulator.phone.apps.dialogs import Dialog, Menu, confirmation
from manyhands.simulator.phone.ui.field import Field
from manyhands.simulator.phone.ui.layout import Center, Column, Gap, Icon, Node, Panel, Text
from manyhands.simulator.phone.ui.theme import rgb
from manyhands.simulator.phone.ui.widgets import Divider, button, card, heading, icon_button, spaced, top_bar


@dataclass(slots=True, eq=False)
class Note:
    """Hold a note. Notes with equal contents are different notes."""

    title: str
    body: str


class NotesPage(SearchPage):
    """List all notes, the newest first. A search field filters them."""

    name = "list"

    def __init__(self, app: Notes) -> None:
        super().__init__(app.os, app.searches)
        self._app = app

    def _card(self, note: Note) -> Node:
        title = Text(note.title or self.say("Untitled", "无标题"), 17, bold=True, lines=1)
        parts: list[Node] = [title]
        if note.body:
            parts.append(Text(note.body, 15, colour="muted", lines=3))
        return card(parts, lambda: self._app.edit(note), lambda: self._app.offer(note))

    def view(self) -> View:
        found = [note for note in self._app.notes if self.asked in f"{note.title}\n{note.body}".lower()]
        rows = [Gap(4), *spaced(map(self._card, found))]
        if not found:
            rows.append(Panel(Text(self.say("No notes found", "没有找到笔记"), 17, align="center"), pad=40))
        field = self.input(self.search, self.say("Search notes", "搜索笔记"), icon="search")
        top = Column([heading(self._app.title), Panel(field, pad=(16, 2, 16, 10))])
        plus = Panel(Center(Icon("plus", 28, "on_accent")), fill="accent", radius=18, size=(60, 60), tap=self._app.new)
        return View(Column([*rows, Gap(80)]), top=top, floating=None if self.os.focused(self.search) else plus)


class EditPage(Page):
    """Edit title and body of a note, or of a new one. Only Save stores changes."""

    name = "edit"

    def __init__(self, app: Notes, note: Note | None) -> None:
        super().__init__(app.os)
        self._app, self._note = app, note
        self._body = Field(note.body if note else "", purpose="newline")
        self._title = Field(note.title if note else "", "next", submit=lambda _: self.os.focus(self._body))

    @property
    def about(self) -> str:
        return self._note.title if self._note else ""

    def _changed(self) -> bool:
        was = (self._note.title, self._note.body) if self._note else ("", "")
        return (self._title.text, self._body.text) != was

    def back(self) -> bool:
        if not self._changed():
            return False
        choices = [(self.say("Discard", "放弃"), self.os.pop), (self.say("Save", "保存"), self._save)]
        question = self.say("This note has changes that are not saved.", "这条笔记有未保存的修改。")
        self.os.push(Dialog(self.os, self.say("Save changes?", "保存修改？"), question, choices))
        return True

    def _leave(self) -> None:
        if not self.back():
            self.os.pop()

    def _save(self) -> None:
        self.os.pop()
        self._app.save(self._note, self._title.text.strip(), self._body.text)

    def view(self) -> View:
        note = self._note
        actions: list[Node] = [icon_button("trash", lambda: self._app.ask_delete(note, 2))] if note else []
        actions.append(button(self.say("Save", "保存"), self._save))
        title = self.say("Edit note", "编辑笔记") if note else self.say("New note", "新建笔记")
        fields = [
            self.input(self._title, self.say("Title", "标题"), plain=True, size=22, bold=True),
            Divider(),
            Gap(6),
            self.input(self._body, self.say("Write something", "写点什么"), plain=True, size=17),
            Gap(24),
        ]
        return View(Panel(Column(fields), pad=(20, 8, 20, 8)), top=top_bar(title, self._leave, actions))


class Notes(App):
    """Hold the notes, the newest first."""

    package, activity = "com.manyhands.notes", "com.manyhands.notes.MainActivity"
    label, label_zh, icon, colour = "Notes", "笔记", "note", rgb("d18b00")

    def __init__(self, os: System) -> None:
        super().__init__(os)
        self.notes = [Note(entry["title"], entry["body"]) for entry in os.library.notes()]
        self.searches: list[str] = []
        self._opened: list[str] = []

    def first_pages(self) -> list[Page]:
        return [NotesPage(self)]

    def new(self) -> None:
        self.os.push(EditPage(self, None))

    def edit(self, note: Note) -> None:
        note_once(self._opened, note.title)
        self.os.push(EditPage(self, note))

    def save(self, note: Note | None, title: str, body: str) -> None:
        """Store the text of a note. Drop a new note without text."""
        if note is None and not title and not body.strip():
            self.os.toast(self.say("Empty note discarded", "空笔记已丢弃"))
            return
        if note is None:
            note = Note("", "")
        else:
            self.notes.remove(note)
        note.title, note.body = title, body
        self.notes.insert(0, note)
        self.os.toast(self.say("Note saved", "笔记已保存"))

    def offer(self, note: Note) -> None:
        """Show the menu of a long press."""
        choices = [
            (self.say("Open", "打开"), lambda: self.edit(note)),
            (self.say("Delete", "删除"), lambda: self.ask_delete(note, 1)),
        ]
        self.os.push(Menu(self.os, note.title or self.say("Untitled", "无标题"), "", choices))

    def ask_delete(self, note: Note, depth: int) -> None:
        """Delete the note after a question. ``depth`` 2 also leaves the editor."""

        def delete() -> None:
            self.notes.remove(note)
            for _ in range(depth - 1):
                self.os.pop()
            self.os.toast(self.say("Note deleted", "笔记已删除"))

        text = self.say("It cannot be restored.", "删除后无法恢复。")
        question = self.say("Delete this note?", "删除这条笔记？")
        self.os.push(confirmation(self.os, question, text, self.say("Delete", "删除"), delete))

    def state(self) -> dict[str, Any]:
        items = [{"title": note.title, "body": note.body} for note in self.notes]
        return {"items": items, "opened": list(self._opened), "searches": list(self.searches)}

    def lasting_state(self) -> dict[str, Any]:
        return {"notes": self.state()["items"]}
