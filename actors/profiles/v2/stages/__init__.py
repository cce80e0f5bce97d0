"""The stages of a step that ask an agent, and the one that restores a page."""
