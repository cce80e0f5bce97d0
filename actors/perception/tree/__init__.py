"""Make elements of the views that a phone tells to accessibility services, and fill what they lack.

Everything here is a pure function of views and of elements that perception has read.
"""
