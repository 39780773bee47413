"""Tests of ``sevenbag pc chance``, ``cover`` and ``path``."""

import json
from pathlib import Path

import pytest

from sevenbag import Board, Kicks, Placement, Rotation
from sevenbag.formats.fumen import Fumen
from tests.cli.run import assert_rejected, run_ok, sevenbag

PCO = "XXXXX_____/XXXXXX____/XXXXXXX___/XXXXXX____"
AFTER_I = "v115@9gE8DeG8CeH8BeG8CeA8JeAgH"


def test_share_and_failed_queues() -> None:
    output = run_ok("pc", "chance", PCO, "I,*p4", "--failed", "3")
    first, _, heading, *queues = output.splitlines()
    assert first == "success: 84.64% [711/840]"
    assert heading == "without a perfect clear: 129, the first 3"
    assert len(queues) == 3
    assert all(queue[0] == "I" and len(queue) == 5 for queue in queues)


def test_fumen_and_json() -> None:
    done = sevenbag("pc", "chance", AFTER_I, "*p4", "--json", "--failed", "1000", "--tree", "1")
    found = json.loads(done.stdout)
    assert (found["solved"], found["total"], len(found["failed"])) == (514, 840, 840 - 514)
    assert sum(branch["solved"] for branch in found["tree"]) == 514
    assert (found["hold"], found["kicks"], found["drop"]) == (True, "srs", "soft")


def test_tree() -> None:
    done = sevenbag("pc", "chance", AFTER_I, "*p4", "--tree", "2", "--failed", "0")
    assert len(done.stdout.splitlines()) == 1 + 7 + 42


def test_unused_pieces_are_reported() -> None:
    done = sevenbag("pc", "chance", AFTER_I, "*p7", "--failed", "0")
    assert done.stdout == "success: 61.19% [514/840]\n"
    assert "only the first 4 pieces of each queue can be used, 3 more are left out" in done.stderr


def test_field_and_pattern_from_files(tmp_path: Path) -> None:
    (tmp_path / "field").write_text(PCO.replace("/", "\n") + "\n")
    (tmp_path / "pattern").write_text("# after the opener\nI,*p4\n")
    done = sevenbag("pc", "chance", "@field", "@pattern", "--failed", "0", folder=tmp_path)
    assert done.stdout == "success: 84.64% [711/840]\n"


def test_time_limit() -> None:
    done = sevenbag("pc", "chance", "", "*p7,*p4", "--seconds", "0.05")
    assert (done.returncode, done.stdout) == (1, "")
    assert "stopped before all of 4233600 queues were searched" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chance", PCO, "*p3"], "expected queues of at least 4 pieces to fill the 4 rows, got 3"),
        (["chance", PCO, "*p9"], "from 1 to 7"),
        (["chance", "XX/XX", "*p7"], "a fumen with 115@ or rows of ten cells, got 'XX'"),
        (["chance", "v115@", "*p7"], "there is no page in it"),
        (["chance", AFTER_I, "*p7", "--page", "2"], "no page 2: the fumen has 1"),
        (["chance", "@nowhere", "*p7"], "nowhere: No such file"),
        (["chance", "", "*p7", "--height", str(2**53)], "invalid height: expected 1 to 64, got 9"),
        (["chance", "X_________", "*p7"], "expected a multiple of four empty cells, got 39"),
        (["chance", "", "*p7", "--drop", "sonic"], "invalid choice: 'sonic'"),
        (["chance", "", "*p7", "--kicks", "nope"], "invalid rotation system: expected one of none"),
        (["chance", "", "*p7", "--seconds", "0"], "expected number above 0, got '0'"),
        (["chance", "", "*p7", "--failed", "-1"], "expected integer from 0, got '-1'"),
        (["cover", "v115@vhAAgH", "*p4"], "fumen 1: invalid fumen: expected pieces"),
        (["cover", "v115@", "*p4"], "fumen 1: "),
        (["cover", "nothing", "*p4"], "fumen 1: there is no 115@"),
        (["cover", "@nowhere", "*p4"], "nowhere: No such file"),
        (["cover", "v115@vhFRQJ", "*p9"], "from 1 to 7"),
        (["path", AFTER_I, "*p2"], "expected queues of at least 3 pieces to fill the 4 rows"),
        (["path", "", "*p7,*p4"], "expected at most 200000 queues"),
        (["path", AFTER_I, "*p4", "--html", "no/x.html"], "no/x.html: cannot be written"),
        (["path", AFTER_I, "*p4", "--solutions", "all"], "invalid choice: 'all'"),
    ],
)
def test_invalid_input(words: list[str], message: str) -> None:
    assert_rejected(message, "pc", *words)


@pytest.fixture(scope="module")
def solutions() -> str:
    done = sevenbag("pc", "path", AFTER_I, "*p4", "--solutions", "smallest")
    return done.stdout.splitlines()[-1]


def test_shares_of_solutions_of_path(solutions: str) -> None:
    output = run_ok("pc", "cover", solutions, "*p4", "--sort", "--failed", "0")
    *lines, whole, each = output.splitlines()
    assert len(lines) == 16
    assert whole == "any of them: 61.19% [514/840]"
    assert each == "each of them: 0.00% [0/840]"
    counts = [int(line.split("[")[1].split("/")[0]) for line in lines]
    assert counts == sorted(counts, reverse=True)


def test_json_and_a_file(solutions: str, tmp_path: Path) -> None:
    (tmp_path / "list").write_text(f"{solutions}\n{solutions}\n")
    done = sevenbag("pc", "cover", "@list", "*p7", "--json", "--failed", "5", folder=tmp_path)
    found = json.loads(done.stdout)
    assert (found["any"], found["total"], len(found["setups"])) == (514, 840, 32)
    assert found["setups"][15]["accumulated"] == found["setups"][31]["accumulated"] == 514
    assert len(found["failed"]) == 5
    assert "3 more are left out" in done.stderr


def test_counts_and_fumen() -> None:
    output = run_ok("pc", "path", AFTER_I, "*p4")
    *figures, fumen = output.splitlines()
    assert figures == ["solved: 61.19% [514/840]", "unique: 18", "minimal: 16", "smallest: 16"]
    assert len(Fumen.parse(fumen).pages) == 18


def test_every_printed_solution_can_be_played() -> None:
    done = sevenbag("pc", "path", PCO, "I,*p4", "--json", "--solutions", "minimal")
    found = json.loads(done.stdout)
    assert (found["solved"], found["unique"], found["minimal"]) == (711, 63, 33)
    assert (found["smallest"], found["smallest_proved"]) == (24, True)
    assert len(found["solutions"]) == 33
    kicks = Kicks("srs")
    for solution in found["solutions"]:
        board = Board.from_text(PCO.replace("/", "\n").replace("_", "."))
        for move in solution["example"]["placements"]:
            placement = Placement(
                move["piece"], Rotation[move["rotation"].upper()], move["x"], move["y"]
            )
            reachable = board.placements(placement.piece, kicks, spawn=(4, 30))
            assert placement.canonical() in [p.canonical() for p in reachable]
            board.lock(placement)
        assert board.is_empty


def test_files(tmp_path: Path) -> None:
    outs = ["--fumen", "a.txt", "--csv", "a.csv", "--html", "a.html"]
    done = sevenbag("pc", "path", AFTER_I, "*p4", "--solutions", "smallest", *outs, folder=tmp_path)
    assert len(done.stdout.splitlines()) == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.html", "a.txt"]
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 17
    assert (tmp_path / "a.html").read_text().count("<svg") == 16
    assert len(Fumen.parse((tmp_path / "a.txt").read_text()).pages) == 16
