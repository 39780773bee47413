"""Gives a contest's matches to game servers, and keeps their games.

`Scheduler` is the way in. Below it, the `desk` gives matches to servers and takes them away,
`contests` says which are due; `game_servers` are the connections, `judge` doubts what they tell,
`changes` and `views` are what the site hears.
"""

from __future__ import annotations

from sevenbag.contest.scheduler.changes import Change, ChangeKind, Subscription
from sevenbag.contest.scheduler.scheduler import Scheduler
from sevenbag.contest.scheduler.views import (
    CurrentMatch,
    CurrentStatus,
    MatchAddress,
    ServerView,
    TestMatch,
)

__all__ = [
    "Change",
    "ChangeKind",
    "CurrentMatch",
    "CurrentStatus",
    "MatchAddress",
    "Scheduler",
    "ServerView",
    "Subscription",
    "TestMatch",
]
