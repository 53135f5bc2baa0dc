"""The benchmarks: one function per group, each with its limits."""

import json
import os
import shutil
import statistics
import struct
import subprocess
import sys

from browser import Browser
from measure import Command, in_turn, ratio, ratio_of_cpu, summed


def callqa_import(bench, name, inputs, *more, database=None, fresh=True):
    database = database or bench.path("callqa.sqlite")
    words = [bench.callqa, "import", *inputs, "--db", database, "--quiet", *more]
    return Command(name, words, before=[database] if fresh else [])


def pair(bench, what, inputs, bound, rounds=None, more=()):
    """An import by this release and by the yardstick, in turn: the ratios of wall and processor time."""
    words = ["import", *inputs, "--db", "{db}", "--quiet", *more]
    pair_of_commands(bench, what, words, bound, rounds or bench.rounds)


def pair_of_commands(bench, what, words, bound, rounds, databases=None, expect=(0,)):
    """Any command by both; `{db}` and `{out}` in its words become files of each. `databases` are read, others are made anew."""
    yardstick = bench.yardstick
    if yardstick.problem:
        return
    commands = []
    # A report is looked for in the current folder first, and each release has its own.
    for name, binary, environment, folder in (
        ("this release", bench.callqa, {}, None), ("the yardstick", yardstick.callqa, yardstick.environment, yardstick.source)
    ):
        stem = "pair-" + name.split()[1]
        places = {"db": (databases or {}).get(name) or bench.path(stem + ".sqlite"), "out": bench.path(stem)}
        filled = [binary, *(str(word).format(**places) for word in words)]
        before = [] if databases else [places["db"]]
        commands.append(Command(name, filled, before=before, environment=environment, expect=expect, folder=folder))
    # The first command to read a file waits for the disk, so run one beforehand.
    commands[0].run()
    ours, theirs = in_turn(commands, rounds).values()
    bench.results.table([ours, theirs], ours)
    bench.results.bar(f"{what}: wall time over the yardstick's", ratio(ours, theirs), bound)
    bench.results.bar(f"{what}: CPU time over the yardstick's", ratio_of_cpu(ours, theirs), bound)


# Two ways to read reports: as JSON, and with the type of every member declared.
DUCKDB = {"json": "DuckDB, members out of JSON", "typed": "DuckDB, members declared"}


def lines(bench):
    """getStats lines, compared with the alternatives that a user has and with the minimum possible work (the floor)."""
    python = bench.python()
    for kind, words in (("rtp-lines", "RTP reports only"), ("lines", "all that a browser reports")):
        source = bench.input(kind, bench.size)
        bench.results.section(f"getStats lines, {bench.size:g} MB, {words}", f"One file, {count_lines(source)} snapshots.")
        script, duck = bench.path("script.sqlite"), bench.path("duck.db")
        python_script = Command("Python script, 16 columns", [sys.executable, bench.script("python_import.py"), source, script], before=[script])
        ours = callqa_import(bench, "callqa import, scored", [source])
        python_script.run(), ours.run()
        commands = [
            ours,
            python_script,
            Command("floor: read and parse", [bench.floor, "json", source], prints_seconds=True),
            Command("floor: the 16 columns from memory", [bench.floor, "rows", script, "stats"], prints_seconds=True),
        ]
        # The floor inserts the rows of the script's last database, so the script writes to another one from here on.
        commands[1].before = [bench.path("again.sqlite")]
        commands[1].words[-1] = bench.path("again.sqlite")
        if python:
            for form in DUCKDB:
                commands.append(Command(DUCKDB[form], [python, bench.script("duckdb_import.py"), source, duck, form], before=[duck]))
        figures = in_turn(commands, bench.rounds)
        if python:
            utils, target = os.path.join(os.path.dirname(python), "sqlite-utils"), bench.path("utils.sqlite")
            words = [utils, "insert", target, "stats", source, "--nl", "--silent"]
            figures |= in_turn([Command("sqlite-utils insert, JSON as text (once)", words, before=[target])], 1)
        ours = figures["callqa import, scored"]
        floor = summed("floor, summed", figures["floor: read and parse"], figures["floor: the 16 columns from memory"])
        bench.results.table([*figures.values(), floor], ours)
        name = f"{bench.size:g} MB of {kind}: "
        bench.results.bar(name + "times faster than the Python script", ratio(figures["Python script, 16 columns"], ours), 5, True)
        if python:
            for form in DUCKDB:
                bound = 2.5 if form == "json" else 1.5
                bench.results.bar(name + f"times faster than {DUCKDB[form]}", ratio(figures[DUCKDB[form]], ours), bound, True)
        bench.results.bar(name + "times the floor", ratio(ours, floor), 1.8)
        bench.results.bar(name + "peak MiB", ours.peak / 2**20, 64)
        pair(bench, f"{bench.size:g} MB of {kind}", [source], 0.95)


