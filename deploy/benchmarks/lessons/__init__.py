"""``manyhands bench lessons``: measure what learning adds to a run, between episodes and in tokens."""
