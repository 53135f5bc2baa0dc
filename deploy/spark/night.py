#!/usr/bin/env python3
"""night.py --calls DIR --out DIR --night NAME [--callqa callqa] [--groups N]: one night on Apache Spark.

Each folder below --calls is a call, in a folder or in a bucket (s3://bucket/2026-11-21); folders are spread over --groups parts by a hash of their names, each part is one run of
`callqa extract --judgements` on some worker. Spark retries what fails and starts stragglers again; a part that was written twice is the
same part. Written are OUT/parts/night=NAME (for `callqa gather`), OUT/groups.txt (for its --expect), and calls and windows as Parquet
below OUT/night=NAME. A night that is run again takes the place of what it was.

    spark-submit --master spark://host:7077 deploy/spark/night.py --calls /lake/calls/2026-11-21 --out /lake/callqa --night 2026-11-21
    callqa gather /lake/callqa/parts/night=2026-11-21 --expect /lake/callqa/groups.txt --db night.sqlite

OUT, and a folder of calls, must be the same path on every worker (NFS, a mounted bucket). A bucket is read by fsspec, which needs the
package of its kind on every worker (s3fs, gcsfs, adlfs); a worker holds the files of one group at a time, in $TMPDIR. The binary is
found on the workers' PATH.
"""
import argparse, json, os, shutil, subprocess, tempfile, zlib
from pyspark.sql import SparkSession

TABLES = ("calls", "windows")


def is_bucket(calls): return "://" in calls


def call_names(calls):
    """The names of the folders below a folder or a bucket's address, sorted."""
    if not is_bucket(calls): return sorted(os.listdir(calls))
    import fsspec
    files, path = fsspec.core.url_to_fs(calls)
    return sorted(entry["name"].rstrip("/").rsplit("/", 1)[1] for entry in files.ls(path, detail=True) if entry["type"] == "directory")


def extract(binary, group, calls, names, night, parts):
    """Runs callqa on the calls of one group; writes its part whole or not at all, and gives its rows back."""
    if not is_bucket(calls): return judge(binary, group, calls, names, night, parts)
    import fsspec
    files, path = fsspec.core.url_to_fs(calls)
    with tempfile.TemporaryDirectory(prefix="callqa-") as fetched:
        for name in names: files.get(f"{path}/{name}/", os.path.join(fetched, name) + "/", recursive=True)
        return judge(binary, group, fetched, names, night, parts)


def judge(binary, group, folder, names, night, parts):
    part = os.path.join(parts, group + ".jsonl")
    making = f"{part}.making-{os.getpid()}"
    with open(making, "wb") as out:
        # Names below the folder, so that a part is the same wherever its files lay.
        done = subprocess.run([binary, "extract", "--files-from", "-", "--judgements", "--group", group, "--run", night,
            "--rejects-ok"], input="\n".join(names).encode(), stdout=out, stderr=subprocess.PIPE, cwd=folder)
    if done.returncode:
        os.unlink(making)
        raise RuntimeError(f"group {group}: exit {done.returncode}: {done.stderr.decode(errors='replace')[-400:]}")
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
    a = arguments.parse_args()
    spark = SparkSession.builder.appName(f"callqa {a.night}").getOrCreate()
    parts = os.path.join(os.path.abspath(a.out), "parts", f"night={a.night}")
    shutil.rmtree(parts, ignore_errors=True)
    os.makedirs(parts)
    groups = {}
    calls = a.calls if is_bucket(a.calls) else os.path.abspath(a.calls)
    for name in call_names(calls):
        group = f"g{zlib.crc32(name.encode()) % a.groups:05d}"
        groups.setdefault(group, []).append(name)
    with open(os.path.join(a.out, "groups.txt"), "w") as file: file.write("".join(g + "\n" for g in sorted(groups)))
    work = spark.sparkContext.parallelize(sorted(groups.items()), len(groups))
    binary, night = a.callqa, a.night
    rows = work.flatMap(lambda g: extract(binary, g[0], calls, g[1], night, parts)).cache()
    for table in TABLES:
        frame = spark.read.json(rows.filter(lambda r, t=table: r[0] == t).map(lambda r: r[1]))
        by = frame.write.mode("overwrite")
        (by.partitionBy("sdk") if table == "calls" and "sdk" in frame.columns else by).parquet(
            os.path.join(os.path.abspath(a.out), f"night={a.night}", table))
    print(f"{len(groups)} parts in {parts}")
    spark.stop()


if __name__ == "__main__": main()
