"""``manyhands bench lessons``: what learning adds to a run, between episodes and in tokens."""
