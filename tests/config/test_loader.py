"""Tests of typed configuration: TOML, environment variables, options and forms."""

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct, json, to_builtins

from sevenbag.config import loader
from sevenbag.errors import FormatError, InputError, SettingsError, SpecError
from tests.properties import examples


class Engine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A player.

    Attributes:
        bot: specification of the bot,
            as on the command line.
        nodes: nodes per move.
    """

    bot: str
    nodes: Annotated[int, Meta(ge=1)] | None = None


class Cup(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file with lists of tables."""

    engine: Annotated[list[Engine], Meta(min_length=2, max_length=3)]
    first_to: Annotated[int, Meta(ge=1)] | None = None
    real_time: bool = False
    kind: Literal["match", "swiss"] = "match"


class Server(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A server.

    Attributes:
        bind: address to listen on.
        port: port; ``0`` selects a free one.
        mode: action at the end.
        proxies: trusted addresses.
    """

    bind: Annotated[str, Meta(max_length=20)] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 80
    mode: Literal["finish", "break off"] = "finish"
    proxies: tuple[str, ...] = ()


class Game(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game.

    Attributes:
        points: points by rows.
        levels: thresholds, ascending.
        pause: seconds.
        hold: pieces can be held.
    """

    points: tuple[int, int, int] = (0, 1, 2)
    levels: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=100)], ...], Meta(min_length=1, max_length=5)
    ] = (1, 2)
    pause: Annotated[float, Meta(ge=0, le=60)] = 2.0
    hold: bool = True

    def __post_init__(self) -> None:
        if any(a >= b for a, b in itertools.pairwise(self.levels)):
            raise ValueError(f"invalid levels: expected ascending, got {list(self.levels)}")


