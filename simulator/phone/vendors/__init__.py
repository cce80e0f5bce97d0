"""Declare how phones of some vendors answer, as people who drive phones have reported it.

``vendor``     defines a declaration: what the shell answers in place of Android's own answer
``catalogue``  collects the declarations of all modules of this folder, and gives them to phones by name

Every other module holds the declarations of one subject in ``VENDORS``.
"""