def count_lines(path):
    with open(path, "rb") as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))


def dump(bench):
    source = bench.input("dump", 50)
    bench.results.section("webrtc-internals dump, 50 MB", "A series a member, arrays inside strings.")
    figures = in_turn(
        [
            callqa_import(bench, "callqa import, scored", [source]),
            Command("floor: read and parse", [bench.floor, "json", source], prints_seconds=True),
        ],
        bench.rounds,
    )
    ours = figures["callqa import, scored"]
    bench.results.table(figures.values(), ours)
    bench.results.bar("dump: times the floor parser", ratio(ours, figures["floor: read and parse"]), 3)
    bench.results.bar("dump: peak MiB", ours.peak / 2**20, 64)
    pair(bench, "dump", [source], 0.95)


def logs(bench):
    """A log of an SDK mixed with those of other programs."""
    size = bench.size / 10
    source = bench.input("log", size)
    bench.results.section(f"SDK log, {size:g} MB", f"One file, {count_lines(source)} lines, of which one in 200 is of a call.")
    words = [sys.executable, bench.script("python_log.py"), source, bench.path("script.sqlite")]
    script = Command("Python script, one pattern of one SDK", words, before=[bench.path("script.sqlite")])
    ours = callqa_import(bench, "callqa import: five SDKs, any shape of line", [source])
    figures = in_turn([ours, script], bench.rounds)
    bench.results.table(figures.values(), figures[ours.name])


def records(bench):
    """A table of a company's own figures: a form of its own, rows of many calls interleaved."""
    source = bench.path(f"records-{bench.rows}.csv")
    if not os.path.exists(source):
        subprocess.run([sys.executable, bench.script("records.py"), "make", source, str(bench.rows)], check=True)
    forms = bench.path("forms")
    os.makedirs(forms, exist_ok=True)
    shutil.copy(os.path.join(bench.root, "docs", "examples", "records", "acme.figures.json"), forms)
    bench.results.section(f"A table of {bench.rows} rows", "CSV, rows of 5 s of both ends of 25 s calls, 1,000 calls at a time.")
    database = bench.path("callqa.sqlite")
    words = [bench.callqa, "import", source, "--db", database, "--quiet"]
    commands = [Command("callqa import, scored", words, before=[database], environment={"CALLQA_DIALECTS": forms})]
    python, duck = bench.python(), bench.path("duck.db")
    if python:
        commands += [
            Command("DuckDB, read_csv into a table", [python, bench.script("records.py"), "duckdb", source, duck], before=[duck]),
            Command("pandas, read_csv", [python, bench.script("records.py"), "pandas", source]),
        ]
    figures = in_turn(commands, 1)
    ours = figures["callqa import, scored"]
    bench.results.table(figures.values(), ours)
    if python:
        bench.results.bar(f"{bench.rows} rows of figures: times DuckDB", ratio(ours, figures["DuckDB, read_csv into a table"]), 3)
    bench.results.bar(f"{bench.rows} rows of figures: peak MiB", ours.peak / 2**20, 64)


