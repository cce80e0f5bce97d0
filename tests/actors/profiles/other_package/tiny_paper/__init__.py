"""A paper's profile in a package of its own: look, decide, review, act. Nothing of Manyhands names it."""
