import itertools
import random
from collections.abc import Callable
from functools import partial
from typing import Any, get_args

import pytest

from sevenbag.contest.bracket import ContestPlan
from sevenbag.contest.game.match_results import ContestGameResult
from sevenbag.contest.scheduler_protocol import MAX_FRAME_BYTES
from sevenbag.contest.store import UNFINISHED, BuiltinEntrant, MatchRow, MatchState, Store
from sevenbag.errors import InputError, UnknownEntryError
from tests.contest.store.entries import HASH, RULES, ending, game, match, run_at_once, teams

RANDOM_TOKEN = "6f9619ff-8b86-4011-b42d-00cf4fc964ff"


def test_match_round_trip(store: Store) -> None:
    (team,) = teams(store, "one")
    row = store.matches.add(
        kind="test",
        name="Test of one",
        players=(team.id, BuiltinEntrant(name="Test Client", bot="random")),
        rules=RULES,
    )
    assert len(row.token) == 36
    assert (row.kind, row.name, row.rules, row.state) == ("test", "Test of one", RULES, "waiting")
    assert [(seat.team, seat.team_id, seat.bot) for seat in row.players] == [
        ("one", team.id, ""),
        ("Test Client", None, "random"),
    ]
    assert store.matches.get(row.token) == store.matches.find(row.token) == row
    assert store.matches.find_by_id(row.id) == row
    assert store.matches.list() == store.matches.list_unfinished() == (row,)


def test_assignment_of_a_match(store: Store) -> None:
    one, two = teams(store, "one", "two")
    row = store.matches.add(kind="test", name="T", players=(two.id, one.id), rules=RULES)
    store.matches.add_game(row.token, game(1), b"")
    store.teams.set_password(one.id, HASH + "bmV3")
    place = store.matches.load_assignment(row.token)
    assert (place.match_token, place.match_name, place.rules) == (row.token, "T", RULES)
    assert [(seat.team, seat.password_hash, seat.bot) for seat in place.players] == [
        ("two", HASH, ""),
        ("one", HASH + "bmV3", ""),
    ]
    assert place.finished_games == (game(1),)


def test_every_placement_of_a_match_has_a_higher_attempt(store: Store) -> None:
    row: MatchRow | None = match(store)
    attempts: list[int] = []
    ways: tuple[tuple[MatchState, ...], ...] = ((), ("playing",), ("playing",), ())
    for way in ways:
        assert row is not None
        row = store.matches.set_state(row, "placed", server="a")
        attempts.append(store.matches.load_assignment(row.token if row else "").attempt)
        for state in (*way, "waiting"):
            assert row is not None
            row = store.matches.set_state(row, state)
    assert attempts[0] == 1
    assert attempts == sorted(set(attempts))


def test_players_need_different_names(store: Store) -> None:
    one, two = teams(store, "Test Client", "two")
    bot = BuiltinEntrant(name="test client", bot="random")
    seats: list[tuple[int | BuiltinEntrant, int | BuiltinEntrant]] = [
        (one.id, one.id),
        (one.id, bot),
        (bot, bot),
    ]
    for pair in seats:
        with pytest.raises(InputError, match="cannot both be"):
            store.matches.add(kind="test", name="T", players=pair, rules=RULES)
    with pytest.raises(UnknownEntryError, match="team with number 99"):
        store.matches.add(kind="test", name="T", players=(two.id, 99), rules=RULES)
    with pytest.raises(UnknownEntryError, match="contest with number 9"):
        store.matches.add(
            kind="contest", name="T", players=(one.id, two.id), rules=RULES, contest_id=9
        )
    assert store.matches.list() == ()


def test_errors_about_tokens_do_not_contain_them(store: Store) -> None:
    for token in ["", "x", RANDOM_TOKEN, "\0" * 36, "\ud800" * 36, "x" * 10**6]:
        asks: list[Callable[[], Any]] = [
            partial(store.matches.get, token),
            partial(store.matches.load_assignment, token),
            partial(store.matches.list_game_results, token),
            partial(store.matches.add_game, token, game(1), b""),
            partial(store.matches.finish, token, ending()),
        ]
        for ask in asks:
            with pytest.raises(UnknownEntryError, match="unknown match with this token"):
                ask()
        assert store.matches.find(token) is None