def growth(bench):
    sizes = [bench.size / 10, bench.size, bench.size * 10]
    bench.results.section("Ten times the input", "getStats lines in one file, a tenth, once and ten times the size.")
    commands = [callqa_import(bench, f"{size:g} MB", [bench.input("rtp-lines", size)]) for size in sizes]
    figures = list(in_turn(commands, 3).values())
    bench.results.table(figures)
    for small, large in zip(figures, figures[1:]):
        bench.results.bar(f"{large.name} over {small.name}", ratio(large, small), 11)
    bench.results.bar(f"{figures[-1].name}: peak MiB", figures[-1].peak / 2**20, 64)


def bounded(bench):
    """Ten times of whatever there may be many of: checks that the work grows in proportion."""
    bench.results.section(
        "Ten times the work", "Ends of one call, calls of one log, lines without content, flows of a capture, equal and empty files; CPU seconds."
    )

    def ends(file, count):
        for i in range(count):
            print(json.dumps({"ts": 1795600000000 + i, "call": "c1", "endpoint": f"user-{i}", "event": "call.established"}), file=file)

    def calls_of_a_log(file, count):
        for i in range(count):
            for later, state in ((0, "SETUP"), (900, "RINGING"), (4000, "IN_CALL"), (60_000, "ENDED")):
                print(json.dumps({"ts": 1795600000000 + i * 90_000 + later, "sdk": "cisco-rem", "call": f"c{i}", "event": "onStatusChanged",
                                  "args": {"status": state}}), file=file)

    def nothing(file, count):
        for second, state in enumerate(("SETUP", "RINGING", "IN_CALL", "ENDED")):
            print(f"2026-11-25T09:00:0{second}.000Z I Expert: onStatusChanged({state})", file=file)
        for i in range(count):
            print(f"2026-11-25T10:{i // 60 % 60:02}:{i % 60:02}.000Z D Painter: frame {i} drawn in 16 ms", file=file)

    def flows(file, count):
        file.buffer.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
        for number in range(10):
            for i in range(count):
                rtp = struct.pack(">BBHII", 0x80, 0, number, number * 160, i + 1) + bytes(160)
                udp = struct.pack(">HHHH", 10000 + i % 50_000, 20000, 8 + len(rtp), 0) + rtp
                ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0) + bytes([10, 0, i // 50_000, 1, 10, 1, 0, 2]) + udp
                file.buffer.write(struct.pack("<IIII", 1795600000, (number * count + i) % 1_000_000, len(ip), len(ip)) + ip)

    def files(text):
        def write(folder, count):
            for i in range(count):
                with open(os.path.join(folder, f"f{i}.dat"), "w") as file:
                    file.write(text)

        return write

    kinds = (
        ("ends of a call", ends, 1000), ("calls of a log", calls_of_a_log, 1000), ("lines without content", nothing, 50_000),
        ("flows of a capture", flows, 1000), ("empty files", files(""), 1600), ("equal files", files("nothing that anyone knows"), 1600),
    )
    for name, write, count in kinds:
        commands = []
        for many in (count, count * 10):
            path = bench.path(f"{name.replace(' ', '-')}-{many}" + ("" if name.endswith("files") else ".log"))
            if name.endswith("files"):
                os.makedirs(path, exist_ok=True)
                write(path, many)
            else:
                with open(path, "w") as file:
                    write(file, many)
            command = callqa_import(bench, f"{many} {name}", [path], "--jobs", "1")
            if name.endswith("files"):
                # Each is refused with a line on stderr.
                command.words, command.expect = ["sh", "-c", 'exec "$@" 2>/dev/null', "sh", *command.words], (0, 1)
            commands.append(command)
        small, large = in_turn(commands, bench.rounds).values()
        bench.results.table([small, large])
        bench.results.bar(f"10 × the {name}, CPU", large.cpu_seconds / small.cpu_seconds, 11)


def calls(bench):
    few, many = bench.calls // 10, bench.calls
    bench.results.section("Many calls in one database", f"A call is two files of three snapshots; {few} and {many} calls, then {few} more on top.")
    first, all_of_them = bench.input("calls", few), bench.input("calls", many)
    full, copy = bench.path("full.sqlite"), bench.path("copy.sqlite")
    extra = more_calls(bench, few)
    commands = [
        callqa_import(bench, f"{few} calls", [first]),
        callqa_import(bench, f"{many} calls", [all_of_them], database=full),
    ]
    figures = in_turn(commands, 3)
    small, large = figures.values()
    on_empty, on_full = (Command(n, c.words, before=c.before) for n, c in ((f"{few} calls into none", commands[0]), (f"{few} calls into {many}", commands[0])))
    on_empty.words = callqa_import(bench, "", [extra]).words
    on_full.words = callqa_import(bench, "", [extra], database=copy).words
    on_full.before = [copy]
    pairs = {}
    for _ in range(bench.rounds):
        for command in (on_empty, on_full):
            if command is on_full:
                on_full.before = [copy]
                command = prepared(command, full, copy)
            pairs.setdefault(command.name, []).append(command.run())
    empty, filled = (as_figures(name, runs) for name, runs in pairs.items())
    bench.results.table([small, large, empty, filled])
    bench.results.bar(f"{many} calls over {few}", ratio(large, small), 11)
    bench.results.bar(f"{few} calls into a database of {many}, over into an empty one", ratio(filled, empty), 1.3)
    bench.results.bar(f"{many} calls: peak MiB", large.peak / 2**20, 64)
    pair(bench, f"{many} calls", [all_of_them], 1)


def prepared(command, full, copy):
    shutil.copy(full, copy)
    # Otherwise the first sync of the import would include writing the copy to disk.
    os.sync()
    return Command(command.name, command.words)


def as_figures(name, runs):
    from measure import Figures

    figures = Figures(name)
    for run in runs:
        figures.add(*run)
    return figures


def more_calls(bench, count):
    """Calls that are in none of the other folders: the last ones of a larger input."""
    source = bench.input("calls", bench.calls + count)
    folder = bench.path(f"more-{count}-{os.path.basename(source)}")
    if not os.path.exists(folder):
        os.makedirs(folder)
        for number in range(bench.calls, bench.calls + count):
            name = "call-%06d" % number
            shutil.copytree(os.path.join(source, "%02d" % (number % 100), name), os.path.join(folder, name))
    return folder


def reimport(bench):
    files = bench.calls * 2
    source = bench.input("calls", bench.calls)
    database = bench.path("reimport.sqlite")
    bench.results.section("The same folder again", f"{files} files, unchanged.")
    callqa_import(bench, "", [source], database=database).run()
    figures = in_turn([callqa_import(bench, "callqa import, nothing new", [source], database=database, fresh=False)], bench.rounds)
    ours = next(iter(figures.values()))
    size = sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(source) for name in names)
    bench.results.table([ours])
    bench.results.bar(f"{files} unchanged files, {size / 1e6:.0f} MB: seconds over 1 s/GB + 1 ms/file", ours.seconds / (size / 1e9 + files / 1e3), 1)


def jobs(bench):
    count = max(20, bench.calls // 5)
    source = bench.input("calls", count, "whole")
    bench.results.section("Two cores", f"{count * 2} files of whole calls with --jobs 1 and --jobs 2.")
    figures = in_turn([callqa_import(bench, f"--jobs {n}", [source], "--jobs", n) for n in (1, 2)], bench.rounds)
    one, two = figures.values()
    bench.results.table([one, two])
    bench.results.bar("--jobs 2: times faster than --jobs 1", ratio(one, two), 1.6, True)


def captures(bench):
    """A capture, and one ten times as long, which tshark reads only once."""
    capture(bench, bench.packets, bench.rounds, min(3, bench.rounds))
    pair(bench, f"{bench.packets} packets", [bench.input("rtp", bench.packets, 100)], 1)
    capture(bench, bench.packets * 10, min(3, bench.rounds), 1)


def capture(bench, packets, rounds, tshark_rounds):
    source, name = bench.input("rtp", packets, 100), f"{packets} packets: "
    bench.results.section(f"A capture of {packets} packets, 100 streams", "RTP over UDP with loss and jitter.")
    commands = [
        callqa_import(bench, "callqa import, scored", [source]),
        Command("floor: libpcap counts", [bench.floor, "pcap", source], prints_seconds=True),
    ]
    # The first command to read a file waits for the disk, so run one beforehand.
    commands[0].run()
    figures = in_turn(commands, rounds)
    if shutil.which("tshark"):
        words = ["tshark", "-q", "-r", source, "-d", "udp.port==30000,rtp", "-z", "rtp,streams"]
        figures |= in_turn([Command("tshark -z rtp,streams", words)], tshark_rounds)
    ours = figures["callqa import, scored"]
    bench.results.table(figures.values(), ours)
    if "tshark -z rtp,streams" in figures:
        bench.results.bar(name + "times faster than tshark", ratio(figures["tshark -z rtp,streams"], ours), 15, True)
    else:
        bench.results.text("tshark is not installed (`apt-get install tshark`): not compared.")
    bench.results.bar(name + "times the libpcap floor", ratio(ours, figures["floor: libpcap counts"]), 3)
    bench.results.bar(name + "peak MiB", ours.peak / 2**20, 64)


def report(bench):
    """The nightly report, compared with running its queries in sqlite3."""
    database, out = bench.path("fleet.sqlite"), bench.path("nightly")
    if not has_command(bench, "report"):
        return bench.results.text("This callqa has no `report` command: not measured.")
    night = bench.input("calls", bench.calls)
    callqa_import(bench, "", [night], "--run", "night", database=database).run()
    queries = queries_of(os.path.join(os.path.dirname(bench.script("")), "..", "queries"))
    bench.results.section(
        f"The nightly report over {bench.calls} calls",
        f"Against sqlite3 and {len(queries)} queries of queries/ alone: those that ask for nothing but SQL.",
    )
    figures = in_turn(
        [
            Command("callqa report nightly", [bench.callqa, "report", "nightly", "--db", database, "--run", "night", "--out", out], expect=(0, 5)),
            Command("sqlite3, its queries alone", ["sqlite3", "-readonly", database, *parameters(), *queries]),
        ],
        bench.rounds,
    )
    bench.results.table(figures.values(), figures["callqa report nightly"])


def nightly(bench):
    """The report of a large night beside the night before, by this release and by the yardstick."""
    if bench.yardstick.problem:
        return
    bench.results.section(f"The nightly report over {bench.night} calls", "Simulated; each release reports a database of its own.")
    databases = {}
    for name, binary in (("this release", bench.callqa), ("the yardstick", bench.yardstick.callqa)):
        databases[name] = bench.path(f"night-{name.split()[1]}.sqlite")
        Command("", [binary, "simulate", "--nights", 2, "--calls", bench.night, "--db", databases[name]], before=[databases[name]],
                environment=bench.yardstick.environment if binary != bench.callqa else {}).run()
    words = ["report", "nightly", "--db", "{db}", "--out", "{out}"]
    pair_of_commands(bench, f"report of {bench.night} calls", words, 1, min(3, bench.rounds), databases, expect=(0, 5))


def parameters():
    """Query parameters that need a value in sqlite3."""
    return [".output /dev/null", ".parameter init"] + [f".parameter set :{n} {v}" for n, v in (("run", "\"'night'\""),)]


def queries_of(folder):
    if not os.path.isdir(folder):
        return []
    files = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".sql")]

    def is_plain(path):
        with open(path) as file:
            return "quantiles_by" not in file.read()

    return [f".read '{path}'" for path in files if is_plain(path)]


