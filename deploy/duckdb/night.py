#!/usr/bin/env python3
"""night.py PARTS OUT: converts the parts of a night to Parquet with DuckDB.

Writes OUT/calls, partitioned by SDK, and OUT/windows.

    callqa extract --judgements --group g1 calls/ > parts/g1.jsonl        on one machine, or several
    python3 deploy/duckdb/night.py parts out/night=2026-11-21
    duckdb -c "SELECT sdk, avg(score_mean) FROM 'out/night=*/calls/**/*.parquet' GROUP BY sdk"
"""
import glob, json, os, shutil, sys, tempfile
import duckdb

parts, out = sys.argv[1], sys.argv[2]
shutil.rmtree(out, ignore_errors=True)
with tempfile.TemporaryDirectory() as folder:
    files = {table: open(os.path.join(folder, table + ".json"), "w") for table in ("calls", "windows")}
    for path in sorted(glob.glob(os.path.join(parts, "*.jsonl"))):
        columns, ended = {}, False
        for line in open(path, encoding="utf-8"):
            row = json.loads(line)
            if row["type"] == "table": columns[row["table"]] = row["columns"]
            elif row["type"] == "row" and row["table"] in files:
                values = dict(zip(columns[row["table"]], row["cells"]))
                files[row["table"]].write(json.dumps({**values, "part": os.path.basename(path)[:-6]}) + "\n")
            elif row["type"] == "end": ended = True
        if not ended: sys.exit(f"{path} was cut short: make it again")
    for table, file in files.items():
        file.close()
        target = os.path.join(out, table)
        os.makedirs(target)
        by = ", PARTITION_BY (sdk)" if table == "calls" else ""
        where = f"{target}" if by else f"{target}/windows.parquet"
        duckdb.connect().execute(f"COPY (SELECT * FROM read_json_auto('{file.name}', sample_size=-1)) TO '{where}' (FORMAT parquet{by})")
print(f"Parquet in {out}")
