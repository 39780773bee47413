from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from sevenbag.contest.store import Store, name_key
from sevenbag.errors import InputError, NameTakenError, UnknownEntryError
from tests.contest.store.entries import HASH, game, match, run_at_once, teams

OTHER_HASH = HASH + "b3RoZXI"


def test_team_names_ignore_case_and_form(store: Store) -> None:
    (team,) = teams(store, "Stäck Attack")
    for name in ("Stäck Attack", "stäck  ATTACK", " Stäck Attack ", "Sta\u0308ck Attack"):
        assert store.teams.find(name) == team
    assert store.teams.get(team.id) == team
    assert (team.name, team.password_hash, team.disabled) == ("Stäck Attack", HASH, False)


def test_lookalike_names_are_equal(store: Store) -> None:
    teams(store, "Stack Attack", "Team km")
    # Full-width letters, and a letter whose upper case has two letters.
    for name in ["stack attack", "STACK  ATTACK", "\uff33tack Attack", "Team \u33ce"]:
        with pytest.raises(NameTakenError, match="is already taken"):
            store.teams.add(name, HASH)
        assert store.teams.count() == 2


def test_invalid_names(store: Store) -> None:
    teams(store, "other")
    for name in ["", " ", "a ", " a", "a" * 81, "a\nb", "a\0b", "\u202eabc", "\ud800", "a\tb"]:
        with pytest.raises(InputError, match="invalid name of a team"):
            store.teams.add(name, HASH)
        assert store.teams.find(name) is None


def test_passwords_must_be_hashed(store: Store) -> None:
    (team,) = teams(store, "one")
    for word in ["secret", "", "$argon2" + "x" * 400]:
        for ask in (
            partial(store.teams.add, "two", word),
            partial(store.teams.set_password, team.id, word),
            partial(store.admins.add, "two", word),
        ):
            with pytest.raises(InputError, match="expected an argon2 hash") as refused:
                ask()
            assert not word or word not in str(refused.value)
        assert store.teams.get(team.id).password_hash == HASH


def test_hashes_are_not_shown(store: Store) -> None:
    (team,) = teams(store, "one")
    assert "argon2" not in repr(team)


def test_unknown_accounts(store: Store) -> None:
    for number in [0, -1, 77, 2**31, 2**70]:
        asks: list[Callable[[], Any]] = [
            partial(store.teams.get, number),
            partial(store.teams.set_disabled, number, True),
            partial(store.admins.set_password, number, HASH),
            partial(store.sessions.open, "team", number, 60),
        ]
        for ask in asks:
            with pytest.raises(UnknownEntryError, match=str(number)):
                ask()


def test_teams_are_read_page_by_page(store: Store) -> None:
    names = [f"{'abcXYZ'[index % 6]}team {index}" for index in range(17)]
    teams(store, *names)
    read: list[str] = []
    while page := store.teams.list(limit=5, after=read[-1] if read else ""):
        read += [team.name for team in page]
    assert read == sorted(names, key=name_key)


def test_administrators_are_not_teams(store: Store) -> None:
    assert not store.admins.any_enabled()
    admin = store.admins.add("Ada", HASH)
    assert store.admins.any_enabled()
    assert store.admins.find("ADA") == admin
    assert store.admins.list() == (admin,)
    assert store.teams.find("Ada") is None
    assert store.teams.count() == 0
    teams(store, "Ada")
    store.admins.set_disabled(admin.id, True)
    assert not store.admins.any_enabled()


def test_a_login_is_good_until_its_time_is_over(url: str) -> None:
    now = 1_000.0
    with Store(url, clock=lambda: now) as store:
        (team,) = teams(store, "one")
        admin = store.admins.add("ada", HASH)
        ours, theirs = (
            store.sessions.open("team", team.id, 60),
            store.sessions.open("admin", admin.id, 90),
        )
        assert ours != theirs
        now = 1_059.9
        found = store.sessions.find(ours)
        assert found is not None
        assert (found.role, found.team, found.admin) == ("team", team, None)
        assert (found.created, found.expires) == (1_000, 1_060)
        now = 1_060.0
        assert store.sessions.find(ours) is None
        found = store.sessions.find(theirs)
        assert found is not None
        assert (found.role, found.team, found.admin) == ("admin", None, admin)
        assert store.sessions.prune() == 1
        assert store.sessions.find(theirs) is not None


