"""Bot processes that communicate in lines and are always cleaned up with their children.

Each runs in a separate session and process group: Ctrl-C in our terminal does not reach it, a kill
of that group does not reach this process, and its children can be ended with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import select
import shlex
import shutil
import signal
import sys
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Final, cast

from sevenbag.bots.external.bot_channel import BotChannel, ChannelLauncher
from sevenbag.errors import BotDiedError, BotStartError, BotTimeoutError, printable, shown
from sevenbag.protocols.json_lines import LineSplitter

_MAX_LINES_AHEAD: Final = 256
"""Maximum lines that are read ahead; further output waits in the pipe."""
_MAX_UNSENT_BYTES: Final = 4 << 20
"""Maximum bytes that the bot has not read; more is a timeout."""
_LATE_OUTPUT_TIMEOUT: Final = 0.1
"""Seconds for the last output of an ended process to arrive."""
_EXIT_CODE_TIMEOUT: Final = 1.0
"""Seconds for a bot that closed its output to end, so that its exit code is known."""
_TERM_GRACE: Final = 0.5
_KILL_GRACE: Final = 2.0
_MAX_COMMAND_LENGTH: Final = 200
"""Maximum characters of a command in an error."""
_MAX_STDERR_BYTES: Final = 8192
_MAX_ERROR_LENGTH: Final = 300
_EXCERPT: Final = re.compile(
    r"^.*\n[ \t]*\^+\s*$|^Require stack:\n(?:- .*\n)*|^\s+at .* \{\n(?:[ \t].*\n)*\}$", re.MULTILINE
)
"""Source lines with markers, and details of a JavaScript error around its stack."""
_GOROUTINE: Final = re.compile(r"goroutine \d+ \[")
_CLOSING_NOTE: Final = re.compile(
    r"note: (run with `RUST_BACKTRACE|Some details are omitted)|stack backtrace:$"
    r"|\s+\d+: |\s+at |\s+\.\.\. \d+ more$|Node\.js v\d|Bun v\d|exit status \d+$"
    r"|thread caused non-unwinding panic|\[signal SIG"
)
"""Lines that runtimes print after an error message: stack frames, versions, hints."""


class ProcessChannel(BotChannel, asyncio.SubprocessProtocol):
    """A running bot process; every error has the bot's name."""

    transport = "stdio"
    _message_noun = "line"

    def __init__(
        self, name: str, log: BinaryIO | None = None, *, send_sigint: bool = False
    ) -> None:
        """Create an idle channel; call `start` instead."""
        super().__init__(name)
        self._log = log
        self._send_sigint = send_sigint
        self._splitter = LineSplitter()
        self._unsent = bytearray()
        self._exited = asyncio.Event()
        self._stderr_closed = asyncio.Event()
        self._stdin_lost = False
        self._discard = False
        self._paused = False
        self._guard: ProcessGroupGuard | None = None
        self._stdin: asyncio.WriteTransport | None = None
        self._process: asyncio.SubprocessTransport | None = None

    @classmethod
    async def start(
        cls,
        command: str | Sequence[str],
        *,
        name: str,
        folder: Path | None = None,
        log: Path | None = None,
        send_sigint: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> ProcessChannel:
        """Start a program.

        Args:
            command: program and arguments; a text is split as by a shell, without starting one.
            name: name of the bot in errors.
            folder: working folder; by default that of this process.
            log: file to which standard error is appended.
            send_sigint: send SIGINT at the end, after closing its input.
            environment: environment; by default that of this process.

        Raises:
            BotStartError: the program cannot be run, or the log cannot be written.
        """
        words = split_command(command, name)
        if words[0] == "sevenbag":
            # Run this package even if it is not on the PATH; -P ignores a folder of that name here.
            words[:1] = [sys.executable, "-P", "-m", "sevenbag"]
        try:
            log_file = log.open("ab") if log is not None else None
        except OSError as error:
            why = error.strerror or error
            raise BotStartError(name, f"log file {log} cannot be written: {why}") from error
        channel = cls(name, log_file, send_sigint=send_sigint)
        try:
            await asyncio.get_running_loop().subprocess_exec(
                lambda: channel, *words, cwd=folder, env=environment, start_new_session=True
            )
            channel._guard_group()
        except OSError as error:
            channel._close_log()
            raise BotStartError(name, _explain_start_failure(words[0], folder, error)) from error
        except BaseException:
            channel._close_log()
            raise
        return channel

    @property
    def pid(self) -> int:
        """Process ID, which is also the process group ID."""
        assert self._process is not None
        return self._process.get_pid()

    @property
    def exit_code(self) -> int | None:
        """Exit code: negative for a signal, None while the process runs."""
        return self._process.get_returncode() if self._process is not None else None

    async def send(self, data: bytes) -> None:
        """Write to its standard input.

        Messages of one event loop iteration are written together, so that the bot wakes up once.
        """
        if self._stdin is None or self._ended or self._stdin_lost:
            raise await self._create_end_error()
        if not self._unsent:
            asyncio.get_running_loop().call_soon(self._flush)
        self._unsent += data
        unread = self._stdin.get_write_buffer_size() + len(self._unsent)
        if unread > _MAX_UNSENT_BYTES:
            raise BotTimeoutError(self.name, f"does not read its input; {unread} bytes wait")

    async def receive_available(self) -> list[bytes]:
        """Return the lines that have arrived; leave the event loop alone if there are none."""
        if self._queue or self._has_output():
            return await super().receive_available()
        return []

    def pending_bytes(self) -> int:
        """Return the number of bytes of an incomplete line."""
        return self._splitter.pending_bytes

    async def close(self, last_message: bytes = b"", grace_seconds: float = 1.0) -> None:
        """End the process group: ask, wait, terminate, kill; may be called again.

        When this is cancelled, the group is killed at once.
        """
        if self._process is None:
            return
        self._discard = True
        self._queue.clear()
        self._update_flow_control()
        try:
            if not self._exited.is_set():
                self._send_last_message(last_message)
                await _wait_within(grace_seconds, self._exited)
            if not self._exited.is_set():
                self.was_terminated = True
                signal_process_group(self.pid, signal.SIGTERM)
                await _wait_within(_TERM_GRACE, self._exited)
        finally:
            # Only the last statement can be cancelled.
            if self._guard is not None:
                self._guard.kill()
            self._process.close()
            self._end()
            self._close_log()
            await _wait_within(_KILL_GRACE, self._exited)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the pipes of the started process."""
        self._process = cast("asyncio.SubprocessTransport", transport)
        self._stdin = cast("asyncio.WriteTransport", self._process.get_pipe_transport(0))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Store output."""
        if fd == 2:
            self._keep_stderr(data)
        elif not self._discard:
            self._queue.extend(self._splitter.feed(data))
            self._update_flow_control()
            if self._queue:
                self._wake()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Note a closed pipe."""
        del exc
        if fd == 0:
            self._stdin_lost = True
        elif fd == 1:
            self._end()
        else:
            self._stderr_closed.set()

    def process_exited(self) -> None:
        """End the group: children of the process may hold its output open."""
        self._exited.set()
        if self._guard is not None:
            self._guard.kill()
        asyncio.get_running_loop().call_later(_LATE_OUTPUT_TIMEOUT, self._end)

    def _guard_group(self) -> None:
        try:
            self._guard = ProcessGroupGuard(self.pid)
        except BaseException:
            signal_process_group(self.pid, signal.SIGKILL)
            assert self._process is not None
            self._process.close()
            raise

    def _flush(self) -> None:
        if self._unsent and self._stdin is not None and not self._stdin.is_closing():
            self._stdin.write(bytes(self._unsent))
        self._unsent.clear()

    def _has_output(self) -> bool:
        """Return True if the pipe has unread output or has been closed."""
        stdout = self._process.get_pipe_transport(1) if self._process is not None else None
        pipe = stdout.get_extra_info("pipe") if stdout is not None else None
        if pipe is None or pipe.closed:
            return False
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        return bool(poll.poll(0))

    def _update_flow_control(self) -> None:
        """Pause or resume reading so that the queue stays bounded."""
        full = len(self._queue) >= _MAX_LINES_AHEAD
        if self._process is None or full == self._paused or self._ended:
            return
        stdout = self._process.get_pipe_transport(1)
        if isinstance(stdout, asyncio.ReadTransport) and not stdout.is_closing():
            self._paused = full
            if full:
                stdout.pause_reading()
            else:
                stdout.resume_reading()

    def _end(self) -> None:
        """Mark the end of the output."""
        if not self._ended:
            if not self._discard:
                self._queue.extend(self._splitter.finish())
            self._ended = True
        self._wake()

    def _keep_stderr(self, data: bytes) -> None:
        self._stderr += data
        if len(self._stderr) > _MAX_STDERR_BYTES:
            del self._stderr[:-_MAX_STDERR_BYTES]
        if self._log is not None:
            # A full disk must not end a game.
            with contextlib.suppress(OSError):
                self._log.write(data)
                self._log.flush()

    def _close_log(self) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None

    def _send_last_message(self, last_message: bytes) -> None:
        if self._send_sigint and self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGINT)
        self._flush()
        if self._stdin is not None and not self._stdin.is_closing():
            if last_message and not self._stdin_lost:
                self._stdin.write(last_message)
            # After the process has read the pending output.
            self._stdin.close()

    async def _create_end_error(self) -> BotDiedError:
        """Describe the end of the process; wait briefly for its exit code and output."""
        await _wait_within(_EXIT_CODE_TIMEOUT, self._exited)
        # Its children end with it, so that its output closes at once.
        await _wait_within(_EXIT_CODE_TIMEOUT, self._stderr_closed)
        code = self.exit_code
        if code is None:
            what = "closed its output" if self._ended else "closed its input"
        elif code < 0:
            what = f"was killed by {_signal_name(-code)}"
        else:
            what = f"ended with exit code {code}"
        last = find_error_line(self.stderr)
        return BotDiedError(self.name, f"{what}; last error line: {last}" if last else what)


def find_error_line(stderr: str) -> str:
    """Find the error message in a standard error output; empty if there is none.

    It is the panic message of a Rust or Go program, the error of a JavaScript, Python or Java
    program, or else the last line. Stack traces and closing notes of runtimes are skipped.
    """
    plain = _EXCERPT.sub("", stderr).strip() or stderr
    lines = [line.rstrip() for line in plain.splitlines() if line.strip()]
    for number in range(len(lines) - 1, -1, -1):
        if _GOROUTINE.match(lines[number]):
            # A Go trace follows; the panic message precedes its first goroutine.
            del lines[number:]
    said = [line for line in lines if not _CLOSING_NOTE.match(line)] or lines
    text = said[-1].strip()[:_MAX_ERROR_LENGTH] if said else ""
    return printable(text)


def create_process_launcher(
    command: Sequence[str],
    *,
    folder: Path | None = None,
    log: Path | None = None,
    send_sigint: bool = False,
    environment: Mapping[str, str] | None = None,
) -> ChannelLauncher:
    """Return a launcher for processes of this command; arguments as for `ProcessChannel.start`."""
    return lambda name: ProcessChannel.start(
        command, name=name, folder=folder, log=log, send_sigint=send_sigint, environment=environment
    )


def program_name(words: Sequence[str]) -> str:
    """Return the name of a program until the bot announces one."""
    name = words[0].removeprefix("ws://").removeprefix("wss://").rstrip("/")
    return Path(name).name or words[0]


def split_command(command: str | Sequence[str], name: str) -> list[str]:
    """Split a command into program and arguments.

    Raises:
        BotStartError: the command is empty, or its quotes do not match.
    """
    if not isinstance(command, str):
        words = list(command)
    else:
        try:
            words = shlex.split(command)
        except ValueError as error:
            text = str(error).removesuffix(".").lower()
            raise BotStartError(
                name, f"command {shown(command, _MAX_COMMAND_LENGTH)}: {text}"
            ) from None
    if not words or not words[0]:
        raise BotStartError(name, "the command is empty")
    if any("\0" in word for word in words):
        raise BotStartError(name, "the command holds a null character")
    return words


def check_program(program: str, name: str) -> None:
    """Check early that a program exists; `BotStartError` if it cannot be run."""
    if program != "sevenbag" and shutil.which(program) is None:
        error = PermissionError() if _program_exists(program) else FileNotFoundError()
        raise BotStartError(name, _explain_start_failure(program, None, error))


_GUARD_SCRIPT: Final = """\
trap '' HUP INT TERM
cd /
read -r line
kill -KILL "-$1"
"""


class ProcessGroupGuard:
    """Kills a process group at the latest when this process ends.

    A group that only our own code kills survives our own SIGKILL. So every group gets a guard: a
    shell that waits on a pipe whose other end only this process holds, and kills the group when the
    pipe closes. It needs no signal handler and reaches the bot's children as well.

    A process that creates its own session has left the group and is not killed.
    """

    def __init__(self, group: int) -> None:
        """Guard a group; `OSError` if the guard process cannot be started."""
        reader, writer = os.pipe()
        try:
            guard = os.posix_spawn(
                "/bin/sh",
                ["sh", "-c", _GUARD_SCRIPT, "sevenbag-guard", str(group)],
                {"PATH": os.defpath},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, reader, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
                # Keep the guard out of reach of Ctrl-C and of signals to our own group.
                setsid=True,
            )
        except BaseException:
            os.close(writer)
            raise
        finally:
            os.close(reader)
        self._kill = weakref.finalize(self, _kill, group, guard, writer)

    def kill(self) -> None:
        """Kill what is left of the group and end the guard."""
        self._kill()


def signal_process_group(group: int, number: signal.Signals) -> None:
    """Send a signal to a process group; ignore a group that has ended."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _kill(group: int, guard: int, writer: int) -> None:
    signal_process_group(group, signal.SIGKILL)
    # End the guard before its pipe closes, so that it does not act.
    with contextlib.suppress(ProcessLookupError):
        os.kill(guard, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(guard, 0)
    os.close(writer)


async def _wait_within(seconds: float, event: asyncio.Event) -> None:
    """Wait for an event with a time limit."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def _explain_start_failure(program: str, folder: Path | None, error: OSError) -> str:
    if folder is not None and not folder.is_dir():
        return f"no such folder: {folder}"
    if isinstance(error, FileNotFoundError):
        if _program_exists(program):
            return f"the interpreter that {program} names in its first line does not exist"
        return f"no such command: {_shorten_path(program)}"
    if isinstance(error, PermissionError):
        what = "a folder" if Path(program).is_dir() else "not executable"
        return f"cannot be run: {program} is {what}"
    return f"cannot be run: {_shorten_path(program)}: {error.strerror or error}"


def _program_exists(program: str) -> bool:
    """Return True if a program named by its path is a file or a folder."""
    try:
        return os.sep in program and Path(program).exists()
    except OSError:  # the name is too long for a file
        return False


def _shorten_path(program: str) -> str:
    return program if len(program) <= _MAX_COMMAND_LENGTH else program[:_MAX_COMMAND_LENGTH] + "..."


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
