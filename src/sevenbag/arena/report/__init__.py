"""Render a tournament as one HTML page: plots, tables, and a player for each game.

The page is self-contained: it loads no other file. docs/report.md describes it.
"""

from sevenbag.arena.report.report_page import MAX_PLAYABLE_GAMES, render_report, write_report

__all__ = ["MAX_PLAYABLE_GAMES", "render_report", "write_report"]
