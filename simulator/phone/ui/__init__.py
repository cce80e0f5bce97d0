"""Draw a virtual phone: text, shapes, layout and the system's own surfaces.

Layers, each using only those before it: ``geometry``, ``theme``, ``fonts``, ``glyphs``, ``canvas``, ``scene`` (what
is drawn where), ``layout`` and ``widgets`` (trees of nodes that become a scene), ``keyboard`` and ``chrome`` (the
system's surfaces), ``compositor`` (scene to frames, with transitions).
"""
