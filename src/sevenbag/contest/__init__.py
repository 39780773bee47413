"""The Pason Battle Tetris contest of 2012, whole: the game, its servers, its bracket, its clients.

`rules` is what the contest's text leaves open, as data; `duel` one game, `record` its replay,
`match` the games of two teams, `tally` who has won; `server` speaks to clients over ZeroMQ;
`scheduler` places matches on servers, `link` is what the two say to each other; `store` keeps
everything; `client` is the other side of the wire; `check` holds a server against the contest's
text. The site is `sevenbag.web.contest`.
"""
