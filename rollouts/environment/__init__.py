"""Serve phones to trainers by OpenEnv's protocol: a client's actions take the place of a model's.

``messages``       what clients send and get
``client_agent``   the agent of the profile ``bare`` that asks the client instead of a model
``session``        one client's episodes, one after another, each on a phone leased for it
``server``         HTTP and WebSockets

An episode is that of a run: the host journals each action before it is sent, the gateway carries it out once, limits
and checks are the task's. So the rewards are those of runs, and reports and exports read the run folder.

Source: OpenEnv 0.10, ``core/env_server`` and ``core/env_client``.
"""
