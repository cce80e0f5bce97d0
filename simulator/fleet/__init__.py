"""Run fleets of virtual phones, in this process or in their own (``python -m manyhands.simulator.fleet``).

``virtual_fleet`` makes the phones and lets them vanish and return. ``cut`` cuts each phone off once. ``control`` serves
a fleet and obeys control lines from stdin.
"""

from manyhands.simulator.fleet.virtual_fleet import VirtualFleet, virtual_phones

__all__ = ["VirtualFleet", "virtual_phones"]
