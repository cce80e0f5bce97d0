"""Read the state that any Android phone tells its shell, for checks: ``phone://state/PART[/PART...]``.

``reader`` knows the addresses and the parts. Every other module reads one subject: ``system``, ``apps``,
``messages``, ``contacts``. ``content`` queries content providers for them.
"""

from manyhands.actors.phones.adb.state.reader import PARTS, PREFIX, read_device_state

__all__ = ["PARTS", "PREFIX", "read_device_state"]
