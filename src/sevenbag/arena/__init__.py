"""Play games and tournaments between bots.

`runner` plays one game, `tournament` many of them in a folder. `statistics` has the formulas,
`report` renders a tournament as an HTML page, `terminal` shows games and standings.
"""
