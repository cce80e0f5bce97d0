"""Define tests of what any phone tells about itself, and of what an episode saw: one class for each kind of fact.

A kind declares the address that is asked (``source``; transports answer ``phone://...``), a noun for messages, and the
fields that can be tested. The answer holds items under the key ``part``. A test holds if one item passes the tests of
all given fields::

    {sms: {contact: Emma Larsen, body: {contains: weekend}, box: sent}}
    {setting: {name: global.airplane_mode_on, value: 1}}
"""

from __future__ import annotations

import base64
import difflib
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar
from urllib.parse import quote as percent_encode

from pydantic import ConfigDict, Field, field_validator, model_validator

from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.tasks.value_tests import Json, NumberTest, TextTest, ValueTest, cut, quote

PHONE = "phone://"
SCREEN = "episode://screen"
"""What perception reads off the screen when the check is asked."""
ANSWER = "episode://answer"
"""The agent's last answer to the user."""
_SHOWN = 3
"""How many items are shown. Of further items only the number is shown."""
_LONGEST_SHOWN = 160
_COMPARED = 200
"""How many items are compared with a text to find the nearest ones."""
SMS_BOXES = ("inbox", "sent")
"""The boxes of which Android tells a shell."""
_SETTING_NAME = re.compile(r"(system|secure|global)\.[^\s.][^\s]*")


class StateCriteria(PublicInput):
    """Hold the tests on one kind of fact.

    Each field tests the field of the same name of an item, except the fields in ``named``.
    """

    part: ClassVar[str]
    """The key under which the answer holds its items."""
    noun: ClassVar[str]
    """What messages call one item."""
    named: ClassVar[frozenset[str]] = frozenset()
    """The fields that are no tests, but choose what is tested, such as a setting's name."""

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    @model_validator(mode="after")
    def _tests_something(self) -> StateCriteria:
        if not self.tests():
            fields = ", ".join(name.rstrip("_") for name in type(self).model_fields if name not in self.named)
            raise ValueError(f"says nothing about {self.noun}: give one of {fields}")
        return self

    @property
    def source(self) -> str:
        """Return the address that is asked."""
        return f"{PHONE}state/{self.part}"

    def tests(self) -> dict[str, ValueTest | bool]:
        """Return the tests that are given, by the field of an item."""
        fields = {name: getattr(self, name) for name in type(self).model_fields if name not in self.named}
        return {name.rstrip("_"): test for name, test in fields.items() if test is not None}

    def items(self, answer: Json) -> list[Mapping[str, Json]]:
        """Return the items of an answer."""
        part = answer.get(self.part) if isinstance(answer, dict) else None
        listed = part if isinstance(part, list) else [part]
        return [item for item in listed if isinstance(item, dict)]

    def holds(self, answer: Json) -> bool:
        """Return whether one item passes all tests."""
        return any(
            all(_passes(test, item.get(field)) for field, test in self.tests().items()) for item in self.items(answer)
        )

    def opening(self) -> str:
        """Return what is tested, as the beginning of ``describe``."""
        return f"{self.noun} whose"

    def describe(self) -> str:
        """Write the tests in words."""
        return f"{self.opening()} {' and '.join(_describe(field, test) for field, test in self.tests().items())}"

    def _nearest(self, items: Sequence[Mapping[str, Json]]) -> str:
        """Return the texts that come nearest to a text that is tested, after ``, such as``; empty if none is near."""
        for field, test in self.tests().items():
            target = None if isinstance(test, bool) else test.contains or test.matches or test.equals
            texts = [text for item in items[:_COMPARED] if isinstance(text := item.get(field), str) and text.strip()]
            near = difflib.get_close_matches(str(target), texts, n=_SHOWN, cutoff=0.3)
            if near:
                return f", such as {field} {', '.join(map(quote, near))}"
        return ""

    def found(self, answer: Json) -> str:
        """Write the tested fields of those items that pass the most tests."""
        tests = self.tests()
        items = self.items(answer)
        if not items:
            return "none"
        passed = [
            sum(_weight(test) * _passes(test, item.get(field)) for field, test in tests.items()) for item in items
        ]
        best = max(passed)
        near = [item for item, count in zip(items, passed, strict=True) if count == best]
        if best == 0 and len(items) > _SHOWN:
            return f"none of {len(items)}{self._nearest(items)}"
        excerpts = [
            cut(", ".join(f"{field} {quote(item.get(field))}" for field in tests), _LONGEST_SHOWN)
            for item in near[:_SHOWN]
        ]
        return "; ".join([*excerpts, *([f"and {len(near) - _SHOWN} more"] if len(near) > _SHOWN else [])])


def _weight(test: ValueTest | bool) -> int:
    """Return how much a passed test counts: a text says which item is meant, a state such as ``checked`` does not."""
    return 1 if isinstance(test, bool) else 10


def _passes(test: ValueTest | bool, value: Json) -> bool:
    if isinstance(test, bool):
        return value is test
    if isinstance(value, str) and (test.at_least is not None or test.at_most is not None):
        value = _number(value)  # a phone prints numbers as texts
    return test.accepts(value)


