"""Stand-ins for what a test or a demo lacks: virtual phones, a rehearsed model, suites of tasks.

Everything in here is reached through the door of the real thing: a virtual phone through a stock
adb server, the rehearsed model through HTTP. Nothing in ``actors`` imports this package.
"""
