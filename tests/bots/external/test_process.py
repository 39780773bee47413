"""Tests of the error message quoted from a program's standard error."""

import pytest

from sevenbag.bots.external.process import find_error_line

RUST = """\
thread 'main' panicked at src/protocol.rs:82:52:
called `Result::unwrap()` on an `Err` value: Error("unknown variant `gb`", line: 1, column: 45)
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
OLD_RUST = """\
thread 'main' panicked at 'index out of bounds: the len is 3', src/main.rs:9:5
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
RUST_BACKTRACE = """\
thread 'main' panicked at src/main.rs:2:5:
no more pieces
stack backtrace:
   0: rust_begin_unwind
             at /rustc/1234/library/std/src/panicking.rs:647:5
   1: demo::main
             at ./src/main.rs:2:5
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.
"""
GO = """\
panic: runtime error: index out of range [7] with length 7

goroutine 1 [running]:
main.main()
\t/home/me/bot/main.go:8 +0x1d

goroutine 18 [chan receive]:
main.think(0x3)
\t/home/me/bot/think.go:3 +0x2
exit status 2
"""
NODE = """\
/home/me/bot.js:3
  throw new Error("no queue");
  ^

Error: no queue
    at Object.<anonymous> (/home/me/bot.js:3:9)
    at Module._compile (node:internal/modules/cjs/loader:1554:14)

Node.js v22.14.0
"""
NODE_MODULE = """\
node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module './book.js'
Require stack:
- /home/me/bot.js
    at Function._resolveFilename (node:internal/modules/cjs/loader:1225:15)
    at wrapModuleLoad (node:internal/modules/cjs/loader:235:24) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/home/me/bot.js' ]
}

Node.js v22.14.0
"""
DENO = """\
error: Uncaught (in promise) Error: no queue
  throw new Error("no queue");
        ^
    at file:///home/me/bot.js:3:9
"""
JAVA = """\
Exception in thread "main" java.lang.IllegalStateException: no board
\tat Bot.main(Bot.java:3)
\t... 4 more
"""
PYTHON = """\
Traceback (most recent call last):
  File "/home/me/bot.py", line 3, in <module>
    state["board"]
TypeError: 'NoneType' object is not subscriptable
"""


@pytest.mark.parametrize(
    ("stderr", "words"),
    [
        (RUST, RUST.splitlines()[1]),
        (OLD_RUST, OLD_RUST.splitlines()[0]),
        (RUST_BACKTRACE, "no more pieces"),
        ("loading\n" + RUST + "\n", RUST.splitlines()[1]),
        (RUST + "retrying\n", "retrying"),
        (GO, GO.splitlines()[0]),
        (NODE, "Error: no queue"),
        (NODE_MODULE, "Error: Cannot find module './book.js'"),
        (DENO, "error: Uncaught (in promise) Error: no queue"),
        (GO.replace("\n\n", "\n[signal SIGSEGV: addr=0x0]\n\n", 1), GO.splitlines()[0]),
        (JAVA, JAVA.splitlines()[0]),
        (PYTHON, "TypeError: 'NoneType' object is not subscriptable"),
        ("note: run with `RUST_BACKTRACE=1`\n", "note: run with `RUST_BACKTRACE=1`"),
        ("note: the book is missing\n", "note: the book is missing"),
        ("\n \n", ""),
        ("bad\x1b[2J\n", "bad?[2J"),
        ("x" * 400, "x" * 300),
    ],
)
def test_error_line(stderr: str, words: str) -> None:
    assert find_error_line(stderr) == words