def _number(text: str) -> Json:
    try:
        return float(text)
    except ValueError:
        return text


def _describe(field: str, test: ValueTest | bool) -> str:
    return f"{field} is {str(test).lower()}" if isinstance(test, bool) else f"{field} {test.describe()}"


# ---------------------------------------------------------------------------- the kinds
class UiNode(StateCriteria):
    """Test a node of the accessibility tree of the window in front."""

    part, noun = "ui", "a node of the screen"
    text: TextTest | None = None
    """The node's text."""
    description: TextTest | None = None
    """Its content description, which screen readers read out."""
    id: TextTest | None = None
    """Its resource id."""
    class_: TextTest | None = Field(default=None, alias="class")
    """Its class, such as ``android.widget.Switch``."""
    package: TextTest | None = None
    """The package of its app."""
    checked: bool | None = None
    """Whether it is checked, for a switch or a box."""
    selected: bool | None = None
    """Whether it is selected."""
    focused: bool | None = None
    """Whether it has the focus."""
    enabled: bool | None = None
    """Whether it can be used."""


class SettingValue(StateCriteria):
    """Test a setting of the phone, named ``system.NAME``, ``secure.NAME`` or ``global.NAME``."""

    part, noun, named = "settings", "a setting", frozenset({"name"})
    name: str = Field(max_length=200)
    """The name: ``system.NAME``, ``secure.NAME`` or ``global.NAME``."""
    value: TextTest | None = None
    """The value of the setting."""
    exists: bool | None = None
    """Whether the phone has the setting."""

    @field_validator("name")
    @classmethod
    def _names_a_table(cls, name: str) -> str:
        if not _SETTING_NAME.fullmatch(name):
            raise ValueError(f"a setting's name begins with system., secure. or global., such as secure.{name[:40]}")
        return name

    def items(self, answer: Json) -> list[Mapping[str, Json]]:
        namespace, _, name = self.name.partition(".")
        values = super().items(answer)[0].get(namespace) if super().items(answer) else None
        value = values.get(name) if isinstance(values, dict) else None
        return [{"value": value, "exists": value is not None}]

    def opening(self) -> str:
        return f"the setting {self.name} whose"


class AppState(StateCriteria):
    """Test an installed app. ``installed: false`` holds if no app has the package."""

    part, noun, named = "apps", "an app", frozenset({"package"})
    package: str = Field(pattern=r"^[A-Za-z][\w.]*$")
    """The app's package, such as ``com.android.chrome``."""
    installed: bool | None = None
    """Whether the app is installed."""
    front: bool | None = None
    """Whether the app is in front."""
    running: bool | None = None
    """Whether a process of the app runs."""
    version: NumberTest | None = None
    """The version code of the app."""

    def items(self, answer: Json) -> list[Mapping[str, Json]]:
        listed = [item for item in super().items(answer) if item.get("package") == self.package]
        return [{**item, "installed": True} for item in listed] or [
            {"installed": False, "front": False, "running": False, "version": None}
        ]

    def found(self, answer: Json) -> str:
        installed = self.items(answer)[0]["installed"]
        return super().found(answer) if installed else "that it is not installed"

    def opening(self) -> str:
        return f"the app {self.package} with"


class FileState(StateCriteria):
    """Test a file on shared storage; ``path`` is relative to it, such as ``Download/report.pdf``."""

    part, noun, named = "file", "a file", frozenset({"path"})
    path: str = Field(min_length=1, max_length=400)
    """The path relative to shared storage, such as ``Download/report.pdf``."""
    exists: bool | None = None
    """Whether there is such a file."""
    size: NumberTest | None = None
    """Bytes."""
    content: TextTest | None = None
    """The first 64 KiB, read as UTF-8."""

    @field_validator("path")
    @classmethod
    def _stays_inside(cls, path: str) -> str:
        if path.startswith("/") or ".." in path.split("/"):
            raise ValueError("a path is relative to shared storage, without a leading / and without ..")
        return path

    @property
    def source(self) -> str:
        return f"{PHONE}file/{percent_encode(self.path)}"

    def opening(self) -> str:
        return f"the file {self.path} whose"


class Notification(StateCriteria):
    """Test a notification that is shown."""

    part, noun = "notifications", "a notification"
    package: TextTest | None = None
    """The package of the app that shows the notification."""
    title: TextTest | None = None
    """The title of the notification."""
    text: TextTest | None = None
    """The text of the notification."""


class SmsMessage(StateCriteria):
    """Test an SMS; ``contact`` is the name that the phone's contacts have for the address."""

    part, noun = "sms", "an SMS"
    address: TextTest | None = None
    """The number of the other side."""
    contact: TextTest | None = None
    """The name that the phone's contacts have for the address."""
    body: TextTest | None = None
    """The text of the message."""
    box: TextTest | None = None
    """One of ``SMS_BOXES``."""
    read: bool | None = None
    """Whether the message is marked as read."""
    at: TextTest | None = None
    """ISO 8601 in UTC."""

    @field_validator("box")
    @classmethod
    def _names_a_box(cls, box: ValueTest | None) -> ValueTest | None:
        if box is not None and not any(map(box.accepts, SMS_BOXES)):
            raise ValueError(f"a phone tells of {' and '.join(SMS_BOXES)} alone, and none of them {box.describe()}")
        return box


