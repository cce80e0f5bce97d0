"""Define screens, what is on them, and the actions on them."""
