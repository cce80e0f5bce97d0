"""A fleet: its settings, its phones and models, its actors, its run folder."""
