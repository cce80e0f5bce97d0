"""``manyhands bench edge``: measure what a broker between a run and its phones adds to a step."""
