"""``manyhands bench step``: measure how long a step takes under each schedule."""
