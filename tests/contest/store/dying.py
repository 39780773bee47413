"""Write to a store until killed: `python -m ... HOW URL TOKEN`.

``keep`` keeps one game after the other, and says so after each, until somebody kills it. ``each``
lets a child keep a game and die before its first statement, the next one before its second, and so
on, until one gets through; it prints how many died. ``migrate`` dies while it makes the tables.
"""

import os
import signal
import sys

import alembic.op
from sqlalchemy import Engine, event

from sevenbag.contest.store import Store
from tests.contest.store.entries import ending, game


def replay(number: int) -> bytes:
    """Of several pages."""
    return number.to_bytes(4, "big") * 5_000


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def keep(url: str, token: str) -> None:
    with Store(url) as store:
        number = len(store.matches.list_game_results(token))
        while True:
            number += 1
            assert store.matches.add_game(token, game(number), replay(number))
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


def each(url: str, token: str) -> None:
    died = 0
    while True:
        child = os.fork()
        if child == 0:
            _keep_and_die(url, token, died)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            assert status == 0
            break
        died += 1
    sys.stdout.write(f"{died}\n")


def _keep_and_die(url: str, token: str, before: int) -> None:
    left = before
    with Store(url) as store:

        def count(*_: object) -> None:
            nonlocal left
            if left == 0:
                die()
            left -= 1

        event.listen(Engine, "before_cursor_execute", count)
        event.listen(Engine, "commit", count)
        assert store.matches.add_game(token, game(1), replay(1))
        assert store.matches.finish(token, ending())


def migrate(url: str, _: str) -> None:
    alembic.op.create_index = lambda *_, **__: die()
    Store(url).open()


if __name__ == "__main__":
    {"keep": keep, "each": each, "migrate": migrate}[sys.argv[1]](sys.argv[2], sys.argv[3])
