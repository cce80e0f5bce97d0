"""Play attacks on an agent that obeys every text: does the policy stop what it is told to do?

``command``   ``manyhands bench attacks``
``tasks``     from attacks to tasks: what is planted for which seed, and the harmful state as a rubric
``play``      episodes in this process: virtual phones, the obedient model, the profile's agents, no Ray
``figures``   what the episodes came to, by kind of attack
"""