class Config(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sections."""

    server: Server = Server()
    game: Game = Game()
    final: Game = Game(pause=3)


ENGINES = "[[engine]]\nbot='a'\n[[engine]]\nbot='b'\n"


def test_toml_with_hyphens() -> None:
    cup = loader.loads_toml("first-to=3\nreal-time=true\n" + ENGINES, Cup, "cup", kebab=True)
    assert cup == Cup(engine=[Engine(bot="a"), Engine(bot="b")], first_to=3, real_time=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("first-to=0\n" + ENGINES, "line 1: invalid first-to: expected integer from 1, got 0"),
        (
            "fist-to=3\n" + ENGINES,
            "line 1: unknown key 'fist-to' (did you mean 'first-to'?); "
            "keys are engine, first-to, real-time, kind",
        ),
        (ENGINES + "nodes=0\n", "line 5: invalid engine[1].nodes: expected integer from 1, got 0"),
        (
            ENGINES + "nods=0\n",
            "line 5: unknown key 'nods' in engine[1] (did you mean 'nodes'?); keys are bot, nodes",
        ),
        (
            "[[engine]]\nbot='a'\n",
            "line 1: invalid engine: expected list of 2 to 3 items, each table, got [{'bot': 'a'}]",
        ),
        ("[[engine]]\nbot='a'\n[[engine]]\nnodes=3\n", "line 3: missing key 'bot' in engine[1]"),
        ("kind='x'\n" + ENGINES, "line 1: invalid kind: expected one of 'match', 'swiss', got 'x'"),
    ],
)
def test_errors_name_line_and_key(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(text)
    with pytest.raises(FormatError) as caught:
        loader.load_toml(file, Cup, kebab=True)
    assert str(caught.value).startswith(f"{file}: {message}")


def test_plain_data() -> None:
    assert loader.convert({"bot": "a", "nodes": None}, Engine) == Engine(bot="a")
    with pytest.raises(InputError, match=r"^invalid data: expected table, got 3$"):
        loader.convert(3, Engine)
    with pytest.raises(FormatError, match=r"^line 7: invalid bot: expected string, got True$"):
        loader.convert({"bot": True}, Engine, "line 7", error=FormatError)
    with pytest.raises(InputError, match=r"^invalid key: expected UTF-8, got '\\udcb0'$"):
        loader.convert({"\udcb0": "a"}, Engine)
    with pytest.raises(InputError, match=r"^game: invalid levels: expected ascending, got \[2, 1"):
        loader.convert({"game": {"levels": [2, 1]}}, Config)


PREFIX = "TEST_"


def load(
    path: Path | None = None, environ: Mapping[str, str] | None = None, *overrides: str
) -> Config:
    return loader.load_settings(
        Config, path, prefix=PREFIX, environ=environ or {}, overrides=overrides
    )


def test_overrides_precede_environment_and_file(tmp_path: Path) -> None:
    assert load() == Config()
    file = tmp_path / "c.toml"
    file.write_text("[server]\nbind = 'x'\nport = 1\nmode = 'break off'\n")
    config = load(file, {"TEST_SERVER_PORT": "2", "TEST_SERVER_BIND": "y"}, "server.bind=z")
    assert config.server == Server(bind="z", port=2, mode="break off")


def test_environment_is_read_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_SERVER_PORT", "7")
    assert loader.load_settings(Config, prefix=PREFIX).server.port == 7


def test_every_setting_has_a_key_a_variable_and_an_override(tmp_path: Path) -> None:
    lines, environ, overrides = [], {}, []
    for section, values in to_builtins(Config()).items():
        lines.append(f"[{section}]")
        for key, value in values.items():
            literal = json.encode(value).decode()
            text = value if isinstance(value, str) else literal
            lines.append(f"{key} = {literal}")
            environ[f"TEST_{section}_{key}".upper()] = text
            overrides.append(f"{section}.{key}={text}")
    file = tmp_path / "c.toml"
    file.write_text("\n".join(lines))
    assert load(file) == load(None, environ) == load(None, {}, *overrides) == Config()


@pytest.mark.parametrize(
    ("override", "value"),
    [
        ("game.levels=3, 5", (3, 5)),
        ("game.levels=[3, 5]", (3, 5)),
        ("game.hold=no", False),
        ("game.pause=1", 1.0),
        ("server.bind=7 = 7", "7 = 7"),
        ("server.mode= break off ", "break off"),
        ("server.proxies=::1, 10.0.0.2", ("::1", "10.0.0.2")),
        ("server.proxies=", ()),
    ],
)
def test_values_of_overrides(override: str, value: object) -> None:
    section, key = override.partition("=")[0].split(".")
    assert getattr(getattr(load(None, {}, override), section), key) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[server]\nbind = 7\n", "line 2: invalid server.bind: expected string of at most 20 "),
        (
            "[server]\n\nport = 70000\n",
            "line 3: invalid server.port: expected integer from 0 to 65535, got 70000",
        ),
        (
            "[server]\nbnid = 'x'\n",
            "line 2: unknown key 'bnid' in server (did you mean 'bind'?); keys are bind, port, ",
        ),
        (
            "[sever]\nbind = 'x'\n",
            "line 1: unknown key 'sever' (did you mean 'server'?); keys are server, game, final",
        ),
        (
            "[game]\npoints = [0, 1]\n",
            "line 2: invalid game.points: expected list of 3 items, each integer, got [0, 1]",
        ),
        (
            "[game]\nlevels = []\n",
            "line 2: invalid game.levels: expected list of 1 to 5 items, each integer from 1 to "
            "100, got []",
        ),
        ("[game]\nlevels = [5,\n 0]\n", "line 2: invalid game.levels[1]: expected integer from 1"),
        ("[game]\nlevels = [5, 5]\n", "line 1: game: invalid levels: expected ascending, got "),
        ("[game]\npause = nan\n", "line 2: invalid game.pause: expected number from 0 to 60, got "),
        ("[server\n", "line 1: invalid TOML"),
    ],
)
def test_errors_of_a_settings_file(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load(file)
    assert str(caught.value).startswith(f"{file}: {message}")


@pytest.mark.parametrize(
    ("environ", "override", "message"),
    [
        (
            {"TEST_SERVER_PORT": "many"},
            "",
            "environment variable TEST_SERVER_PORT: invalid server.port: expected integer from 0 "
            "to 65535, got 'many'",
        ),
        (
            {"TEST_SERVER_BNID": "x"},
            "",
            "unknown environment variable 'TEST_SERVER_BNID' (did you mean 'TEST_SERVER_BIND'?)",
        ),
        (
            {"TEST_SERVER_BIND": "\udcb0"},
            "",
            "environment variable TEST_SERVER_BIND: invalid server.bind: expected UTF-8, got ",
        ),
        ({}, "server.bind", "invalid override: expected SECTION.KEY=VALUE, got 'server.bind'"),
        ({}, "serve.bind=x", "override: unknown key 'serve' (did you mean 'server'?); keys are"),
        ({}, "server.bid=x", "override: unknown key 'bid' in server (did you mean 'bind'?)"),
        ({}, "server.port=1\n2", "override: invalid server.port: expected integer from 0 to "),
        ({}, "game.levels=[1", "override: invalid game.levels: expected list of 1 to 5 items"),
        ({}, "game.hold=maybe", "override: invalid game.hold: expected true or false, got 'maybe'"),
        ({}, "game.levels=3,2", "override: game: invalid levels: expected ascending, got [3, 2]"),
    ],
)
def test_errors_of_environment_and_overrides(
    environ: Mapping[str, str], override: str, message: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load(None, environ, *([override] if override else []))
    assert str(caught.value).startswith(message)


class Beam(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of a bot."""

    nodes: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    ms: Annotated[float, Meta(gt=0, le=1e9)] | None = None
    min_height: Annotated[int, Meta(ge=1, le=20)] = 1
    greedy: bool = False


def test_options() -> None:
    texts = {"nodes": "5", "min-height": "3", "greedy": "yes"}
    beam = loader.parse_options(texts, Beam, "bot beam")
    assert beam == Beam(nodes=5, min_height=3, greedy=True)
    changed = loader.parse_options({"ms": "2.5"}, Beam, "bot beam", base=beam)
    assert changed == Beam(nodes=5, ms=2.5, min_height=3, greedy=True)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("nodes", "many", "invalid nodes: expected integer from 1 to 9007199254740992, got 'many'"),
        ("ms", "inf", "invalid ms: expected number above 0 to 1000000000, got inf"),
        ("min-height", "99", "invalid min-height: expected integer from 1 to 20, got 99"),
        ("greedy", "maybe", "invalid greedy: expected true or false, got 'maybe'"),
        (
            "node",
            "3",
            "unknown option 'node' (did you mean 'nodes'?); options are nodes, ms, min-height",
        ),
        ("greed", "yes", "unknown option 'greed'; options are nodes, ms, min-height"),
    ],
)
def test_errors_of_options(name: str, text: str, message: str) -> None:
    names = ["nodes", "ms", "min_height"] + (["greedy"] if name == "greedy" else [])
    with pytest.raises(SpecError) as caught:
        loader.parse_options({name: text}, Beam, "bot beam", names=names, kebab=True)
    assert str(caught.value) == f"bot beam: {message}"


