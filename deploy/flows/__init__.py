"""Make flows of episodes that were verified, and mend them by episodes that followed them.

``draft``    a flow of one episode, as a task of a YAML file
``steps``    the steps of a flow from those of an episode
``common``   one flow of what several episodes did
``repair``   a flow in which the agent's steps take the place of those that did not fit
"""
