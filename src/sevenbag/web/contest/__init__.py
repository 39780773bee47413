"""The contest's site: its public pages, its teams' pages, its organisers' pages, its calls.

`server` listens; `app` puts the routes together; `visit` knows who is calling, `doors` whom to turn
away, `entrance` whom to let in. `accounts` is about coming and going, `team` what teams find,
`admin` and `contests` what organisers do; `calls` is for programs: those of teams and game servers.
`monitor` has the public pages, to which `live` brings what is played and `playback` what was. A
`venue` is all of a contest on one machine, and `demo` holds a small one there.
"""

from __future__ import annotations

from sevenbag.web.contest.invitations import create_admin_link

__all__ = ["create_admin_link"]
