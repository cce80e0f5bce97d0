"""Let agents and IDEs use a service over MCP, the Model Context Protocol.

``tools``     what they can do: list phones, submit a goal, wait for it, read its result, look at its screen, cancel it
``serving``   how they reach it: standard input and output, or HTTP on this machine
"""
