"""Runs all benchmarks and reports ratios measured in the same run.

usage: make bench [BENCH_SIZE=200] [BENCH_ONLY=lines,captures,...]

BENCH_SIZE: megabytes of getStats lines (growth also uses a tenth and ten times that). BENCH_ROUNDS: measurements of
each command (5). BENCH_CALLS: calls for the growth of a database (1000). BENCH_NIGHT: calls of the night that is
reported (45000). BENCH_ROWS: rows of a table of figures (1000000). BENCH_PACKETS: packets in the capture (1000000; a
second capture has ten times that). BENCH_FOLDER: folder for the inputs, which are kept between runs (.build-bench).

BENCH_YARDSTICK: the release that this one is paired with in `lines`, `dump`, `captures`, `calls` and `nightly`: a
commit or tag, which is built once, or the path of a binary. It stays the same for many releases, so that small losses
do not add up unseen.
"""

import os
import shutil
import subprocess
import sys

import measures
from results import Results
from yardstick import Yardstick

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


class Bench:
    """Settings and paths of a benchmark run, and its inputs, which are generated on first use."""

    def __init__(self):
        self.folder = os.path.abspath(os.environ.get("BENCH_FOLDER", os.path.join(ROOT, ".build-bench")))
        self.size = float(os.environ.get("BENCH_SIZE", 200))
        self.rounds = int(os.environ.get("BENCH_ROUNDS", 5))
        self.calls = int(os.environ.get("BENCH_CALLS", 1000))
        self.rows = int(os.environ.get("BENCH_ROWS", 1_000_000))
        self.packets = int(os.environ.get("BENCH_PACKETS", 1_000_000))
        self.callqa = os.environ.get("CALLQA", os.path.join(ROOT, ".build", "release", "callqa"))
        self.floor = os.path.join(self.folder, "floor")
        self.night = int(os.environ.get("BENCH_NIGHT", 45_000))
        self.root = ROOT
        self.results = Results()
        os.makedirs(self.folder, exist_ok=True)
        self.yardstick = Yardstick(ROOT, self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def script(self, name):
        return os.path.join(HERE, name)

    def input(self, kind, size, *more):
        """A generated input, named after the generator's modification time, so that a new one makes new inputs."""
        stamp = str(int(os.path.getmtime(self.script("generate.py"))))[-6:]
        path = self.path("-".join([kind, f"{size:g}", *map(str, more), stamp]))
        if not os.path.exists(path):
            shutil.rmtree(path + ".part", ignore_errors=True)
            words = [sys.executable, self.script("generate.py"), kind, path + ".part", f"{size:.12g}", *map(str, more)]
            subprocess.run(words, check=True)
            os.rename(path + ".part", path)
        return path

    def build_floor(self):
        words = ["cc", "-O2", "-o", self.floor, self.script("floor.c"), "-lsqlite3", "-lpcap"]
        subprocess.run(words, check=True)

    def python(self):
        """A Python with DuckDB, pandas and sqlite-utils, or None if they cannot be installed."""
        python = self.path("venv", "bin", "python")
        has = [python, "-c", "import duckdb, pandas, sqlite_utils"]
        if not os.path.exists(python) or subprocess.run(has, stderr=subprocess.DEVNULL).returncode != 0:
            made = subprocess.run([sys.executable, "-m", "venv", self.path("venv")]).returncode == 0
            words = [python, "-m", "pip", "install", "--quiet", "duckdb", "pandas", "sqlite-utils"]
            if not made or subprocess.run(words).returncode != 0:
                return None
        return python


def chosen_groups():
    """The groups named by BENCH_ONLY, or all; exits if there is no such group."""
    names = [name for name in os.environ.get("BENCH_ONLY", "").replace(",", " ").split() if name]
    if unknown := [name for name in names if name not in measures.GROUPS]:
        sys.exit(f"BENCH_ONLY: no group {', '.join(unknown)}; the groups are {' '.join(measures.GROUPS)}")
    return names or list(measures.GROUPS)


SETTINGS = ("SIZE", "ROUNDS", "CALLS", "NIGHT", "PACKETS", "ROWS", "YARDSTICK", "ONLY")


def main():
    groups = chosen_groups()
    bench = Bench()
    if not os.path.exists(bench.callqa):
        sys.exit(f"{bench.callqa} is not there: run `make bench`, or set CALLQA")
    if any(name in measures.PAIRED for name in groups):
        bench.yardstick.prepare()
    load = os.getloadavg()
    bench.build_floor()
    for name in groups:
        measures.GROUPS[name](bench)
    command = "make bench" + "".join(
        f" BENCH_{name}={os.environ['BENCH_' + name]}" for name in SETTINGS if "BENCH_" + name in os.environ
    )
    is_whole = len(groups) == len(measures.GROUPS)
    page = os.path.join(HERE, "RESULTS.md") if is_whole else bench.path("RESULTS.md")
    bench.results.write(page, load, command, bench.yardstick)
    print(f"\nwritten to {os.path.relpath(page)}")


if __name__ == "__main__":
    main()
