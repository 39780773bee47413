"""Who plays whom, when, and who is watching.

`match` runs one game between two bots; `seat` is a bot in its chair, with the clock beside it;
`watch` is how displays, recorders and statistics hang on; `result` is what comes out.
"""
