"""Check whether each node of a cluster can do its part of a run, and choose nodes for actors."""
