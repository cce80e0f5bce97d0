"""A run's figures for Prometheus."""
