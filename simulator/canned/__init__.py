"""Stand-ins that cost next to nothing: a model that does not look, phones that do not draw.

For benchmarks of Manyhands' own work. What they answer is fixed; nothing about tasks can be learned from them.
"""
