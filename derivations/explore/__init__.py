"""The browser explorer: a small server of numbers, and a page that draws them.

`server` starts it, `api` answers the page, `views/` has one file for each view and `jobs/` one for each kind of long
work; the other modules compute the numbers without a browser. `web/` is the page: plain JavaScript modules, no build.
"""
