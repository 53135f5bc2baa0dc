#!/usr/bin/env python3
"""test_fleet.py CALLQA [CALLS]: judges the same calls with one process, eight shards, DuckDB and Spark.

The CSV files of the nightly report must be identical byte for byte. A truncated part must be rejected, and a part that
is given twice must not change anything. Spark has two workers, one of which is killed; it reads the calls from a
folder, and from a bucket of an S3 server on loopback. The calls are those of the folder CALLS (default: samples/), a
fleet of 100 made from samples/ (with their own times, certificates, ICE names and SSRCs), and one with a damaged file.
Needs duckdb, pyspark, moto[server] and s3fs from PyPI, and Java; tests for missing ones are skipped with a message.
"""
import glob, gzip, hashlib, json, os, re, resource, shutil, signal, socket, subprocess, sys, tempfile, threading, time

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
callqa = os.path.abspath(sys.argv[1])
samples = os.path.join(root, "samples")
given = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else samples
folder = tempfile.mkdtemp(prefix="fleet-")
source = os.path.join(folder, "fleet")
os.environ["CALLQA_HOME"] = root
problems = []


def run(*words, **more): return subprocess.run(words, capture_output=True, text=True, **more)


def extract(names, group, part):
    with open(part, "wb") as out:
        done = subprocess.run([callqa, "extract", "--files-from", "-", "--judgements", "--group", group, "--run", "n1", "--rejects-ok"],
            input="\n".join(names).encode(), stdout=out, stderr=subprocess.PIPE, cwd=source)
    if done.returncode: problems.append(f"extract of {group}: exit {done.returncode} {done.stderr.decode()[-200:]}")


def report(parts, name, *more):
    database = os.path.join(folder, name + ".sqlite")
    gathered = run(callqa, "gather", *parts, *more, "--db", database)
    run(callqa, "report", "nightly", "--run", "n1", "--db", database, "--out", os.path.join(folder, name), "--tz", "UTC")
    print(f"{name}: {gathered.stdout.strip()}", flush=True)
    return {os.path.basename(f): open(f, "rb").read() for f in glob.glob(os.path.join(folder, name, "csv", "*.csv"))}, gathered


def compare(name, one, other):
    if len(one) < 10: problems.append(f"{name}: {len(one)} CSV files")
    for file in sorted(set(one) | set(other)):
        if one.get(file) != other.get(file): problems.append(f"{name}: {file} differs")


def spark_errors(done):
    """The errors in Spark's output, with stack traces."""
    lines = [l for l in done.stderr.splitlines() if " INFO " not in l and " WARN " not in l]
    return "\n".join(lines)[:2000]


def cpu(): return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def identities(call):
    """Identities of the connections and streams of a call, longest first."""
    done = run(callqa, "extract", os.path.join(samples, call), "--only", "identities", check=True)
    rows = [row for row in map(json.loads, done.stdout.splitlines()) if re.match("ufrag|fingerprint|ssrc", row.get("kind") or "")]
    return sorted({row["value"] for row in rows}, key=len, reverse=True)


def changed(value, number):
    """Another value of the same kind and length."""
    digits = hashlib.sha256(f"{value} {number}".encode()).hexdigest().upper()
    if ":" in value: return ":".join(digits[i:i + 2] for i in range(0, 64, 2))
    return str(int(digits[:7], 16) + 10**9) if value.isdigit() else digits[: len(value)]


def make_fleet(copies):
    """Copies of the calls in samples/ that have statistics, 100 s apart, each with its own identities."""
    for call in ("bad-call", "failed-call", "healthy-call", "slow-setup"):
        names = identities(call)
        pattern = re.compile("|".join([re.escape(name) for name in names] + [r"\b1[0-9]{12}(?=\b|\.)"]))
        for number in range(1, copies + 1):
            made = os.path.join(source, f"{call}-{number}")
            os.makedirs(made)
            def change(match):
                text = match.group()
                return changed(text, number) if text in names else str(int(text) + number * 100_000)
            for file in sorted(os.listdir(os.path.join(samples, call))):
                with gzip.open(os.path.join(samples, call, file), "rt", encoding="utf-8") as lines: text = lines.read()
                with gzip.open(os.path.join(made, file), "wt", encoding="utf-8") as out: out.write(pattern.sub(change, text))


