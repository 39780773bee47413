"""Web applications: the page on which bots play, and the contest site.

`core` has what both use: the embedded server, request checks, static files. `play` is the page of
``sevenbag web``, `contest` the contest site.
"""
