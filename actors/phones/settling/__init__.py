"""Decide when a screen is at rest, and learn from earlier actions of the same kind (docs/settling.md).

``changes``              where two looks differ; whether two screenshots show the same
``model``, ``settler``   how long screens keep still before a late change; whether one has come to rest
``post_capture``         looks after a screenshot, to learn whether it was final; pages shown before
"""
