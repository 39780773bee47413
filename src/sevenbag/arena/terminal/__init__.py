"""Show games, standings and perfect clears on a terminal."""
