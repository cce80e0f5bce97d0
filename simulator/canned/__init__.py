"""Provide stand-ins that cost almost nothing: a model that does not look, phones that do not draw.

Benchmarks use them to measure Manyhands' own work. Their answers are fixed and say nothing about tasks.
"""
