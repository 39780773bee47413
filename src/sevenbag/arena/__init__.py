"""Who plays whom, when, and who is watching.

One game: `match` runs it, under `conditions`; `seat` is a bot in its chair, with the clock beside
it, and both sit at a `table`, where they take `turns` or play in `real_time`. `watch` is how
displays, recorders and statistics hang on; `result` is what comes out, `record` and `playback` are
the way to a replay and back.

Many games: `settings` and `entry` say what is to be played, `schedule` in which order, a `job` is
one of them, `tournament` plays them in a folder (`records`), `ledger` is how it stands.
`statistics`, `ratings`, `summary` and `report` are what can be said of it.
"""
