#!/usr/bin/env python3
"""night.py --calls DIR --out DIR --night NAME [--callqa callqa] [--groups N]: one night on Apache Spark.

Each folder below --calls is a call; folders are spread over --groups parts by a hash of their names, each part is one run of
`callqa extract --judgements` on some worker. Spark retries what fails and starts stragglers again; a part that was written twice is the
same part. Written are OUT/parts/night=NAME (for `callqa gather`), OUT/groups.txt (for its --expect), and calls and windows as Parquet
below OUT/night=NAME. A night that is run again takes the place of what it was.

    spark-submit --master spark://host:7077 deploy/spark/night.py --calls /lake/calls/2026-11-21 --out /lake/callqa --night 2026-11-21
    callqa gather /lake/callqa/parts/night=2026-11-21 --expect /lake/callqa/groups.txt --db night.sqlite

The folder of calls and OUT must be the same path on every worker (NFS, a mounted bucket). The binary is found on the workers' PATH.
"""
import argparse, json, os, shutil, subprocess, zlib
from pyspark.sql import SparkSession

TABLES = ("calls", "windows")


def extract(binary, group, folders, night, parts):
    """Runs callqa on the folders of one group; writes its part whole or not at all, and gives its rows back."""
    part = os.path.join(parts, group + ".jsonl")
    making = f"{part}.making-{os.getpid()}"
    with open(making, "wb") as out:
        done = subprocess.run([binary, "extract", "--files-from", "-", "--judgements", "--group", group, "--run", night,
            "--rejects-ok"], input="\n".join(folders).encode(), stdout=out, stderr=subprocess.PIPE)
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
    for name in sorted(os.listdir(a.calls)):
        group = f"g{zlib.crc32(name.encode()) % a.groups:05d}"
        groups.setdefault(group, []).append(os.path.join(os.path.abspath(a.calls), name))
    with open(os.path.join(a.out, "groups.txt"), "w") as file: file.write("".join(g + "\n" for g in sorted(groups)))
    work = spark.sparkContext.parallelize(sorted(groups.items()), len(groups))
    binary, night = a.callqa, a.night
    rows = work.flatMap(lambda g: extract(binary, g[0], g[1], night, parts)).cache()
    for table in TABLES:
        frame = spark.read.json(rows.filter(lambda r, t=table: r[0] == t).map(lambda r: r[1]))
        by = frame.write.mode("overwrite")
        (by.partitionBy("sdk") if table == "calls" and "sdk" in frame.columns else by).parquet(
            os.path.join(os.path.abspath(a.out), f"night={a.night}", table))
    print(f"{len(groups)} parts in {parts}")
    spark.stop()


if __name__ == "__main__": main()
