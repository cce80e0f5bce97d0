"""The report's pages in a real headless Chromium: ``make test-web``."""
