"""Scores of perception: readings against labels of texts and icons."""
