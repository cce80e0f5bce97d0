"""The stages of a step that ask a role."""
