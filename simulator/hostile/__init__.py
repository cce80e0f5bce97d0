"""Serve a model that answers with anything, to test how clients handle a hostile or broken server.

``server``    the HTTP side: which answers are hostile, and their counts
``settings``  where it listens, the seed, the share of hostile answers
``answers``   one answer: status line, headers, body, and how it is delivered
``bodies``    bodies of the pages of a model server
``texts``     texts that are hard to parse
``__main__``  ``python -m manyhands.simulator.hostile``
"""
