"""Figures, audits and reports, made from run folders alone."""
