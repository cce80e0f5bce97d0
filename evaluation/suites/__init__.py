"""The instructions of the papers' benchmarks, word for word, and which tasks play them on virtual phones."""
