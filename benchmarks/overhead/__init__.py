"""``manyhands bench overhead``: measure what a step costs in Manyhands' own processes."""
