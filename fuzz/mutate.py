"""Imports damaged files with the built binary. It must not end by a signal, must use only documented exit codes, and
must explain every rejection. `check` must find nothing, and the rows must not depend on threads or the order of files.

usage: fuzz/mutate.py [FILES=10000] [SEED]     CALLQA names the binary (default .build/release/callqa)
"""

import glob
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
CALLQA = os.environ.get("CALLQA", os.path.join(ROOT, ".build", "release", "callqa"))
A_RUN = 100
WORDS = [b"null", b"1e999", b"-1", b"18446744073709551616", b'"', b"{", b"}", b"[", b"\\ud800", b"\x00", b"\n", b"\xff"]


def seeds():
    found = []
    for pattern in ("samples/**/*", "Tests/Cases/[!j]*/*", "../shared/calls/**/*", "../shared/dumps/**/*", "../shared/sse/**/*", "../shared/pcaps/*.pcap*"):
        for path in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True)):
            if os.path.isfile(path) and not path.endswith((".md", ".txt", "expect.json", ".expected.json")):
                with open(path, "rb") as file:
                    data = file.read(400_000)
                found.append((os.path.basename(path), data))
                if data[:2] == b"\x1f\x8b":
                    try:
                        found.append((os.path.basename(path)[:-3], gzip.decompress(data)[:400_000]))
                    except (OSError, EOFError):
                        pass
    return found


def mutated(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 30))):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(7)
        if kind == 0:
            del data[at:]
        elif kind == 1:
            del data[at : at + rng.randrange(1, 2000)]
        elif kind == 2 and data:
            data[at % len(data)] ^= 1 << rng.randrange(8)
        elif kind == 3:
            data[at:at] = rng.choice(WORDS)
        elif kind == 4:
            end = at + rng.randrange(1, 500)
            data[at:at] = data[at:end]
        elif kind == 5:
            data[at : at + 8] = rng.randbytes(8)
        else:
            there = rng.randrange(len(data) + 1)
            data[at:at] = data[there : there + rng.randrange(1, 4000)]
    return bytes(data)


def contents(database):
    """Every list of a database, sorted, without columns that differ between imports of the same files."""
    found = {}
    for name in ("calls", "streams", "score", "setup", "events", "findings", "sources"):
        scope = ["--run", "all"] if name == "calls" else []
        out = subprocess.run([CALLQA, name, *scope, "--db", database, "--json"], capture_output=True, timeout=600).stdout.decode(errors="replace")
        rows = []
        for line in out.split("\n")[:-1]:
            row = json.loads(line)
            rows.append(json.dumps({k: v for k, v in row.items() if k not in ("source_id", "imported_ms", "stream_key")}, sort_keys=True))
        found[name] = sorted(rows)
    return found


def compared(folder, first, words, env, rng):
    """Differences when the same files are imported by one thread, and in another order."""
    problems, one = [], contents(first)
    check = subprocess.run([CALLQA, "check", "--db", first], capture_output=True, timeout=600)
    if check.returncode != 0:
        problems.append(f"check exits {check.returncode}: {(check.stdout + check.stderr).decode()[-400:]}")
    files = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    shuffled = rng.sample(files, len(files))
    for name, what in (("jobs", [folder, "--jobs", "1"]), ("order", [*shuffled, "--jobs", "2"])):
        database = f"{first}.{name}"
        subprocess.run([CALLQA, "import", *what, "--db", database, "--quiet", *words], capture_output=True, timeout=600, env=env)
        other = contents(database)
        # Unknown files are rejected if named on the command line but skipped in a folder, so sources may differ.
        for table in one:
            if name == "order" and table == "sources":
                continue
            if one[table] != other[table]:
                only = sorted(set(one[table]) ^ set(other[table]))[:2]
                problems.append(f"{name}: {table} differ: {[line[:300] for line in only]}")
        os.remove(database)
    return problems


def main():
    count, seed = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng, sources, failures = random.Random(seed), seeds(), 0
    for start in range(0, count, A_RUN):
        folder = tempfile.mkdtemp(prefix="callqa-mutants-")
        inner = os.path.join(folder, "in")
        os.mkdir(inner)
        for number in range(min(A_RUN, count - start)):
            name, data = rng.choice(sources)
            with open(os.path.join(inner, "%03d-%s" % (number, name)), "wb") as out:
                out.write(mutated(data, rng))
        try:
            # Every other run replaces people, which processes every text again.
            words = ["--pseudonymize"] if start // A_RUN % 2 else []
            database, env = os.path.join(folder, "x.sqlite"), dict(os.environ, CALLQA_KEY="a key that nobody can guess")
            run = subprocess.run(
                [CALLQA, "import", inner, "--db", database, "--json", *words], capture_output=True, timeout=600, env=env)
            # Every fifth run is compared with other imports of the same files.
            others = compared(inner, database, words, env, rng) if start // A_RUN % 5 == 0 and run.returncode in (0, 1) else []
        except subprocess.TimeoutExpired:
            print(f"files from {start}: no end after 600 s; kept in {folder}")
            failures += 1
            continue
        problems = others if run.returncode in (0, 1) else [f"exit {run.returncode}: {run.stderr.decode()[-300:]}"]
        for line in filter(None, run.stdout.decode(errors="replace").split("\n")):
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                problems.append(f"no JSON: {error}: {line[:2000]!r}")
                continue
            if row.get("status") in ("refused", "skipped", "partial") and not row.get("reason") and not row.get("rejected"):
                problems.append(f"no reason: {line[:200]}")
        if problems:
            failures += 1
            print(f"files from {start}, kept in {folder}:", *problems[:5], sep="\n  ")
        else:
            shutil.rmtree(folder)
    print(f"{count} damaged files imported, {failures} runs with problems")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
