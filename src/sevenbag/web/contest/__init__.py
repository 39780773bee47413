"""The contest's site: its public pages, its teams' pages, its organisers' pages, its calls.

`server` listens; `app` puts the routes together; `visit` knows who is calling. `accounts` lets
teams in, `team` is what they find, `admin` and `contests` what organisers do; `calls` is for
programs: those of teams and game servers.
"""
