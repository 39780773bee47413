"""Rules of one game, matches of several games, their results, replays and state messages."""
