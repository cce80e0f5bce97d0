"""``manyhands bench chaos``: disturb a run with faults, and judge its results."""
