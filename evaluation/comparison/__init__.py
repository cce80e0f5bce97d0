"""Runs side by side, in the layout of the papers' tables and beside their figures."""
