"""Hold the instructions of the papers' benchmarks, word for word. Name the tasks of virtual phones that play them."""
