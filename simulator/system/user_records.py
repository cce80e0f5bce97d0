"""Keep calls, calendar events and notifications, which shell commands add and no app of the virtual phone draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Value = str | int | None
MOST_RECORDS = 10_000


@dataclass(frozen=True, slots=True)
class PostedNotification:
    """Hold a notification that the shell posted. Its tag is unique."""

    tag: str
    title: str
    text: str


@dataclass(slots=True)
class UserRecords:
    """Hold the added records until the phone is reset."""

    calls: list[dict[str, Value]] = field(default_factory=list)
    events: list[dict[str, Value]] = field(default_factory=list)
    notifications: dict[str, PostedNotification] = field(default_factory=dict)

    def add(self, rows: list[dict[str, Value]], values: Mapping[str, Value]) -> None:
        """Append a row with the next id. Raises ValueError if there are MOST_RECORDS rows."""
        if len(rows) >= MOST_RECORDS:
            raise ValueError(f"a virtual phone keeps at most {MOST_RECORDS} records of one kind")
        rows.append({"_id": len(rows) + 1, **values})

    def post(self, notification: PostedNotification) -> None:
        """Show a notification, in place of one with the same tag. Raises ValueError if there are MOST_RECORDS."""
        if len(self.notifications) >= MOST_RECORDS:
            raise ValueError(f"a virtual phone shows at most {MOST_RECORDS} notifications")
        self.notifications[notification.tag] = notification
