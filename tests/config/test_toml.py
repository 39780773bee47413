"""Tests that oversized TOML is rejected before parsing."""

import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from sevenbag.arena.tournament.tournament_config import read_tournament_config
from sevenbag.bots.external.tbp_profile import load_profile, parse_profile
from sevenbag.config.loader import load_toml
from sevenbag.config.toml import MAX_KEY_PARTS, MAX_TOML_SIZE, TomlDocument, parse_toml
from sevenbag.contest.settings import ContestSettings, load_settings
from sevenbag.errors import FormatError, InputError, KicksError
from sevenbag.game import Rules
from sevenbag.game.kicks_file import load_kicks, parse_kicks

SOURCE = Path(__file__).parents[2] / "src" / "sevenbag"

DEEP = ".".join("a" * 20_000)
"""A key of 40 KB; Python's parser takes 1.6 GB for it."""

DEEP_TEXTS = {
    "key": f"{DEEP} = 1",
    "header": f"[{DEEP}]\na = 1",
    "array of tables": f"[[{DEEP}]]",
    "inline table": f"x = {{ {DEEP} = 1 }}",
    "quoted parts": "a = 1\n" + DEEP.replace("a", '"a"') + " = 1",
    "empty parts": DEEP.replace("a", "''") + " = 1",
    "with spaces": DEEP.replace(".", " .\t") + " = 1",
    "after a string that ends in quotes": f'x = ["""a"""", {{ {DEEP} = 1 }}, "b"]',
    "after a literal string that ends in quotes": f"x = ['''a'''', {{ {DEEP} = 1 }}, 'b']",
    "after an escaped quote": f'x = ["\\"", {{ {DEEP} = 1 }}, "b"]',
    "after a literal backslash": f"x = ['\\', {{ {DEEP} = 1 }}, 'b']",
    "after a comment": f'x = 1 # "\n{DEEP} = 1',
}


@pytest.mark.parametrize("text", DEEP_TEXTS.values(), ids=DEEP_TEXTS)
def test_keys_of_many_parts_do_not_reach_the_parser(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tomllib, "loads", lambda _: pytest.fail("the parser was called"))
    with pytest.raises(FormatError, match=rf"^line [12]: invalid key: .* {MAX_KEY_PARTS} parts"):
        parse_toml(text)


@pytest.mark.parametrize(
    "text",
    [
        f'a = "{DEEP}"',
        f"a = '{DEEP}'",
        f'a = """\n{DEEP}"""',
        f"a = '''\n{DEEP}'''",
        f'a = """{DEEP}"""""',
        f'a = "\\"{DEEP}"',
        f"a = 1 # {DEEP}",
        f"a = ['{DEEP}', 1.5, 07:32:00.999]",
        ".".join("a" * MAX_KEY_PARTS) + " = 1",
        "a = 1\r\nb.c = 'd'\r\n",
    ],
)
def test_other_texts_are_parsed_unchanged(text: str) -> None:
    assert parse_toml(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1\nb = ", r"^line 2: invalid TOML: "),
        ("[a\n", r"^line 1: invalid TOML: "),
        ('x = """a\n\n', r"^line \d: invalid TOML: Unterminated string"),
        ("x = " + "[" * 5_000, r"^invalid TOML: values are nested too deeply"),
        ("x = " + "1" * 5_000, r"^invalid TOML: "),
        ("#" * (MAX_TOML_SIZE + 1), r"^invalid TOML: expected at most 262144 characters"),
        ('"""\n\\' * 40_000, r"^line 1: invalid TOML"),
        ('"' * MAX_TOML_SIZE, r"^line 1: invalid TOML"),
        ("'" * MAX_TOML_SIZE, r"^line 1: invalid TOML"),
    ],
    ids=range(9),
)
def test_invalid_toml_is_reported_with_line(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_toml(text)


READERS: dict[str, Callable[[Path], object]] = {
    "rules": Rules.from_file,
    "kicks": load_kicks,
    "kicks text": lambda path: parse_kicks(path.read_text()),
    "tournament": read_tournament_config,
    "struct": lambda path: load_toml(path, ContestSettings),
    "contest settings": lambda path: load_settings(path, {}),
    "contest override": lambda path: load_settings(
        None, {}, [f"site.trusted_proxies=[{{{path.read_text()}}}]"]
    ),
    "profile": lambda path: load_profile(str(path)),
    "profile text": lambda path: parse_profile(path.read_text(), "mine"),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_every_reader_limits_size(read: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "deep.toml"
    path.write_text(f"{DEEP} = 1")
    with pytest.raises(InputError):
        read(path)


def test_parser_is_called_in_one_module() -> None:
    callers = [
        str(file.relative_to(SOURCE))
        for file in SOURCE.rglob("*.py")
        if "tomllib" in file.read_text() or "msgspec.toml" in file.read_text()
    ]
    assert callers == ["config/toml.py"]


def test_deeply_nested_file_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "deep.toml"
    path.write_text(f"{DEEP} = 1")
    script = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))\n"
        "from sevenbag.cli.main import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    words = ["play", "random", "random", "--rules", str(path), "--no-replay"]
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"sevenbag: {path}: line 1: invalid key: expected at most 16 parts joined by dots\n"
    )


def test_unreadable_files(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    with pytest.raises(FormatError, match=r"x\.toml: cannot be read: No such file or directory"):
        TomlDocument.load(file)
    file.write_bytes(b"name = '\xff'")
    with pytest.raises(FormatError, match=r"x\.toml: cannot be read: byte 8 is not UTF-8"):
        TomlDocument.load(file)
    file.write_bytes(b"#" * (MAX_TOML_SIZE + 1))
    with pytest.raises(FormatError, match=r"x\.toml: cannot be read: larger than 262144 bytes"):
        TomlDocument.load(file)
    with pytest.raises(KicksError, match=r"^invalid path: expected str or os.PathLike, got 3"):
        TomlDocument.load(3, KicksError)  # type: ignore[arg-type]
    with pytest.raises(FormatError, match="null"):
        TomlDocument.load(f"{tmp_path}/\0")
