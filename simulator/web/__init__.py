"""Provide web phones: virtual phones whose screen is a page of a headless Chromium.

``access``   which pages may be loaded
``browser``  one Chromium for many phones
``screen``   a page at a phone's size: touches, keys, pixels, views
``page.js``  what runs in each page: it reads views, and stands in for windows that a headless browser does not draw
``keys``     Android's keys as Chromium's
``phone``    such a screen as a phone behind adbd
``fleet``    phones of one browser, by the settings that the command line takes

Playwright comes with the extra ``web``. Nothing outside this package imports it.
"""
