"""Tell the user's data on a virtual phone: messages, contacts, clipboard, and which apps run."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.simulator.phone.apps.host import Host
from manyhands.simulator.phone.apps.messages import Messages
from manyhands.simulator.phone.device import TextMessage


class UserData:
    """Implement ``device.UserDevice`` for a phone whose apps run in a ``Host``."""

    _host: Host

    def text_messages(self) -> Sequence[TextMessage]:
        return self._messages.texts()

    def contacts(self) -> Sequence[tuple[str, str]]:
        return [(person.name, person.number) for person in self._messages.people]

    def clipboard_text(self) -> str:
        return self._host.clipboard.text

    def running(self) -> Sequence[str]:
        """Return the launcher, and the apps that have a task. When its task ends, an app no longer runs."""
        return [self._host.launcher.package, *(task.app.package for task in self._host.tasks)]

    @property
    def _messages(self) -> Messages:
        app = self._host.apps[Messages.package]
        assert isinstance(app, Messages)
        return app