def test_unknown_numbers_return_none(store: Store) -> None:
    match(store)
    for number in [0, -5, 999, 2**31, 2**80]:
        assert store.matches.find_by_id(number) is None
        assert store.matches.list_games(number) == ()
        assert store.matches.read_replay(number, 1) is None
        assert store.matches.read_replay(1, number) is None
        assert store.matches.list(contest_id=number) == ()
        assert store.matches.list(team_id=number) == ()
        assert store.matches.list_of_contest(number) == ()


def test_changes_based_on_an_old_revision(store: Store) -> None:
    seen = match(store)
    placed = store.matches.set_state(seen, "placed", server="north")
    assert placed is not None
    assert (placed.state, placed.server) == ("placed", "north")
    # A second or outdated scheduler still sees a waiting match.
    assert store.matches.set_state(seen, "placed", server="south") is None
    assert store.matches.get(seen.token) == placed
    playing = store.matches.set_state(placed, "playing")
    assert playing is not None
    assert (playing.state, playing.server) == ("playing", "north")
    waiting = store.matches.set_state(playing, "waiting")
    assert waiting is not None
    assert (waiting.state, waiting.server, waiting.began) == ("waiting", "", playing.began)


def test_times_of_a_match(url: str) -> None:
    clock = itertools.count(10.0, 10.0)
    with Store(url, clock=lambda: next(clock) if ticking else 0.0) as store:
        ticking = False
        one, two = teams(store, "one", "two")
        ticking = True
        row = store.matches.add(kind="test", name="T", players=(one.id, two.id), rules=RULES)
        states: tuple[MatchState, ...] = ("placed", "playing", "placed", "playing")
        for state in states:
            row = store.matches.set_state(row, state, server="n") or row
        store.matches.finish(row.token, ending())
        row = store.matches.get(row.token)
        assert (row.created, row.placed, row.began, row.ended) == (10, 40, 30, 60)


def test_concurrent_assignments_of_a_match(store: Store, url: str) -> None:
    seen = match(store)

    def place(number: int) -> str:
        with Store(url) as own:
            row = own.matches.set_state(seen, "placed", server=f"server {number}")
            return "" if row is None else row.server

    won = [server for server in run_at_once(8, place) if server]
    assert len(won) == 1
    assert store.matches.get(seen.token).server == won[0]


def test_ended_matches_are_final(store: Store) -> None:
    row = match(store)
    with pytest.raises(InputError, match="done"):
        store.matches.set_state(row, "done")
    off = store.matches.set_state(row, "called off")
    assert off is not None
    assert off.ended is not None
    for state in get_args(MatchState):
        with pytest.raises(InputError, match="called off"):
            store.matches.set_state(off, state)
    assert not store.matches.finish(row.token, ending())
    assert not store.matches.add_game(row.token, game(1), b"")
    assert store.matches.get(row.token) == off


def test_the_first_result_of_a_match_stays(store: Store) -> None:
    row = match(store)
    assert store.matches.finish(row.token, ending(1))
    assert store.matches.finish(row.token, ending(1))
    assert not store.matches.finish(row.token, ending(0))
    done = store.matches.get(row.token)
    assert (done.state, done.result) == ("done", ending(1))
    # An outdated reader cannot change it.
    assert store.matches.set_state(row, "placed", server="n") is None


def test_a_match_without_a_winner_is_called_off(store: Store) -> None:
    row = match(store)
    assert store.matches.finish(row.token, ending(None))
    assert store.matches.get(row.token).state == "called off"
    assert store.matches.finish(row.token, ending(None))


