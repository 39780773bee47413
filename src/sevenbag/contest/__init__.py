"""The Pason Battle Tetris contest of 2012: games, game servers, schedule, store and clients.

`game` has the rules of one game and of a match, `server` hosts matches over ZeroMQ, `scheduler`
assigns matches to game servers with the messages of `scheduler_protocol`, `store` is the database,
`bracket` decides which matches are due, and `client` plays or watches. The site is
`sevenbag.web.contest`.
"""