def lists(bench):
    """The most common commands, on a database of many nights."""
    database = bench.path("nights.sqlite")
    Command("", [bench.callqa, "simulate", "--nights", 15, "--calls", 3000, "--db", database], before=[database]).run()
    bench.results.section("Lists on 15 nights of 3,000 calls", "To the first row, which stands under the head of the table.")
    figures = in_turn(
        [
            Command("callqa calls", [bench.callqa, "calls", "--db", database], to_first_row=True),
            Command("callqa calls --worst 5", [bench.callqa, "calls", "--worst", 5, "--db", database], to_first_row=True),
            Command("callqa call last", [bench.callqa, "call", "last", "--db", database], to_first_row=True),
            Command("callqa call worst", [bench.callqa, "call", "worst", "--db", database], to_first_row=True),
            Command("callqa runs", [bench.callqa, "runs", "--db", database], to_first_row=True),
        ],
        bench.rounds,
    )
    bench.results.table(figures.values())
    for name in list(figures)[:-1]:
        bench.results.bar(f"{name} on 15 nights of 3,000: seconds to the first row", figures[name].seconds, 0.3)


def page(bench):
    """The page of one call."""
    if not has_command(bench, "call"):
        return bench.results.text("This callqa has no `call` command: not measured.")
    database = bench.path("page.sqlite")
    samples = os.path.join(os.path.dirname(bench.script("")), "..", "samples")
    callqa_import(bench, "", [samples], database=database).run()
    bench.results.section("One call", "The worst of samples/, in the terminal and as a page.")
    figures = in_turn(
        [
            Command("callqa call worst", [bench.callqa, "call", "worst", "--db", database]),
            Command("callqa call worst --html", [bench.callqa, "call", "worst", "--db", database, "--html", bench.path("call.html")]),
        ],
        bench.rounds,
    )
    bench.results.table(figures.values())


