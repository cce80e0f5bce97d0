"""Compute the papers' metrics from run folders and judgements (docs/metrics.md)."""
