"""Run all fuzz targets for some time: `make fuzz`.

    python -m fuzz.run BUILD_FOLDER [SECONDS]

The kernel's targets are programs in the build folder, those of Python are in decoders.py. Each has
a corpus beside this file; new inputs with new coverage are stored in the build folder for the next
run. A finding ends its target; its input is stored, and the command that repeats it is printed.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fuzz.decoders import TARGETS

HERE: Final = Path(__file__).parent
SECONDS: Final = 45.0
"""Duration of fuzzing; with the starts of all targets it takes about a minute."""
PARALLEL_JOBS: Final = 2
KERNEL: Final = ("movegen", "game", "search", "envs")
# The generator is compiled for each set; a machine without one uses the next smaller one.
INSTRUCTION_SETS: Final = ("base", "x86-64-v3", "")

INPUT_SECONDS: Final = 10
"""Time limit of an input in seconds."""
MEMORY_MB: Final = 2048
"""Memory limit of a target in megabytes."""
START_SECONDS: Final = 60.0
"""Time limit of the start and end of a target in seconds."""


@dataclass(frozen=True)
class Job:
    """A target with its command and its share of the time."""

    name: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    share: float = 1.0
    longest: int = 4096

    @property
    def corpus(self) -> str:
        """Return the name of the corpus folder."""
        return self.name.partition("-")[0]


def main(words: list[str]) -> int:
    """Run all jobs and return the exit code."""
    build = Path(words[0]).resolve()
    seconds = float(words[1]) if len(words) > 1 and words[1] else SECONDS
    jobs = [*_kernel_jobs(build), *_decoder_jobs()]
    each = seconds * PARALLEL_JOBS / sum(job.share for job in jobs)
    with ThreadPoolExecutor(PARALLEL_JOBS) as pool:
        found = list(pool.map(lambda job: _run(job, build, each * job.share), jobs))
    findings = sum(found)
    print(f"sevenbag: {len(jobs)} fuzz targets, {findings} with a finding")
    return 1 if findings else 0


def _kernel_jobs(build: Path) -> list[Job]:
    jobs: list[Job] = []
    for name in KERNEL:
        command = (str(build / "fuzz" / f"fuzz_{name}"),)
        sets = INSTRUCTION_SETS if name == "movegen" else ("",)
        for chosen in sets:
            environment = (("SEVENBAG_INSTRUCTION_SET", chosen),) if chosen else ()
            job = f"{name}-{chosen}" if chosen else name
            jobs.append(Job(job, command, environment, 4 / len(sets), longest=2048))
    return jobs


def _decoder_jobs() -> list[Job]:
    if importlib.util.find_spec("atheris") is None:
        print("sevenbag: atheris is not available; the decoders are not fuzzed")
        return []
    return [Job(name, (sys.executable, "-m", "fuzz.decoders", name)) for name in TARGETS]


def _run(job: Job, build: Path, seconds: float) -> bool:
    """Run a job and return whether it found something."""
    corpus = HERE / "corpus" / job.corpus
    kept = build / "corpus" / job.corpus
    findings = build / "findings"
    for folder in (kept, findings):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(findings.iterdir())
    log = build / f"{job.name}.log"
    command = [*job.command, *_options(job, findings, seconds), str(kept), str(corpus)]
    with log.open("wb") as output:
        try:
            code = subprocess.run(
                command,
                cwd=HERE.parent,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=os.environ | dict(job.environment),
                timeout=seconds + START_SECONDS,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            code = -1
    last = _last_line(log)
    if code == 0:
        print(f"{job.name}: {last}", flush=True)
        return False
    inputs = sorted(set(findings.iterdir()) - before) or [Path("INPUT")]
    setting = "".join(f"{key}={value} " for key, value in job.environment)
    print(f"{job.name}: FINDING; report: {log}", flush=True)
    for path in inputs:
        print(f"  repeat with: {setting}{' '.join(job.command)} {path}")
    print("  after the fix, add the input to " + str(corpus), flush=True)
    return True


def _options(job: Job, findings: Path, seconds: float) -> list[str]:
    if _has_libfuzzer(job):
        return [
            f"-max_total_time={max(1, round(seconds))}",
            f"-max_len={job.longest}",
            f"-timeout={INPUT_SECONDS}",
            f"-rss_limit_mb={MEMORY_MB}",
            f"-artifact_prefix={findings}/{job.name}-",
            "-print_final_stats=0",
            "-verbosity=1",
        ]
    return [f"-seconds={seconds}", f"-keep={findings}/{job.name}-input"]


def _has_libfuzzer(job: Job) -> bool:
    """Return whether the target uses libFuzzer, as atheris does, or fuzz/driver.cpp."""
    if job.name in TARGETS:
        return True
    return b"libFuzzer" in Path(job.command[0]).read_bytes()


def _last_line(log: Path) -> str:
    lines = log.read_text("utf-8", "replace").split("\n")
    found = [line for line in lines if line.startswith("Done ") or "inputs tried" in line]
    return found[-1] if found else "done"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
