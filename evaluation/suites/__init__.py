"""Hold the instructions of the papers' benchmarks, word for word, and which tasks of virtual phones play them."""
