"""Fleets of virtual phones, in this process or in one of their own (``python -m manyhands.simulator.fleet``).

``virtual_fleet`` makes the phones and lets them vanish and return, ``cut`` cuts them off once by itself, ``control``
serves a fleet and carries out the lines of stdin.
"""

from manyhands.simulator.fleet.virtual_fleet import VirtualFleet, virtual_phones

__all__ = ["VirtualFleet", "virtual_phones"]
