"""``manyhands bench fleet``: measure how throughput grows with the number of phones."""
