"""Runs commands alternately and records wall time, CPU time and peak memory of each."""

import os
import statistics
import subprocess
import time


class Figures:
    """Measurements of several runs of one command."""

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
        """The largest peak memory of any run, bytes."""
        return max(self.memory)


class Command:
    """A command to time, with files to delete before. It may print its own time, s, or be timed to its first row."""

    def __init__(self, name, words, before=(), prints_seconds=False, expect=(0,), environment=None, to_first_row=False, folder=None):
        self.name, self.words, self.before = name, [str(word) for word in words], before
        self.prints_seconds, self.expect, self.environment = prints_seconds, expect, environment
        self.to_first_row, self.folder = to_first_row, folder

    def run(self):
        for path in self.before:
            for ending in ("", "-wal", "-shm", "-journal"):
                if os.path.exists(path + ending):
                    os.remove(path + ending)
        start = time.monotonic()
        child = subprocess.Popen(
            self.words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **(self.environment or {})}, cwd=self.folder
        )
        # The first line is the table header.
        head = child.stdout.readline() + child.stdout.readline() if self.to_first_row else b""
        first = time.monotonic() - start
        # Reading one pipe after the other works for small outputs only.
        out, err = head + child.stdout.read(), child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in self.expect:
            raise SystemExit(f"{' '.join(self.words)}\nexited {child.returncode}: {err.decode()[-2000:]}")
        seconds = float(out) if self.prints_seconds else first if self.to_first_row else wall
        return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def in_turn(commands, rounds):
    """Runs each command once per round, so that other load on the machine affects all of them equally."""
    figures = {command.name: Figures(command.name) for command in commands}
    for _ in range(rounds):
        for command in commands:
            figures[command.name].add(*command.run())
    return figures


def ratio(one, other):
    """The median ratio of two wall times, compared within each round."""
    return statistics.median(a / b for a, b in zip(one.wall, other.wall))


def ratio_of_cpu(one, other):
    """The median ratio of two processor times, compared within each round."""
    return statistics.median(a / b for a, b in zip(one.cpu, other.cpu))


def summed(name, *parts):
    """The sum of several figures, per round; the maximum for memory."""
    whole = Figures(name)
    for wall, cpu, memory in zip(zip(*(p.wall for p in parts)), zip(*(p.cpu for p in parts)), zip(*(p.memory for p in parts))):
        whole.add(sum(wall), sum(cpu), max(memory))
    return whole
