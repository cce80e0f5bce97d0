"""Serving a model with vLLM: what fits on a machine, with which flags, as processes of ours or on Ray Serve."""
