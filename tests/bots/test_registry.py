"""Specifications of bots, right and wrong."""

import pytest

from sevenbag.bots.builtin.random_bot import RandomBot
from sevenbag.bots.external.tbp_driver import TbpDriver
from sevenbag.bots.registry import create_bot
from sevenbag.errors import SpecError
from tests.bots.conftest import FAKES

WORKER = FAKES / "worker_bot.js"


def test_bots_by_name() -> None:
    assert isinstance(create_bot("random"), RandomBot)
    assert isinstance(create_bot(" Random : seed = 3 "), RandomBot)
    bot = create_bot("tbp:sh -c 'exit 1' --as x:y,z=1")
    assert isinstance(bot, TbpDriver)
    assert bot.name == "sh"


def test_programs_with_options() -> None:
    bot = create_bot("tbp:profile=stadium,retry_ms=10,log=bot.log:sh -c 'exit 1' x:y=z")
    assert isinstance(bot, TbpDriver)
    assert (bot.name, bot.profile.name, bot.profile.retry_ms) == ("sh", "stadium", 10.0)
    plain = create_bot("tbp:sh a=b:c")
    assert isinstance(plain, TbpDriver)
    assert plain.profile.name == "official"


@pytest.mark.parametrize("spec", ["beam", "beam:nodes=2000", "beam:ms=50,width=300", "BEAM:ms=0.5"])
def test_beam(spec: str) -> None:
    assert create_bot(spec).name.startswith("beam")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "no bot ''; there are beam, pc, random, tbp:COMMAND"),
        ("beem", "no bot 'beem' (did you mean 'beam'?); there are beam, pc, random, tbp:COMMAND"),
        ("stockfish", "no bot 'stockfish'; there are beam, pc, random, tbp:COMMAND"),
        ("beam:", "no option after the colon; options are nodes, ms, width"),
        ("beam:node=5", "unknown option 'node' (did you mean 'nodes'?); options are"),
        ("beam:fast", "beam: unknown option 'fast'"),
        ("beam:nodes", "beam: invalid nodes: expected integer from 1 to"),
        ("beam:nodes=many", "beam: invalid nodes: expected integer from 1 to"),
        ("beam:nodes=0", "beam: invalid nodes: expected integer from 1 to"),
        ("beam:nodes=1.5", "expected integer from 1 to"),
        ("beam:nodes=99999999999999999999", "expected integer from 1 to"),
        ("beam:ms=0", "beam: invalid ms: expected number above 0 to 1000000000, got 0.0"),
        ("beam:ms=nan", "expected number above 0"),
        ("beam:ms=inf", "expected number above 0"),
        ("beam:nodes=1,nodes=2", "option 'nodes' is given twice"),
        ("random:seed=-1", "expected integer from 0"),
        ("tbp", "no command; expected tbp:COMMAND"),
        ("tbp: ", "no command"),
        ("tbp:profile=stadium:", "no command"),
        ("tbp:profile=stadion:sh", "no profile 'stadion'; did you mean 'stadium'?; there are"),
        (
            "tbp:profil=stadium:sh",
            "unknown option 'profil' (did you mean 'profile'?); options are log, folder,",
        ),
        ("tbp:rows=20,rows=40:sh", "option 'rows' is given twice"),
        ("tbp:rows=many:sh", "invalid rows: expected integer from 0 to 1000000000, got 'many'"),
        ("tbp:/no/such/bot --fast", "bot 'tbp:/no/such/bot --fast': no such command: /no/such/bot"),
        ("tbp:no-such-bot-anywhere", "no such command: no-such-bot-anywhere"),
        ("tbp:/etc", "cannot be run: /etc is a folder"),
        (f"tbp:{__file__}", "is not executable"),
        ("./my-bot", "no bot './my-bot' (did you mean 'tbp:./my-bot'?); there are beam"),
        ("sh -c ls", "did you mean 'tbp:sh -c ls'?"),
        ("tbp:a 'b", "no closing quotation"),
        ("pc:min-height=21", "invalid min-height: expected integer from 1 to 20, got 21"),
        ("pc:min-height=0", "integer from 1"),
        ("pc:width=3", "bot pc: unknown option 'width'"),
        ("triangle:", "no command; expected triangle:COMMAND"),
        ("triangle:stats=always:python3", "unknown option 'stats' (did you mean 'states'?)"),
        ("triangle:states=never:sh", "expected one of 'always', 'garbage', got 'never'"),
        ("triangle:keys=foo:sh", "expected one of 'strict', 'tolerant', got 'foo'"),
        ("triangle:move_seconds=-1:sh", "expected number from 0 to 1000000000, got -1.0"),
        ("triangle:quit_seconds=x:sh", "expected number from 0 to 1000000000, got 'x'"),
        ("triangle:./no-such-bot", "no such command"),
        ("triangel:python3", "did you mean 'triangle'?"),
        ("worker:", "no file; expected worker:FILE.js"),
        ("worker:/no/such/bot.js", "no such file: /no/such/bot.js"),
        (f"worker:host=moon:{WORKER}", "expected one of 'browser', 'node', got 'moon'"),
        (f"worker:hots=node:{WORKER}", "unknown option 'hots' (did you mean 'host'?)"),
    ],
)
def test_wrong_specifications(spec: str, words: str) -> None:
    with pytest.raises(SpecError) as caught:
        create_bot(spec)
    assert words in str(caught.value)
