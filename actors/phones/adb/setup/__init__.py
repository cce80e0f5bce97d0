"""Prepare a phone as a task asks, and give it back as it was: the app under test, and the phone's settings."""
