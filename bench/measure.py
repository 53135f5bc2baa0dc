"""Runs commands in turn and keeps wall time, CPU time and peak memory of each."""

import os
import statistics
import subprocess
import time


class Figures:
    """What several runs of one command took."""

    def __init__(self, name):
        self.name, self.wall, self.cpu, self.memory = name, [], [], []

    def add(self, wall, cpu, memory):
        self.wall.append(wall)
        self.cpu.append(cpu)
        self.memory.append(memory)

    @property
    def seconds(self):
        return statistics.median(self.wall)

    @property
    def cpu_seconds(self):
        return statistics.median(self.cpu)

    @property
    def peak(self):
        """Bytes, of the hungriest run."""
        return max(self.memory)


class Command:
    """A command to time: what to run, what to clear away before, whether it prints its own seconds, or is timed to its first row."""

    def __init__(self, name, words, before=(), prints_seconds=False, expect=(0,), environment=None, to_first_row=False):
        self.name, self.words, self.before = name, [str(word) for word in words], before
        self.prints_seconds, self.expect, self.environment = prints_seconds, expect, environment
        self.to_first_row = to_first_row

    def run(self):
        for path in self.before:
            for ending in ("", "-wal", "-shm", "-journal"):
                if os.path.exists(path + ending):
                    os.remove(path + ending)
        start = time.monotonic()
        child = subprocess.Popen(
            self.words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **(self.environment or {})}
        )
        # The first line is the head of a table.
        head = child.stdout.readline() + child.stdout.readline() if self.to_first_row else b""
        first = time.monotonic() - start
        # Small outputs only: both pipes are read to their ends before the child is waited for.
        out, err = head + child.stdout.read(), child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in self.expect:
            raise SystemExit(f"{' '.join(self.words)}\nexited {child.returncode}: {err.decode()[-2000:]}")
        seconds = float(out) if self.prints_seconds else first if self.to_first_row else wall
        return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def in_turn(commands, rounds):
    """Each command once a round, so that what else the machine does falls on all of them alike."""
    figures = {command.name: Figures(command.name) for command in commands}
    for _ in range(rounds):
        for command in commands:
            figures[command.name].add(*command.run())
    return figures


def ratio(one, other):
    """The median over rounds of one's wall time over the other's: pairs of the same round are compared."""
    return statistics.median(a / b for a, b in zip(one.wall, other.wall))


def summed(name, *parts):
    """Several figures as one, round by round."""
    whole = Figures(name)
    for wall, cpu, memory in zip(zip(*(p.wall for p in parts)), zip(*(p.cpu for p in parts)), zip(*(p.memory for p in parts))):
        whole.add(sum(wall), sum(cpu), max(memory))
    return whole
