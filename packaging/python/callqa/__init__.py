"""Runs callqa, and hands its rows to Python.

>>> callqa.run("import", "recordings", "--db", "calls.sqlite")
>>> for call in callqa.rows("calls", "--db", "calls.sqlite"): print(call["call_id"], call["verdict"])
>>> frame = callqa.frame("query", "SELECT * FROM call_windows", "--db", "calls.sqlite")   # with pandas
"""
import json
import os
import subprocess
import sys

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dist", "bin", "callqa")


class Failed(Exception):
    """callqa ended with 2 (command line) or 3 (database, disk); the text is what it said, `code` the exit code."""

    def __init__(self, code, said):
        super().__init__(said.strip() or f"callqa ended with {code}")
        self.code = code


def run(*words):
    """Runs a command; gives its exit code, stdout and stderr (`returncode`, `stdout`, `stderr`).

    Raises Failed for 2 and 3. Other codes are answers: 1 some input was refused, 4 and 5 of gates."""
    done = subprocess.run([PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace")
    if done.returncode not in (0, 1, 4, 5):
        raise Failed(done.returncode, done.stderr)
    return done


def rows(*words):
    """The rows of a command with `--json` (calls, streams, events, query …), as dictionaries; unknown is None."""
    return [json.loads(line) for line in run(*words, "--json").stdout.splitlines()]


def frame(*words):
    """The rows of a command as a DataFrame of pandas."""
    import pandas
    return pandas.DataFrame(rows(*words))


def main():
    """The command `callqa`: this process becomes the program."""
    os.execv(PROGRAM, [PROGRAM, *sys.argv[1:]])
