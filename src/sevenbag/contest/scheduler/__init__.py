"""Gives a contest's matches to game servers, and keeps their games.

`Scheduler` is the way in. Below it, the `desk` gives matches that are `ongoing` to servers and
takes them away, `results` puts what they finish into the store once the `judge` has doubted it, and
`contests` says which matches are due. `game_servers` are the connections; `changes` and `views` are
what the site hears.
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
