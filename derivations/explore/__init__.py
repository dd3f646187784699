"""The browser explorer: one problem, four views (data, gates, fields, formula).

`views/` holds one short marimo file for each view; the other modules here compute and draw its content without a
browser. `server` starts them.
"""
