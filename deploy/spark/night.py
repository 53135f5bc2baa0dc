#!/usr/bin/env python3
"""night.py --calls DIR --out DIR --night NAME [--callqa callqa] [--groups N]: judges one night on Apache Spark.

Each folder below --calls, which is a folder or a bucket (s3://bucket/2026-11-21), is a call. Folders are distributed
over --groups parts by a hash of their names; each part is one run of `callqa extract --judgements` on a worker. Spark
retries failed tasks and restarts stragglers, which is safe because writing a part twice gives the same part. With
--join, the entries below --calls are pieces of calls (an end's folder, a file). A first pass over all files puts those
that share an id, ICE names, a certificate or an SSRC into one group. The output is OUT/parts/night=NAME (for `callqa
gather`), OUT/groups.txt (for its --expect), and calls and windows as Parquet below OUT/night=NAME. Running a night
again replaces its previous output.

    spark-submit --master spark://host:7077 deploy/spark/night.py --calls /lake/calls/2026-11-21 --out /lake/callqa --night 2026-11-21
    callqa gather /lake/callqa/parts/night=2026-11-21 --expect /lake/callqa/groups.txt --db night.sqlite

OUT, and a folder of calls, must have the same path on every worker (NFS, a mounted bucket). Buckets are read with
fsspec, which needs the matching package on every worker (s3fs, gcsfs, adlfs); a worker keeps the files of one group at
a time in $TMPDIR. The binary must be on the workers' PATH.
"""
import argparse, contextlib, json, os, shutil, subprocess, tempfile, zlib
from pyspark.sql import SparkSession

TABLES = ("calls", "windows")


# Kinds of identities that always belong to one call. Other identities shared by more than MOST_SHARING entries belong
# to a server (its certificate) rather than a call.
NAMES_OF_CALLS = ("call", "session", "sip")
OF_CALLS = NAMES_OF_CALLS + ("ufrag", "fingerprint", "ssrc")
MOST_SHARING = 100


def is_bucket(calls): return "://" in calls


def entries(calls):
    """Names of the entries in a folder or bucket, sorted."""
    if not is_bucket(calls): return sorted(os.listdir(calls))
    import fsspec
    files, path = fsspec.core.url_to_fs(calls)
    return sorted(name.rstrip("/").rsplit("/", 1)[1] for name in files.ls(path, detail=False) if name.strip("/") != path.strip("/"))


@contextlib.contextmanager
def at_hand(calls, names):
    """A local folder with the named entries: the folder of calls itself, or a temporary copy from a bucket."""
    if not is_bucket(calls):
        yield calls
        return
    import fsspec
    files, path = fsspec.core.url_to_fs(calls)
    with tempfile.TemporaryDirectory(prefix="callqa-") as folder:
        for name in names:
            one = "" if files.isfile(f"{path}/{name}") else "/"
            files.get(f"{path}/{name}{one}", os.path.join(folder, name) + one, recursive=True)
        yield folder


def run(binary, folder, names, out, *options):
    """Runs `callqa extract` with relative paths, so that its output does not depend on where the files are."""
    done = subprocess.run([binary, "extract", "--files-from", "-", "--rejects-ok", *options], input="\n".join(names).encode(),
        stdout=out, stderr=subprocess.PIPE, cwd=folder)
    if done.returncode: raise RuntimeError(f"{names[0]} …: exit {done.returncode}: {done.stderr.decode(errors='replace')[-400:]}")


def identities(binary, calls, names):
    """Pairs of an identity and an entry that has it."""
    with at_hand(calls, names) as folder, tempfile.TemporaryFile() as out:
        run(binary, folder, names, out, "--only", "identities")
        out.seek(0)
        found = set()
        for row in map(json.loads, out):
            kind = (row.get("kind") or "").split("-")[0]
            if row["type"] == "identity" and kind in OF_CALLS: found.add(((kind, row["value"]), row["source"].split("/", 1)[0]))
        return sorted(found)


def joined(pairs, names):
    """Groups entries that share identities: maps each entry to the first one of its group."""
    first = {name: name for name in names}
    def root(name):
        while first[name] != name: first[name] = name = first[first[name]]
        return name
    for sharing in pairs:
        for other in sharing[1:]:
            one, two = sorted((root(sharing[0]), root(other)))
            first[two] = one
    return {name: root(name) for name in names}


def extract(binary, group, calls, names, night, parts):
    """Runs callqa on the calls of one group, writes its part atomically, and returns its rows."""
    part = os.path.join(parts, group + ".jsonl")
    making = f"{part}.making-{os.getpid()}"
    try:
        with at_hand(calls, names) as folder, open(making, "wb") as out:
            run(binary, folder, names, out, "--judgements", "--group", group, "--run", night)
    except BaseException:
        if os.path.exists(making): os.unlink(making)
        raise
    columns, rows = {}, []
    with open(making, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["type"] == "table": columns[row["table"]] = row["columns"]
            elif row["type"] == "row" and row["table"] in TABLES:
                rows.append((row["table"], json.dumps({**dict(zip(columns[row["table"]], row["cells"])), "part": group})))
    os.replace(making, part)
    return rows


def main():
    arguments = argparse.ArgumentParser()
    for name in ("calls", "out", "night"): arguments.add_argument("--" + name, required=True)
    arguments.add_argument("--callqa", default="callqa")
    arguments.add_argument("--groups", type=int, default=64)
    arguments.add_argument("--join", action="store_true")
    a = arguments.parse_args()
    spark = SparkSession.builder.appName(f"callqa {a.night}").getOrCreate()
    parts = os.path.join(os.path.abspath(a.out), "parts", f"night={a.night}")
    shutil.rmtree(parts, ignore_errors=True)
    os.makedirs(parts)
    calls = a.calls if is_bucket(a.calls) else os.path.abspath(a.calls)
    binary, night, context = a.callqa, a.night, spark.sparkContext
    names = entries(calls)
    head = {name: name for name in names}
    if a.join:
        some = [names[i::a.groups] for i in range(a.groups) if names[i::a.groups]]
        found = context.parallelize(some, len(some)).flatMap(lambda n: identities(binary, calls, n))
        sharing = found.groupByKey().map(lambda p: (p[0][0], sorted(p[1]))).filter(
            lambda p: len(p[1]) > 1 and (len(p[1]) <= MOST_SHARING or p[0] in NAMES_OF_CALLS)).map(lambda p: p[1])
        head = joined(sharing.toLocalIterator(), names)
    groups = {}
    for name in names: groups.setdefault(f"g{zlib.crc32(head[name].encode()) % a.groups:05d}", []).append(name)
    with open(os.path.join(a.out, "groups.txt"), "w") as file: file.write("".join(g + "\n" for g in sorted(groups)))
    work = context.parallelize(sorted(groups.items()), len(groups))
    rows = work.flatMap(lambda g: extract(binary, g[0], calls, g[1], night, parts)).cache()
    for table in TABLES:
        frame = spark.read.json(rows.filter(lambda r, t=table: r[0] == t).map(lambda r: r[1]))
        by = frame.write.mode("overwrite")
        (by.partitionBy("sdk") if table == "calls" and "sdk" in frame.columns else by).parquet(
            os.path.join(os.path.abspath(a.out), f"night={a.night}", table))
    print(f"{len(groups)} parts in {parts}")
    spark.stop()


if __name__ == "__main__": main()
