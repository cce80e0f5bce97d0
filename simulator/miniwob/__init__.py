"""Provide MiniWoB's pages as a world for web phones: more than a hundred small tasks that others wrote, with rewards.

``pages``     the pages, those that are left out and why, and the number of each problem, for a phone's reset
``world.js``  begins a page's problem, and tells its goal and its reward
``suite``     a file of tasks: each goal is read from its page

The pages come from PyPI's ``miniwob`` (MIT), of which nothing is imported: ``pip install --no-deps miniwob``.
"""
