"""Lines of text on a screen: engines, and what is done with their lines whichever they are."""
