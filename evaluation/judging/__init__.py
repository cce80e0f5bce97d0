"""Store what judges say of a run, and compare judges."""
