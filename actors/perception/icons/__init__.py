"""Find the icons on a screen, and name them."""
