"""Tests of reading regular files without blocking, and of writing files."""

import os
from pathlib import Path

import pytest

from sevenbag.cli.main import main
from sevenbag.files import open_input, read_input, write_atomically


def test_a_regular_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"abc")
    link = tmp_path / "link"
    link.symlink_to(file)
    with open_input(str(link)) as opened:
        assert opened.read() == b"abc"
    assert read_input(file, 3) == b"abc"
    with pytest.raises(OSError, match="larger than 2 bytes"):
        read_input(file, 2)


def test_other_files_are_rejected(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, "/dev/zero", "/dev/null"):
        with pytest.raises(OSError, match=r"not a regular file|Is a directory"):
            open_input(path)
    with pytest.raises(FileNotFoundError):
        open_input(tmp_path / "none")


COMMANDS = [
    "play random random --no-replay --rules PIPE.toml",
    "match random random --games 2 --rules PIPE.toml",
    "match random random --games 2 --openings PIPE",
    "match tbp:profile=PIPE.toml:true random --games 2",
    "match worker:PIPE.js random --games 2",
    "tournament PIPE.toml",
    "tournament --resume --folder PIPES",
    "match --resume --folder PIPES",
    "stats PIPES",
    "report PIPES",
    "replay show PIPE",
    "replay show PIPE.ttrm",
    "replay stats PIPE",
    "replay convert PIPE --format csv",
    "replay verify PIPE",
    "replay verify PIPE.ttrm",
    "replay verify PIPE.ttrm --locks PIPE",
    "perft IOL --kicks PIPE.toml",
    "pc path @PIPE *p7",
    "pc path XXXX______ *p7 --kicks PIPE.toml",
    "pc bench PIPE",
    "pc bench --kicks PIPE.toml PIPE",
    "pc bench --table PIPE PIPE",
    "pc cover @PIPE *p7",
    "pc table show PIPE",
    "pc validate PIPE",
    "pc display PIPE",
    "pc demo --nn PIPE",
    "contest match a b --settings PIPE",
    "contest serve --settings PIPE",
    "join http://127.0.0.1:1 --bot random --team a --password-file PIPE",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_rejects_named_pipes(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("PIPE", "PIPE.toml", "PIPE.js", "PIPE.ttrm"):
        os.mkfifo(name)
    Path("PIPES").mkdir()
    for name in ("tournament.json", "games.jsonl"):
        os.mkfifo(f"PIPES/{name}")
    assert main(command.split(" ")) in (1, 2)
    out, err = capsys.readouterr()
    assert out in ("", "Validating PIPE\n")
    # The commands of perfect-tetris print only the name of an error.
    assert "PIPE" in err or err in ("error: CannotRead\n", "error: FileNotFound\n")


@pytest.mark.parametrize(
    "command",
    [
        "perft IOL --kicks {}",
        "play random random --no-replay --rules {}",
        "play tbp:profile={}:true random --no-replay",
    ],
)
def test_unknown_name_may_be_a_file(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("PIPE")
    for file, reason in (
        ("PIPE", "PIPE: cannot be read: not a regular file"),
        ("./PIPE", "./PIPE: cannot be read: not a regular file"),
        ("./none", "./none: cannot be read: No such file or directory"),
    ):
        assert main(command.format(file).split(" ")) == 2
        assert reason in capsys.readouterr().err
    assert main(command.format("n" * 300).split(" ")) == 2
    assert "nnn" in capsys.readouterr().err


def test_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Reading without waiting for a writer lets the writer open the pipe at once.
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(pipe, b"whole", replace=True)
        assert os.read(reader, 16) == b"whole"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]
