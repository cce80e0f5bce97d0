"""Labelled phone screens, rendered from real mobile UI kits and open icon sets: python -m training.screens --help."""
