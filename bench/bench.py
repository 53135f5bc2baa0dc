"""Runs all benchmarks and reports ratios measured in the same run.

usage: make bench [BENCH_SIZE=200] [BENCH_ONLY=lines,captures,...]

BENCH_SIZE: megabytes of getStats lines (growth also uses a tenth and ten times that). BENCH_ROUNDS: measurements of
each command (5). BENCH_CALLS: calls for the growth of a database (1000). BENCH_PACKETS: packets in the capture
(1000000; a second capture has ten times that). BENCH_FOLDER: folder for the inputs, which are kept between runs
(.build-bench). Groups: lines dump logs growth bounded calls reimport jobs captures report lists page browser.
"""

import os
import shutil
import subprocess
import sys

import measures
from results import Results

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


class Bench:
    """Settings and paths of a benchmark run, and its inputs, which are generated on first use."""

    def __init__(self):
        self.folder = os.path.abspath(os.environ.get("BENCH_FOLDER", os.path.join(ROOT, ".build-bench")))
        self.size = float(os.environ.get("BENCH_SIZE", 200))
        self.rounds = int(os.environ.get("BENCH_ROUNDS", 5))
        self.calls = int(os.environ.get("BENCH_CALLS", 1000))
        self.packets = int(os.environ.get("BENCH_PACKETS", 1_000_000))
        self.callqa = os.environ.get("CALLQA", os.path.join(ROOT, ".build", "release", "callqa"))
        self.floor = os.path.join(self.folder, "floor")
        self.results = Results()
        os.makedirs(self.folder, exist_ok=True)

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
        """A Python with DuckDB and sqlite-utils, or None if they cannot be installed."""
        python = self.path("venv", "bin", "python")
        if not os.path.exists(self.path("venv", "bin", "sqlite-utils")):
            made = subprocess.run([sys.executable, "-m", "venv", self.path("venv")]).returncode == 0
            words = [python, "-m", "pip", "install", "--quiet", "duckdb", "sqlite-utils"]
            if not made or subprocess.run(words).returncode != 0:
                return None
        return python


def main():
    bench = Bench()
    if not os.path.exists(bench.callqa):
        sys.exit(f"{bench.callqa} is not there: run `make bench`, or set CALLQA")
    load = os.getloadavg()
    bench.build_floor()
    wanted = os.environ.get("BENCH_ONLY", "").split(",")
    for name, group in measures.GROUPS.items():
        if wanted == [""] or name in wanted:
            group(bench)
    command = "make bench" + "".join(
        f" {name}={os.environ[name]}" for name in ("BENCH_SIZE", "BENCH_ROUNDS", "BENCH_CALLS", "BENCH_PACKETS", "BENCH_ONLY") if name in os.environ
    )
    page = os.path.join(HERE, "RESULTS.md") if wanted == [""] else bench.path("RESULTS.md")
    bench.results.write(page, load, command)
    print(f"\nwritten to {os.path.relpath(page)}")


if __name__ == "__main__":
    main()
