"""Metrics of a run for Prometheus."""
