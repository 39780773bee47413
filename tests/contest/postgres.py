"""A PostgreSQL server of the tests' own, where its programs are installed."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
import time
import uuid
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

# The server stops when its standard input ends, also when the tests are killed.
WATCHED = '"$@" & server=$!; read -r order; kill -${order:-INT} $server; wait $server'


def missing() -> str:
    """Return the reason why there is no server; empty if there is one."""
    if _folder() is None:
        return "PostgreSQL's initdb and postgres are not installed"
    try:
        import psycopg  # noqa: F401, PLC0415
    except ImportError:
        return "psycopg is not installed"
    return ""


@dataclass
class Server:
    """A server that listens at a socket in its own folder, and nowhere else."""

    folder: Path
    user: str | None
    process: subprocess.Popen[bytes]

    def url(self, database: str = "postgres") -> str:
        """Of one of its databases."""
        return f"postgresql+psycopg://owner@/{database}?host={self.folder}"

    def new_database(self) -> str:
        """The URL of an empty database."""
        import psycopg  # noqa: PLC0415
        from psycopg.sql import SQL, Identifier  # noqa: PLC0415

        name = "contest_" + uuid.uuid4().hex[:12]
        with psycopg.connect(
            f"host={self.folder} user=owner dbname=postgres", autocommit=True
        ) as connection:
            connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        return self.url(name)

    def crash(self) -> None:
        """Crash the server; it recovers from its log at the next start."""
        _end(self.process, b"QUIT\n")

    def restart(self) -> None:
        """Start it again in the same folder."""
        self.process = _start(self.folder, self.user)


@contextlib.contextmanager
def running_server() -> Generator[Server]:
    """Start a new, empty server and remove it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="sevenbag-pg-"))
    user = _user()
    try:
        if user is not None:
            # It refuses to run as root.
            shutil.chown(folder, user)
        subprocess.run(
            [
                *(str(_program("initdb")), "--pgdata", str(folder / "data")),
                *("--username", "owner", "--auth", "trust", "--no-sync"),
                *("--encoding", "UTF8", "--locale", "C"),
            ],
            check=True,
            timeout=120,
            user=user,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            env=_environment(),
        )
        server = Server(folder, user, _start(folder, user))
        try:
            yield server
        finally:
            # At once: an orderly end writes all that is deleted below.
            server.crash()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _folder() -> Path | None:
    in_path = shutil.which("initdb")
    if in_path is not None:
        return Path(in_path).resolve().parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return installed[-1].parent if installed else None


def _program(name: str) -> Path:
    folder = _folder()
    assert folder is not None
    return folder / name


def _user() -> str | None:
    """Return the user that runs the server; None for the current one."""
    if os.getuid() != 0:
        return None
    with contextlib.suppress(KeyError):
        return pwd.getpwnam("postgres").pw_name
    return "nobody"


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"}


def _start(folder: Path, user: str | None) -> subprocess.Popen[bytes]:
    log = folder / "log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [
                *("sh", "-c", WATCHED, "sh"),
                *(str(_program("postgres")), "-D", str(folder / "data"), "-k", str(folder)),
                # The tests cover the death of processes, not of the machine.
                *("-c", "listen_addresses=", "-c", "fsync=off", "-c", "shared_buffers=16MB"),
                *("-c", "full_page_writes=off", "-c", "autovacuum=off"),
            ],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            user=user,
            cwd=folder,
            env=_environment(),
        )
    import psycopg  # noqa: PLC0415

    until = time.monotonic() + 120
    while True:
        try:
            psycopg.connect(f"host={folder} user=owner dbname=postgres").close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > until:
                _end(process, b"QUIT\n")
                raise AssertionError(log.read_text(encoding="utf-8")[-2_000:]) from None
            time.sleep(0.05)
        else:
            return process


def _end(process: subprocess.Popen[bytes], order: bytes) -> None:
    with contextlib.suppress(BrokenPipeError):
        process.communicate(order, timeout=120)
