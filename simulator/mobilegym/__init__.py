"""Show MobileGym (github.com/Purewhiter/mobilegym, arXiv 2605.26114) on web phones; its user runs its server.

``world.js``  tells the simulator's state, route and keyboard, and waits until it is ready
``phone``     a web phone whose keys and apps are MobileGym's own
``phones``    such phones of one browser, by the settings that the command line takes

All goes through the globals ``__SIM__``, ``__SIM_FS__`` and ``__OS__`` of its page (its ``os/types/globals.d.ts``). Its
tasks and its judge are no part of the page: they are Python, in its ``bench_env``, and are not used here.
"""
