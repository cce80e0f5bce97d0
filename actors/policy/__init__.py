"""Judge each action before it is sent: allowed, asked about, or refused (docs/policy.md).

``judge`` is a pure function of what is known. ``effects`` recognises what an action may bring about, ``orders`` finds
texts of a screen that address the agent.
"""