def test_games_behave_like_a_dictionary(store: Store) -> None:
    """Any order of telling, against the plainest that could hold them."""
    dice = random.Random(5)
    rows = [match(store, f"a{n}", f"b{n}") for n in range(2)]
    kept: dict[str, dict[int, tuple[ContestGameResult, bytes]]] = {row.token: {} for row in rows}
    over: set[str] = set()
    for _ in range(150):
        token = dice.choice(rows).token
        games = kept[token]
        if len(games) > 6 and dice.random() < 0.05:
            store.matches.finish(token, ending())
            over.add(token)
        number = dice.randint(1, len(games) + 2)
        told = game(number, dice.choice((0, 1)), (dice.randint(0, 3), dice.choice((0, 10**12))))
        if games and dice.random() < 0.3:
            told = dice.choice(list(games.values()))[0]
        replay = dice.randbytes(dice.randint(0, 50))
        if told.number in games:
            expected = games[told.number][0] == told
        else:
            expected = told.number == len(games) + 1 and token not in over
            if expected:
                games[told.number] = (told, replay)
        assert store.matches.add_game(token, told, replay) is expected
    assert all(kept.values())
    for row in rows:
        games = kept[row.token]
        results = [games[number][0] for number in range(1, len(games) + 1)]
        assert list(store.matches.list_game_results(row.token)) == results
        listed = store.matches.list_games(row.id)
        assert [(one.result, one.replay_bytes) for one in listed] == [
            (result, len(replay)) for result, replay in (games[r.number] for r in results)
        ]
        for number, (_, replay) in games.items():
            assert store.matches.read_replay(row.id, number) == replay
        sums = store.matches.get(row.token)
        assert sums.games == tuple(sum(r.winner == seat for r in results) for seat in (0, 1))
        assert sums.points == tuple(sum(r.scores[seat] for r in results) for seat in (0, 1))


def test_game_of_two_servers_is_stored_once(store: Store) -> None:
    row = match(store)
    told = [game(1, 0, (number, 0)) for number in range(6)]

    def keep(number: int) -> bool:
        return store.matches.add_game(row.token, told[number], bytes([number]))

    (first,) = (number for number, mine in enumerate(run_at_once(6, keep)) if mine)
    assert store.matches.list_game_results(row.token) == (told[first],)
    assert store.matches.read_replay(row.id, 1) == bytes([first])
    assert store.matches.get(row.token).games == (1, 0)


def test_size_of_replays_is_limited(store: Store) -> None:
    row = match(store)
    with pytest.raises(InputError, match="invalid replay"):
        store.matches.add_game(row.token, game(1), bytes(MAX_FRAME_BYTES + 1))
    assert store.matches.list_game_results(row.token) == ()


def test_filters_of_lists(store: Store) -> None:
    one, two, three = teams(store, "one", "two", "three")
    contest = store.contests.add("C", RULES, ContestPlan(), [one.id, two.id, three.id])
    bot = BuiltinEntrant(name="Bot", bot="random")
    rows: list[MatchRow] = [
        store.matches.add(kind="test", name="1", players=(one.id, bot), rules=RULES),
        *(
            store.matches.add(
                kind="contest",
                name=str(number),
                players=seats,
                rules=RULES,
                contest_id=contest.id,
                slot=f"slot {number}",
            )
            for number, seats in ((2, (one.id, two.id)), (3, (three.id, one.id)))
        ),
    ]
    store.matches.finish(rows[1].token, ending())

    def names(**choice: Any) -> str:
        return "".join(row.name for row in store.matches.list(**choice))

    assert names() == "321"
    assert names(limit=2) == "32"
    assert names(before=rows[1].id) == "1"
    assert names(states=UNFINISHED) == "31"
    assert names(states=[]) == ""
    assert names(kind="contest") == "32"
    assert names(contest_id=contest.id) == "32"
    assert names(team_id=one.id) == "321"
    assert names(team_id=two.id) == "2"
    assert names(team_id=one.id, kind="contest", states=["done"]) == "2"
    assert [row.name for row in store.matches.list_of_contest(contest.id)] == ["2", "3"]
    assert [row.name for row in store.matches.list_unfinished()] == ["1", "3"]
    assert store.matches.counts() == {"waiting": 2, "done": 1}