def test_form_lists_all_invalid_fields() -> None:
    texts = loader.format_fields(Config())
    assert (texts["game.levels"], texts["game.hold"], texts["game.pause"]) == ("1, 2", "true", "2")
    assert loader.parse_fields(texts, Config) == Config()
    assert loader.parse_fields({}, Config) == Config()
    with pytest.raises(SettingsError) as caught:
        loader.parse_fields(texts | {"server.port": "x", "game.points": "1"}, Config)
    assert caught.value.errors == {
        "server.port": "invalid server.port: expected integer from 0 to 65535, got 'x'",
        "game.points": "invalid game.points: expected list of 3 items, each integer, got [1]",
    }


def test_toml_explains_each_key(tmp_path: Path) -> None:
    config = Config(server=Server(bind='"of" \\ \x7f\tü', proxies=("a",)), game=Game(hold=False))
    text = loader.format_toml(config)
    assert "# A server.\n[server]\n# bind: address to listen on.\nbind = " in text
    assert "# port: port; 0 selects a free one.\nport = 80\n" in text
    assert loader.loads_toml(text, Config, "text") == config
    file = tmp_path / "c.toml"
    file.write_text(text, encoding="utf-8")
    assert load(file) == config


def test_descriptions() -> None:
    described = loader.describe_fields(Engine)
    assert described["bot"] == ("specification of the bot, as on the command line.", "string", ())
    assert described["nodes"].expected == "integer from 1"
    assert loader.describe_fields(Game)["hold"].choices == ("true", "false")
    assert loader.describe_fields(Server)["mode"].choices == ("break off", "finish")


@examples(200)
@given(st.text(alphabet="[]=servgamlto.\"'\n 0123456789,{}-\u00fc", max_size=60))
def test_any_text_converts_or_names_its_source(text: str) -> None:
    try:
        loader.loads_toml(text, Config, "source")
    except FormatError as error:
        assert str(error).startswith("source: ")  # noqa: PT017  # most texts are invalid, not all
