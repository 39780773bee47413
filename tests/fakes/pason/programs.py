"""The clients of 2012 as commands to run; those in C++, C and Java are compiled first.

What a client is built with is Debian's; where it is missing, tests skip and say what is.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
JARS = [Path("/usr/share/java/jeromq.jar"), Path("/usr/share/java/gson.jar")]


def planner(folder: Path) -> list[str]:
    """The path search in C++."""
    return _planner(folder, "libzmq3-dev and libjsoncpp-dev", "-lzmq")


def planner_of_2012(folder: Path) -> list[str]:
    """The path search with libzmq 2.x, which distributions no longer have.

    ``SEVENBAG_OLD_ZMQ`` names a folder with its ``include`` and its ``libzmq.so``.
    """
    old = os.environ.get("SEVENBAG_OLD_ZMQ")
    if not old:
        pytest.skip("SEVENBAG_OLD_ZMQ names no folder with a libzmq 2.x")
    library = (f"-I{old}/include", f"{old}/libzmq.so", f"-Wl,-rpath,{old}")
    return _planner(folder, "a libzmq 2.x and libjsoncpp-dev", *library)


def _planner(folder: Path, needs: str, *library: str) -> list[str]:
    command = folder / "planner"
    # C++11, as far as the compilers of 2012 had it.
    options = ("-std=c++11", "-O1", "-Wno-deprecated-declarations")
    source = (str(HERE / "planner.cpp"), "-o", str(command))
    headers = "-I/usr/include/jsoncpp"
    _compile(needs, _tool("c++"), *options, *source, *library, headers, "-ljsoncpp")
    return [str(command)]


def stub(folder: Path) -> list[str]:
    """The organisers' stub in C."""
    command = folder / "stub"
    source = str(HERE / "stub.c")
    _compile("libzmq3-dev", _tool("cc"), "-std=c99", source, "-o", str(command), "-lzmq")
    return [str(command)]


def stepper(folder: Path) -> list[str]:
    """One move per message, in Java, with JeroMQ."""
    missing = [jar.name for jar in JARS if not jar.exists()]
    if missing:
        pytest.skip(f"no {' and '.join(missing)} (Debian: libjeromq-java, libgoogle-gson-java)")
    path = ":".join(map(str, [*JARS, folder]))
    source = str(HERE / "Stepper.java")
    _compile("a JDK", _tool("javac"), "-proc:none", "-cp", path, "-d", str(folder), source)
    # Little memory, because many run at once.
    small = ["-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]
    return [_tool("java"), *small, "-cp", path, "Stepper"]


def odd_player(habit: str) -> list[str]:
    """One of the clients in `odd_players.py`."""
    return [sys.executable, "-P", str(HERE / "odd_players.py"), habit]


def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} here")
    return found


def _compile(needs: str, *command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == 0:
        return
    lacks = ("No such file", "cannot find", "does not exist")
    if any(words in done.stderr for words in lacks):
        pytest.skip(f"not compiled here, needs {needs}: {done.stderr.strip().splitlines()[0]}")
    raise AssertionError(done.stderr)
