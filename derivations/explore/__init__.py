"""The browser explorer: a small server of numbers, and a page that draws them.

`server` starts it, `api` answers the page, `views` lists the views and the kinds of long work with their modules; the
other modules compute the numbers without a browser. `web/` is the page: plain JavaScript modules, no build.
"""
