"""Writes RESULTS.md: the machine, and every figure with its limit."""

import os
import platform
import subprocess
import time


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo") as cpu:
        for line in cpu:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GiB, {system}, Linux {platform.release().split('-')[0]}"


def version(*words):
    try:
        said = subprocess.run(words, capture_output=True, text=True).stdout.strip().splitlines()
        return said[0] if said else "?"
    except OSError:
        return "?"


class Results:
    """Collects sections as they are measured, and writes the page."""

    def __init__(self):
        self.parts, self.bars = [], []

    def section(self, title, text):
        self.parts.append(f"\n## {title}\n\n{text.strip()}\n")
        print(f"\n== {title}")

    def table(self, figures, base=None):
        rows = ["| | wall s | CPU s | peak MiB |" + (" times callqa's wall |" if base else "")]
        rows.append("|---|---:|---:|---:|" + ("---:|" if base else ""))
        for each in figures:
            row = f"| {each.name} | {each.seconds:.2f} | {each.cpu_seconds:.2f} | {each.peak / 2**20:.0f} |"
            rows.append(row + (f" {each.seconds / base.seconds:.2f} |" if base else ""))
        self.parts.append("\n" + "\n".join(rows) + "\n")
        print("\n".join(rows))

    def bar(self, what, value, bound, at_least=False):
        """Adds a figure with its limit."""
        met = value >= bound if at_least else value <= bound
        self.bars.append((what, value, ("≥ " if at_least else "≤ ") + f"{bound:g}", met))
        print(f"   {what}: {value:.2f} (bar {self.bars[-1][2]}) {'met' if met else 'NOT MET'}")

    def text(self, text):
        self.parts.append("\n" + text + "\n")
        print(text)

    def write(self, path, load, command, yardstick):
        bars = ["| bar | measured | wanted | |", "|---|---:|---:|---|"]
        bars += [f"| {what} | {value:.2f} | {wanted} | {'met' if met else '**not met**'} |" for what, value, wanted, met in self.bars]
        head = [
            "# Measured",
            "",
            f"Written by `{command}` on {time.strftime('%Y-%m-%d')}; do not edit by hand.",
            "",
            f"- {machine()}; load average {load[0]:.1f} before and {os.getloadavg()[0]:.1f} after",
            f"- {version('swift', '--version')}; {version('python3', '--version')}; SQLite {version('sqlite3', '--version')[:6]}",
            "- Medians; commands take turns, and a ratio is the median over pairs of the same round. A busy machine tells",
            "  little in seconds and still a fair amount in ratios.",
            f"- The yardstick is release {yardstick.name}, built on this machine" + (f": {yardstick.problem}" if yardstick.problem else "") + ".",
            "",
        ]
        with open(path, "w") as page:
            page.write("\n".join(head + bars) + "\n" + "".join(self.parts))