def test_ends_of_logins(store: Store) -> None:
    one, two = teams(store, "one", "two")
    first, again, other = (store.sessions.open("team", team.id, 60) for team in (one, one, two))
    store.sessions.close(first)
    assert store.sessions.find(first) is None
    assert store.sessions.find(again) is not None
    store.teams.set_password(one.id, OTHER_HASH)
    assert store.teams.get(one.id).password_hash == OTHER_HASH
    assert store.sessions.find(again) is None
    assert store.sessions.find(other) is not None
    store.teams.set_disabled(two.id, True)
    assert store.sessions.find(other) is None
    assert store.sessions.find(store.sessions.open("team", two.id, 60)) is None


def test_invalid_tokens(store: Store) -> None:
    for token in ["", "x", "\0", "\ud800", "a" * 100_000]:
        assert store.sessions.find(token) is None
        assert store.invitations.redeem(token) is None
        store.sessions.close(token)


def test_a_link_works_once_and_for_a_while(url: str) -> None:
    now = 1_000.0
    with Store(url, clock=lambda: now) as store:
        (team,) = teams(store, "one")
        link = store.invitations.add("team password", team_id=team.id, lifetime=60)
        late = store.invitations.add("admin", lifetime=30)
        found = store.invitations.find(link)
        assert found is not None
        assert (found.purpose, found.team_id, found.expires) == ("team password", team.id, 1_060)
        now = 1_030.0
        assert store.invitations.find(late) is None
        assert store.invitations.redeem(late) is None
        assert store.invitations.redeem(link) == found
        assert store.invitations.redeem(link) is None


def test_concurrent_redemptions_of_a_link(store: Store) -> None:
    link = store.invitations.add("admin")
    taken = run_at_once(6, lambda _: store.invitations.redeem(link))
    assert sum(one is not None for one in taken) == 1


def test_purpose_and_team_of_links(store: Store) -> None:
    with pytest.raises(InputError):
        store.invitations.add("team password")
    with pytest.raises(InputError):
        store.invitations.add("admin", team_id=1)
    with pytest.raises(UnknownEntryError):
        store.invitations.add("team password", team_id=5)


def test_moves_are_counted_over_all_games_of_a_team(store: Store) -> None:
    row = match(store)
    one, two = (seat.team_id for seat in row.players)
    assert one is not None
    assert two is not None
    back = store.matches.add(kind="test", name="Back", players=(two, one), rules=row.rules)
    store.matches.add_game(row.token, game(1, verdicts=({"done": 3}, {"collides": 1})), b"")
    store.matches.add_game(row.token, game(2, verdicts=({"done": 4, "no piece": 2}, {})), b"")
    store.matches.add_game(back.token, game(1, verdicts=({"done": 50}, {"done": 7})), b"")
    assert store.teams.count_moves(one) == {"done": 14, "no piece": 2}
    assert store.teams.count_moves(two) == {"collides": 1, "done": 50}


def test_pages_of_the_audit_log(url: str) -> None:
    now = 0.0
    with Store(url, clock=lambda: now) as store:
        for number in range(7):
            now = float(number)
            store.audit.add("ada", f"did {number}", "match 3", "127.0.0.1")
        first = store.audit.list(limit=3)
        then = store.audit.list(limit=10, before=first[-1].id)
        assert [entry.what for entry in (*first, *then)] == [f"did {n}" for n in reversed(range(7))]
        assert (first[0].who, first[0].about, first[0].at) == ("ada", "match 3", 6.0)
        store.audit.add("x\0y", "a\nline\ud800", "z" * 10_000)
        odd = store.audit.list(limit=1)[0]
        assert (odd.who, odd.what, len(odd.about)) == ("x?y", "a?line?", 400)
