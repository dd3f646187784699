"""The browser explorer: one problem, four views (data, gates, fields, formula).

`views/` holds one marimo file a view, thin; what they show is computed and drawn by the other modules here, which know
no browser. `server` starts them.
"""
