"""A tournament as one HTML page: plots, tables, and a player for each game.

The page needs nothing but itself: no server, no other file, no network. docs/report.md shows it.

::

    write_report   reads a tournament's folder and writes the page
    page           puts the page together
    charts         what is plotted;  axes: scales and their ticks
    games          games as the page's script plays them
"""

from sevenbag.arena.report.page import MOST_GAMES, report_page, write_report

__all__ = ["MOST_GAMES", "report_page", "write_report"]
