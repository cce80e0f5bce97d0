"""Reports: what their pages are given, and their files."""
