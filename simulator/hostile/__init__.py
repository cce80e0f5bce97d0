"""A model server that answers with anything, to try what a hostile or broken one does to whoever asks it.

``server``    the HTTP side: which answers are hostile, and their counts
``settings``  where it listens, the seed, the share of hostile answers
``answers``   what one answer is: status line, headers, body, and how it is delivered
``bodies``    bodies of the pages that a model server has
``texts``     texts that are hard on whoever parses them
``__main__``  ``python -m manyhands.simulator.hostile``
"""
