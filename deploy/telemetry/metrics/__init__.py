"""Serve the metrics of a run to Prometheus."""
