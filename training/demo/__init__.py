"""Teach a small text model to operate a virtual phone, by rows that runs of Manyhands export (docs/training.md)."""
