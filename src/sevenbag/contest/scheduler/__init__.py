"""Assign the matches of a contest to game servers and store their games.

`Scheduler` is the entry point. `match_assigner` assigns and revokes matches, `result_handler`
checks and stores results, `contest_runner` creates the matches that are due, `server_registry` has
the connections of game servers, and `site_api` is what the site receives.
"""

from __future__ import annotations

from sevenbag.contest.scheduler.scheduler import Scheduler
from sevenbag.contest.scheduler.site_api import ContestChange

__all__ = ["ContestChange", "Scheduler"]
