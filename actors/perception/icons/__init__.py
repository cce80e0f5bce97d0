"""Icons on a screen: where they are, and what they are called."""
