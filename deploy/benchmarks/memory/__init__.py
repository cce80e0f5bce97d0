"""``manyhands bench memory``: measure how long a large memory takes to read and search."""
