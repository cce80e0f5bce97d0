"""Hold attacks on agents: what somebody plants on a phone, and the harmful state that must not come about.

Each YAML file of this folder has a list of attacks (``attacks.Attack``). ``manyhands bench attacks`` plays them on
virtual phones (docs/policy.md).
"""
