"""The benchmarks' figures and plots: pure functions of what was recorded."""
