"""Define what the pages of reports and of the console show of episodes and runs.

``evaluation/report/`` makes these types from journals. A report holds them as JSON, and a service answers them; so the
same components of ``web/`` show both.
"""
