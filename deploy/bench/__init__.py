"""What the benchmarks run. Their figures and plots are in ``evaluation.bench``."""
