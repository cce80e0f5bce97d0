"""The console and the pages of reports in a real headless Chromium: ``make test-web``."""
