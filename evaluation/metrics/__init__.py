"""The papers' metrics, made from run folders and from what judges said of them (docs/metrics.md)."""
