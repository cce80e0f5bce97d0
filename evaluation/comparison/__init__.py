"""Compare runs side by side, in the layout of the papers' tables and with the papers' figures."""
