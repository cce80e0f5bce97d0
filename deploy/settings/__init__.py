"""Declare the settings of a run. Flags, docs/settings.md and the keywords of Fleet are made from one declaration.

``fleet`` combines the groups that ``models``, ``perception`` and ``phones`` declare. ``loading`` reads flags, the
environment and YAML. ``reference`` writes the page and the module ``keywords``.
"""
