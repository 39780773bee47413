"""Write a store of the current version: `python -m tests.contest.store.make_old`.

Run once for each new version of the tables, before it is given away; what it wrote is then never
changed again, and read by all later versions.
"""

import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from sevenbag.contest.bracket import ContestPlan
from sevenbag.contest.game.match_results import MatchResult
from sevenbag.contest.store import Store
from sevenbag.contest.store.database import list_revisions
from tests.contest.store.entries import RULES, game, teams

RESULT = MatchResult(winner=0, ending="all games played", games=(1, 0), points=(300, 100))
FOLDER = Path(__file__).parents[2] / "data" / "contest"


def main() -> None:
    """Write a store with four teams and a bracket without its final."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "contest.db"
        with Store(f"sqlite:///{path}", clock=lambda: 1_352_764_800.0) as store:
            ids = [team.id for team in teams(store, "Büro 3", "one", "two", "three")]
            contest = store.contests.add("Old", RULES, ContestPlan(ranking=False, seed=3), ids)
            store.contests.set_state(contest, "running")
            for match in store.contests.create_due_matches(contest.id):
                store.matches.add_game(match.token, game(1), b"replay")
                store.matches.finish(match.token, RESULT)
            (final,) = store.contests.create_due_matches(contest.id)
            store.matches.set_state(final, "placed", server="north")
            store.matches.add_game(final.token, game(1, 1), b"final")
            store.sessions.open("team", ids[0], 60)
            store.invitations.add("admin")
            store.audit.add("ada", "contest started")
            truth = {
                "teams": ["Büro 3", "one", "three", "two"],
                "contest": "Old",
                "state": "running",
                "entrants": ["Büro 3", "one", "two", "three"],
                "matches": [
                    ["bracket/1/0", "done", 1, 0, 300, 100],
                    ["bracket/1/1", "done", 1, 0, 300, 100],
                    ["bracket/2/0", "placed", 0, 1, 300, 100],
                ],
                "replay": b"replay".hex(),
                "verdicts": {"done": 16},
                "champion": None,
            }
        with closing(sqlite3.connect(path)) as made:
            dump = "\n".join(made.iterdump()) + "\n"
    file = FOLDER / f"store-{list_revisions()[0]}"
    file.with_suffix(".sql").write_text(dump, encoding="utf-8")
    file.with_suffix(".json").write_text(json.dumps(truth, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
