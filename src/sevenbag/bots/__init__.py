"""Bots: built-in ones, drivers that make a foreign program a bot, and servers for the reverse."""