os.makedirs(source)
for name in os.listdir(given):
    if os.path.isdir(os.path.join(given, name)): os.symlink(os.path.join(given, name), os.path.join(source, name))
make_fleet(25)
damaged = os.path.join(source, "damaged-call")
shutil.copytree(os.path.join(source, "healthy-call-1"), damaged)
shutil.rmtree(os.path.join(source, "healthy-call-1"))
statistics = os.path.join(damaged, "callee.stats.jsonl.gz")
whole = open(statistics, "rb").read()
open(statistics, "wb").write(whole[: len(whole) // 2] + b"\0" * 1000)
calls = sorted(os.listdir(source))
parts = os.path.join(folder, "parts")
os.makedirs(parts)
before = cpu()
extract(calls, "all", os.path.join(folder, "all.jsonl"))
alone = cpu() - before
one, _ = report([os.path.join(folder, "all.jsonl")], "one")

before = cpu()
shards = [calls[i::8] for i in range(8) if calls[i::8]]
for i, names in enumerate(shards): extract(names, f"g{i}", os.path.join(parts, f"g{i}.jsonl"))
sharded = cpu() - before
eight, _ = report([parts], "eight")
compare("eight shards", one, eight)
print(f"CPU a call: {alone / len(calls):.3f} s in one process, {sharded / len(calls):.3f} s in {len(shards)} shards")
if os.environ.get("FLEET_CPU") and sharded > 1.3 * alone: problems.append(f"shards took {sharded / alone:.2f} times the CPU of one process")

again, gathered = report([parts], "eight")
compare("delivered twice", one, again)
if " 0 refused" not in gathered.stdout or not gathered.stdout.startswith("0 parts"): problems.append("delivered twice: " + gathered.stdout)
cut = os.path.join(folder, "cut-parts")
shutil.copytree(parts, cut)
whole = open(os.path.join(cut, "g1.jsonl"), "rb").read()
open(os.path.join(cut, "g1.jsonl"), "wb").write(whole[: len(whole) // 2])
open(os.path.join(folder, "groups.txt"), "w").write("".join(f"g{i}\n" for i in range(len(shards))))
_, gathered = report([cut], "cut", "--expect", os.path.join(folder, "groups.txt"))
if gathered.returncode != 1 or "no part came of group g1" not in gathered.stderr: problems.append("a cut part: " + gathered.stderr)
mended = run(callqa, "gather", os.path.join(parts, "g1.jsonl"), "--db", os.path.join(folder, "cut.sqlite"))
late, _ = report([parts], "cut")
compare("a part that came late", one, late)

try:
    import duckdb
    lake = os.path.join(folder, "lake", "night=n1")
    done = run(sys.executable, os.path.join(root, "deploy/duckdb/night.py"), parts, lake)
    count = duckdb.connect().execute(f"SELECT count(*) FROM '{lake}/calls/**/*.parquet'").fetchall()[0][0] if not done.returncode else done.stderr
    expected = int(run(callqa, "query", "SELECT count(*) AS n FROM calls", "--db", os.path.join(folder, "one.sqlite"), "--csv").stdout.split()[1])
    print(f"DuckDB: {count} calls in Parquet")
    if count != expected: problems.append(f"DuckDB: {count} calls, {expected} expected")
except ImportError: print("duckdb is not here: passed over")

try:
    import pyspark
    if not shutil.which("java"): raise ImportError
    home = os.path.dirname(pyspark.__file__)
    environment = {**os.environ, "SPARK_HOME": home, "SPARK_LOCAL_IP": "127.0.0.1"}
    log = open(os.path.join(folder, "spark.log"), "w")
    def start(*words): return subprocess.Popen([f"{home}/bin/spark-class", *words], env=environment, stdout=log, stderr=log, start_new_session=True)
    port = 7000 + os.getpid() % 900
    master = start("org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
    time.sleep(6)
    workers = [start("org.apache.spark.deploy.worker.Worker", f"spark://127.0.0.1:{port}", "-c", "1", "-m", "1g", "-d",
        os.path.join(folder, f"w{i}"), "--webui-port", "0") for i in (1, 2)]
    time.sleep(6)
    threading.Timer(14, lambda: os.killpg(workers[0].pid, signal.SIGKILL)).start()
    lake = os.path.join(folder, "spark")
    done = run(f"{home}/bin/spark-submit", "--master", f"spark://127.0.0.1:{port}", "--executor-memory", "700m",
        os.path.join(root, "deploy/spark/night.py"), "--calls", source, "--out", lake, "--night", "n1", "--callqa", callqa,
        "--groups", "8", env=environment)
    for process in workers + [master]:
        try: os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError: pass
    if done.returncode: problems.append("Spark: " + spark_errors(done))
    spark, gathered = report([os.path.join(lake, "parts/night=n1")], "spark-night", "--expect", os.path.join(lake, "groups.txt"))
    compare("Spark, a worker killed", one, spark)
    # Put the ends of each call into separate folders, so that different workers read them first.
    ends = os.path.join(folder, "ends")
    for name in calls:
        for path in glob.glob(os.path.join(source, name, "**"), recursive=True):
            below = os.path.relpath(path, os.path.join(source, name))
            end = next((e for e in ("caller", "callee") if os.path.basename(path).startswith(e)), "both")
            if os.path.isdir(path): continue
            copy = os.path.join(ends, f"{end}-{name}", below)
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy2(path, copy)
    with open(os.path.join(folder, "ends.jsonl"), "wb") as out:
        subprocess.run([callqa, "extract", "--files-from", "-", "--judgements", "--group", "all", "--run", "n1", "--rejects-ok"],
            input="\n".join(sorted(os.listdir(ends))).encode(), stdout=out, cwd=ends)
    one_by_ends, _ = report([os.path.join(folder, "ends.jsonl")], "ends-in-one-process")
    lake = os.path.join(folder, "joined")
    done = run(f"{home}/bin/spark-submit", "--master", "local[2]", os.path.join(root, "deploy/spark/night.py"), "--calls", ends,
        "--out", lake, "--night", "n1", "--callqa", callqa, "--groups", "8", "--join", env=environment)
    if done.returncode: problems.append("Spark that joins: " + spark_errors(done))
    by_ends, gathered = report([os.path.join(lake, "parts/night=n1")], "ends-joined", "--expect", os.path.join(lake, "groups.txt"))
    compare("Spark that joins ends", one_by_ends, by_ends)
    # The same calls from a bucket of an S3 server on loopback.
    try:
        import moto, s3fs
        server_port = port + 1000
        keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server_port}",
            "AWS_DEFAULT_REGION": "us-east-1"}
        server = subprocess.Popen([sys.executable, "-m", "moto.server", "-p", str(server_port)], stdout=log, stderr=log, start_new_session=True)
        for _ in range(100):
            try: socket.create_connection(("127.0.0.1", server_port), 1).close(); break
            except OSError: time.sleep(0.2)
        try:
            os.environ.update(keys)
            bucket = s3fs.S3FileSystem()
            bucket.mkdir("night")
            for name in calls: bucket.put(os.path.join(source, name) + "/", f"night/calls/{name}/", recursive=True)
            lake = os.path.join(folder, "from-bucket")
            done = run(f"{home}/bin/spark-submit", "--master", "local[2]", os.path.join(root, "deploy/spark/night.py"),
                "--calls", "s3://night/calls", "--out", lake, "--night", "n1", "--callqa", callqa, "--groups", "8", env={**environment, **keys})
        finally: os.killpg(server.pid, signal.SIGKILL)
        if done.returncode: problems.append("Spark and a bucket: " + spark_errors(done))
        fetched, gathered = report([os.path.join(lake, "parts/night=n1")], "bucket", "--expect", os.path.join(lake, "groups.txt"))
        compare("Spark and a bucket", one, fetched)
    except ImportError: print("moto or s3fs is not here: a bucket is passed over")
except ImportError: print("pyspark or Java is not here: passed over")

for problem in problems: print("DIFFERS:", problem)
print(f"{len(calls)} calls, {len(problems)} problems")
if not problems: shutil.rmtree(folder, ignore_errors=True)
else: print("left in", folder)
sys.exit(1 if problems else 0)
