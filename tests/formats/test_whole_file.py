"""Files that are written whole."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sevenbag.formats.whole_file import write_whole

if TYPE_CHECKING:
    from pathlib import Path


def test_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Reading without waiting for a writer lets the writer open the pipe at once.
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, b"whole", over=True)
        assert os.read(reader, 16) == b"whole"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]
