"""Finding one thing on a screen by words (Mobile-Agent v1, section 2.2): no model is asked."""
