"""Serve a model with vLLM: plan what fits on a machine, choose flags, run servers as processes or on Ray Serve."""
