"""Define runs: their settings, limits, progress, control and figures."""
