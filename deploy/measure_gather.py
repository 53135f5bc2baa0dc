#!/usr/bin/env python3
"""measure_gather.py CALLQA [CALLS ...]: measures gathering and reporting (default 100000 300000 1000000 calls).

Parts are made from the output of `extract --judgements` for the calls in samples/ (two ends, statistics and logs). Each
copy has its own id, files, keys, start and score. Of 19 calls, nine have statistics (three of them are not good) and
ten have only an SDK's log. Parts are written to $TMPDIR, about 1,000 calls in each, compressed with gzip. Prints wall
time, processor time and peak memory.
"""
import concurrent.futures, gzip, json, os, random, resource, shutil, subprocess, sys, tempfile, time

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
callqa = os.path.abspath(sys.argv[1])
amounts = [int(n) for n in sys.argv[2:]] or [100_000, 300_000, 1_000_000]
os.environ["CALLQA_HOME"] = root
SETS_A_PART = 53  # of 19 calls each: about a thousand
MIX = ["healthy-call"] * 6 + ["bad-call", "failed-call", "slow-setup", "sdk-logs"]
KEYS = ("call_key", "endpoint_key", "connection_key", "stream_key", "path_key", "source_id", "finding_key", "span_key", "event_key")


def base(name):
    """Columns by table and rows of the part of a sample."""
    done = subprocess.run([callqa, "extract", os.path.join(root, "samples", name), "--judgements", "--group", name, "--run", "n1",
        "--rejects-ok"], capture_output=True, text=True, check=True)
    columns, rows = {}, []
    for line in map(json.loads, done.stdout.splitlines()):
        if line["type"] == "table": columns[line["table"]] = line["columns"]
        if line["type"] == "row": rows.append((line["table"], line["cells"]))
    return columns, rows


def changes(columns, rows):
    """Each row as (table, cells, which cells change from copy to copy)."""
    made = []
    for table, cells in rows:
        if table == "runs": continue
        kinds = []
        for index, name in enumerate(columns[table]):
            if name in KEYS and cells[index] is not None: kinds.append((index, "key"))
            elif table == "calls" and name in ("call_id", "folder") and cells[index]: kinds.append((index, "id"))
            elif table == "calls" and name == "started_ms" and cells[index]: kinds.append((index, "time"))
            elif table == "calls" and name == "score_mean" and cells[index] is not None: kinds.append((index, "score"))
            elif table == "sources" and name == "sha256": kinds.append((index, "digest"))
            elif table == "sources" and name == "path": kinds.append((index, "path"))
        made.append((table, cells, kinds))
    return made


def write_part(path, number, bases, columns, run_row):
    chance = random.Random(number)
    count = calls = 0
    with gzip.open(path, "wt", compresslevel=1) as out:
        group = f"g{number}"
        out.write(json.dumps({"type": "part", "version": 1, "group": group}) + "\n")
        last, key = None, 0

        def row(table, cells):
            nonlocal count
            out.write('{"type":"row","table":"%s","cells":%s}\n' % (table, json.dumps(cells, separators=(",", ":"))))
            count += 1

        told = set()
        for table in columns:
            out.write(json.dumps({"type": "table", "table": table, "columns": columns[table]}) + "\n")
            if table == "runs":
                row("runs", run_row)
                continue
            for copy in range(SETS_A_PART):
                shift = 1000 * copy
                for place, name in enumerate(MIX):
                    # Derive the changes from the number of the copy, so that they match in every table.
                    seed = (number * SETS_A_PART + copy) * len(MIX) + place
                    for its, cells, kinds in bases[name].get(table, ()):
                        cells = list(cells)
                        for index, kind in kinds:
                            value = cells[index]
                            if kind == "key": cells[index] = value + 40 * (copy * len(MIX) + place)
                            elif kind == "id": cells[index] = f"{value}-{seed}"
                            elif kind == "path": cells[index] = "/".join([f"{os.path.dirname(value)}-{seed}", os.path.basename(value)])
                            elif kind == "time": cells[index] = value + seed * 7919 % 86_400_000
                            elif kind == "score": cells[index] = round(min(100, max(0, value + chance.gauss(0, 4))), 2)
                            else: cells[index] = f"{seed:x}".rjust(16, "0") + value[16:]
                        calls += table == "calls"
                        row(table, cells)
        out.write(json.dumps({"type": "end", "files": calls, "calls": calls, "refused": 0, "partial": 0, "rows": count}) + "\n")
    return calls


def measured(*words):
    begin, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if status: sys.exit(f"{' '.join(words[:3])}: {os.waitstatus_to_exitcode(status)} {errors[-300:]}")
    return time.time() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    told = {name: base(name) for name in set(MIX)}
    columns, bases = {}, {}
    for name, (its, rows) in told.items():
        for table, names in its.items(): columns.setdefault(table, names)
        bases[name] = {}
        for change in changes(its, rows): bases[name].setdefault(change[0], []).append(change)
    order = ["runs", "sources", "calls", "endpoints", "source_views", "streams", "paths"]
    columns = {t: columns[t] for t in order + [t for t in columns if t not in order]}
    run_row = next(cells for table, cells in told["healthy-call"][1] if table == "runs")
    a_part = SETS_A_PART * sum(sum(t == "calls" for t, _ in told[name][1]) for name in MIX)
    folder = tempfile.mkdtemp(prefix="gather-")
    try:
        parts, have = os.path.join(folder, "parts"), 0
        os.makedirs(parts)
        print("calls      parts MB  gather s  CPU s  MiB   us a call  database MB  report s  CPU s  MiB", flush=True)
        for amount in amounts:
            wanted = -(-amount // a_part)
            with concurrent.futures.ProcessPoolExecutor() as pool:
                done = [pool.submit(write_part, f"{parts}/g{n}.jsonl.gz", n, bases, columns, run_row) for n in range(have, wanted)]
                for one in done: one.result()
            have = max(have, wanted)
            database = os.path.join(folder, "night.sqlite")
            size = sum(os.path.getsize(os.path.join(parts, f)) for f in os.listdir(parts)) / 1e6
            gather = measured(callqa, "gather", parts, "--db", database, "--quiet")
            report = measured(callqa, "report", "nightly", "--db", database, "--out", os.path.join(folder, "report"), "--quiet")
            calls = have * a_part
            print(f"{calls:<10d} {size:8.0f}  {gather[0]:8.1f}  {gather[1]:5.0f}  {gather[2]:4.0f}  {gather[1] / calls * 1e6:9.0f}  "
                f"{os.path.getsize(database) / 1e6:11.0f}  {report[0]:8.1f}  {report[1]:5.0f}  {report[2]:4.0f}", flush=True)
            for name in os.listdir(folder):
                if name.startswith("night.sqlite"): os.remove(os.path.join(folder, name))
    finally: shutil.rmtree(folder)


main()