PAGES = {
    "a call of 1 h": ("talk", 1), "a call of 8 h": ("talk", 8), "a conference of 30 streams": ("conference", 30),
    "a ladder of 201 SIP messages": ("sip", 201),
}


def browser(bench):
    """Pages of large calls in a browser: their size, and the time until they respond to the pointer."""
    if not Browser.path():
        return bench.results.text("Chromium is not installed (`apt-get install chromium`): pages were not opened.")
    bench.results.section(
        "Large calls in Chromium",
        "Milliseconds from the start of navigation, from a file, in a warm browser: `ready`, when the page's script has drawn its\n"
        "lanes and listens, and `loaded`. `zoom` is one step of zooming, drawn.",
    )
    rows = ["| | page MB | ready ms | loaded ms | zoom ms |", "|---|---:|---:|---:|---:|"]
    with Browser() as chromium:
        for name, (kind, size) in PAGES.items():
            source, database, page = bench.input(kind, size), bench.path("large.sqlite"), bench.path("large.html")
            callqa_import(bench, "", [source], database=database).run()
            Command("", [bench.callqa, "call", "last", "--db", database, "--html", page]).run()
            megabytes, times = os.path.getsize(page) / 1e6, []
            for _ in range(bench.rounds + 1):
                chromium.open(page)
                times.append(json.loads(chromium.value(TIMES)))
            # The first load only warms up the browser.
            ready, loaded = (statistics.median(each) for each in zip(*times[1:]))
            zoom = chromium.value(ZOOM) or 0
            rows.append(f"| {name} | {megabytes:.2f} | {ready:.0f} | {loaded:.0f} | {zoom:.0f} |")
            bench.results.bar(f"page of {name}: MB", megabytes, 4)
            bench.results.bar(f"page of {name}: seconds until it is ready", ready / 1000, 1)
    bench.results.text("\n".join(rows))


TIMES = """JSON.stringify([performance.getEntriesByName("ready")[0].startTime,
  performance.getEntriesByType("navigation")[0].loadEventEnd])"""


ZOOM = """(async () => {
  const from = performance.now();
  for (let i = 0; i < 10; i++) {
    document.getElementById(i % 2 ? "zoom-out" : "zoom-in").click();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  }
  return (performance.now() - from) / 10;
})()"""


def has_command(bench, name):
    said = subprocess.run([bench.callqa, "help", name], capture_output=True)
    return said.returncode == 0 and b"USAGE" in said.stdout.upper()


GROUPS = {
    "lines": lines, "dump": dump, "logs": logs, "growth": growth, "bounded": bounded, "calls": calls, "reimport": reimport, "jobs": jobs,
    "captures": captures, "report": report, "nightly": nightly, "lists": lists, "page": page, "browser": browser,
    "records": records,
}

# Those that pair this release with the yardstick.
PAIRED = ("lines", "dump", "calls", "captures", "nightly")
