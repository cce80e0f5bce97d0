"""Define the virtual phone: what it shows and does.

``device``         the interface: a phone as adb and its shell know it
``virtual_phone``  the phone that implements it, with its ``battery`` and the ``views`` of its window
``apps``           its apps, the host that runs them, the window that lays them out
``ui``             drawing, with ``fonts``
``vendors``        how phones of some vendors answer, as reported
``content``        what the seed decides: people, notes, messages, a shop, web pages
"""