class Contact(StateCriteria):
    """Test a contact of the phone."""

    part, noun = "contacts", "a contact"
    name: TextTest | None = None
    """The name of the contact."""
    number: TextTest | None = None
    """One of the contact's phone numbers."""


class PhoneCall(StateCriteria):
    """Test a call in the phone's log."""

    part, noun = "calls", "a call"
    number: TextTest | None = None
    """The number of the other side."""
    contact: TextTest | None = None
    """The name that the phone's contacts have for the number."""
    kind: TextTest | None = None
    """incoming, outgoing, missed or what else the log has."""
    seconds: NumberTest | None = None
    """How long the call took, in seconds."""


class CalendarEvent(StateCriteria):
    """Test an event of the phone's calendars; times are ISO 8601 in the event's own zone."""

    part, noun = "calendar", "an event"
    title: TextTest | None = None
    """The title of the event."""
    location: TextTest | None = None
    """The place of the event."""
    description: TextTest | None = None
    """The description of the event."""
    begin: TextTest | None = None
    """When the event begins, in ISO 8601 and the event's own zone."""
    end: TextTest | None = None
    """When the event ends, in ISO 8601 and the event's own zone."""


class Clipboard(StateCriteria):
    """Test the text in the clipboard."""

    part, noun = "clipboard", "a clipboard"
    text: TextTest | None = None
    """The text on the clipboard."""


class PropertyValue(StateCriteria):
    """Test a property of the system, as ``getprop`` prints it."""

    part, noun, named = "properties", "a property", frozenset({"name"})
    name: str = Field(min_length=1, max_length=200)
    """The name of the system property."""
    value: TextTest | None = None
    """The value of the system property."""

    def items(self, answer: Json) -> list[Mapping[str, Json]]:
        return [item for item in super().items(answer) if item.get("name") == self.name] or [{"value": None}]

    def opening(self) -> str:
        return f"the property {self.name} whose"


class ShellOutput(StateCriteria):
    """Test what a line prints in the phone's shell. The task's author wrote the line; no model ever does."""

    part, noun, named = "shell", "a line of the shell", frozenset({"line"})
    line: str = Field(min_length=1, max_length=2000)
    """The command line that the phone's shell runs."""
    output: TextTest | None = None
    """What the command prints."""
    code: NumberTest | None = None
    """The command's exit code."""

    @property
    def source(self) -> str:
        return f"{PHONE}shell/{base64.urlsafe_b64encode(self.line.encode()).decode().rstrip('=')}"

    def opening(self) -> str:
        return f"the shell's {quote(self.line)} whose"


class ScreenElement(StateCriteria):
    """Test an element that perception reads off the screen: a text, or an icon by its name."""

    part, noun = "screen", "an element of the picture"
    text: TextTest | None = None
    """The text of an element on the screen."""
    icon: TextTest | None = None
    """The name of an icon on the screen."""

    @property
    def source(self) -> str:
        return SCREEN


class AgentAnswer(ValueTest):
    """Test the agent's answer: its whole text, or with ``path`` a value of an answer that is JSON."""

    path: str | None = Field(default=None, pattern=r"^[^.\s]+(\.[^.\s]+)*$")
    """The path of a value in an answer that is JSON; None for the answer's text."""

    def subject(self) -> str:
        return "answer"


class StateTest(PublicInput):
    """Test one fact. Exactly one kind must be given; its field is the key that a check names."""

    ui: UiNode | None = None
    """Test a node of the window in front."""
    setting: SettingValue | None = None
    """Test a setting."""
    app: AppState | None = None
    """Test an installed app."""
    file: FileState | None = None
    """Test a file on shared storage."""
    notification: Notification | None = None
    """Test a notification."""
    sms: SmsMessage | None = None
    """Test an SMS."""
    contact: Contact | None = None
    """Test a contact."""
    call: PhoneCall | None = None
    """Test a call in the log."""
    calendar: CalendarEvent | None = None
    """Test an event of the calendar."""
    clipboard: Clipboard | None = None
    """Test the clipboard."""
    property: PropertyValue | None = None
    """Test a system property."""
    shell: ShellOutput | None = None
    """Test what a command prints. The fleet must allow such tests."""
    screen: ScreenElement | None = None
    """Test what was read off the screen."""

    @model_validator(mode="after")
    def _one_kind(self) -> StateTest:
        criteria = self._given()
        if len(criteria) != 1:
            raise ValueError(f"a test names exactly one of {', '.join(KINDS)}; given: {list(criteria) or 'none'}")
        return self

    def _given(self) -> dict[str, StateCriteria]:
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: criteria for name, criteria in fields.items() if criteria is not None}

    def criteria(self) -> StateCriteria:
        """Return the criteria of the given kind."""
        (criteria,) = self._given().values()
        return criteria


KINDS: tuple[str, ...] = tuple(StateTest.model_fields)
"""The keys of the kinds."""
