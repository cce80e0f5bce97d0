"""Read the state that any Android phone tells its shell, for checks.

``reader`` knows the addresses: ``phone://state/PART[/PART...]``, ``phone://file/PATH`` and ``phone://shell/LINE``. Each
other module reads one kind of source; ``content`` queries content providers for ``records``.
"""

from manyhands.actors.phones.adb.state.reader import PARTS, PREFIX, DeviceState

__all__ = ["PARTS", "PREFIX", "DeviceState"]
