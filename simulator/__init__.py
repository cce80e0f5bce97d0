"""Provide stand-ins for what a test or a demo lacks: virtual phones, a rehearsed model, suites of tasks.

Everything here is reached through the same interface as the real thing: a virtual phone through an ordinary adb server,
the rehearsed model through HTTP. Nothing in ``actors`` imports this package.
"""
