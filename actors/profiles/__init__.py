"""The loops of papers, a package each."""
