"""The settings of a run. Each is declared once: its flag, its page and the keyword of Fleet are made from that.

``fleet`` puts together the groups that are declared in ``models``, ``perception``, ``phones`` and ``sites``;
``loading`` reads flags, the environment and YAML; ``reference`` writes the page and ``keywords``.
"""
