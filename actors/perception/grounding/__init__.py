"""Find one thing on a screen by words (Mobile-Agent v1, section 2.2). No model is asked."""
