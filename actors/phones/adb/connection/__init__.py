"""Speak with an adb server and the shells of its phones."""
