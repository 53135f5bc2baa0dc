#!/usr/bin/env python3
"""test.py CALLQA [LIVES]: tests the collector in Chromium and Firefox: whether logs are complete, and what they cost.

A browser that is not installed is skipped with a message. COLLECT_OUTAGE: how long the server is away in `outage`
(160 s). Exit status 0: no line of a page that stayed was lost or stored twice, and of one that went 5 s at most.
"""
import collections, glob, gzip, http.server, json, os, shutil, signal, socket, subprocess, sys, tempfile, threading, time
import urllib.parse

here = os.path.dirname(os.path.abspath(__file__))
callqa = os.path.abspath(sys.argv[1])
outage = int(os.environ.get("COLLECT_OUTAGE", "160"))
every = ("hangup,reload,restart,two,kill,calls,calls-before,calls-at,calls-late,mute,webaudio,muted,leave,outage,"
    "elsewhere,deaf,single,simulcast")
lives = (sys.argv[2] if len(sys.argv) > 2 else every).split(",")
seconds = 16
# The page of a life, its address, and how long it is watched, s.
pages = collections.defaultdict(dict, {
    "reload": {"watch": 2 * seconds + 16}, "kill": {"life": "stay", "watch": seconds + 9}, "outage": {"life": "hangup", "calls": 2,
        "seconds": outage + 30, "watch": outage + 30 + 45},
    # Nothing is sent before the page goes: 16 s of twelve connections are left.
    "leave": {"calls": 6, "chunk": 100_000, "seconds": 20, "watch": 45}, "deaf": {"life": "hangup", "seconds": 40},
    "elsewhere": {"life": "hangup"}})


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def chromium(profile, url):
    return [shutil.which("chromium") or shutil.which("google-chrome"), "--headless=new", "--no-sandbox", "--disable-gpu",
        "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", "--autoplay-policy=no-user-gesture-required",
        "--no-first-run", f"--user-data-dir={profile}", "--remote-debugging-port=0", url]


def firefox(profile, url):
    os.makedirs(profile, exist_ok=True)
    with open(os.path.join(profile, "user.js"), "w") as prefs:
        for name, value in {"media.navigator.streams.fake": "true", "media.navigator.permission.disabled": "true",
            "media.peerconnection.ice.loopback": "true", "media.peerconnection.ice.obfuscate_host_addresses": "false",
            "browser.shell.checkDefaultBrowser": "false", "datareporting.policy.dataSubmissionEnabled": "false",
            "toolkit.telemetry.reportingpolicy.firstRun": "false", "media.autoplay.default": "0"}.items():
            prefs.write(f'user_pref("{name}", {value});\n')
    return [shutil.which("firefox-esr") or shutil.which("firefox"), "--headless", "--no-remote", "--profile", profile, url]


class Deaf(http.server.BaseHTTPRequestHandler):
    """A server of another origin that takes everything and names no origin: the page learns nothing of its answers."""
    bodies = collections.Counter()

    def log_message(self, *args): pass
    def do_POST(self):
        Deaf.bodies[urllib.parse.urlparse(self.path).query] += len(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()


def serve(folder, port):
    server = subprocess.Popen([sys.executable, os.path.join(here, "server.py"), folder, str(port)])
    for _ in range(100):
        try: return socket.create_connection(("127.0.0.1", port), 1).close() or server
        except OSError: time.sleep(0.05)


def run(browser, life, folder):
    """Runs a browser with one page. Returns when it was killed, ms since the epoch."""
    port, profile, page = free_port(), tempfile.mkdtemp(prefix="collect-"), pages[life]
    servers = [serve(folder, port)]
    query = {"life": page.get("life", life), "seconds": page.get("seconds", seconds)}
    query.update({name: page[name] for name in ("calls", "chunk") if name in page})
    if life == "elsewhere":
        # The page comes from another port than the one that it sends to.
        query["to"] = f"http://127.0.0.1:{port}/stats"
        port = free_port()
        servers.append(serve(tempfile.mkdtemp(), port))
    if life == "deaf":
        deaf = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Deaf)
        threading.Thread(target=deaf.serve_forever, daemon=True).start()
        query["to"] = f"http://127.0.0.1:{deaf.server_port}/stats"
    url = f"http://127.0.0.1:{port}/example.html?{urllib.parse.urlencode(query)}"
    process = subprocess.Popen(browser(profile, url), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True, env={**os.environ, "HOME": profile})
    watch = page.get("watch", query["seconds"] + 14)
    if life == "outage":
        time.sleep(15)
        servers.pop().kill()
        time.sleep(outage)
        servers.append(serve(folder, port))
        watch -= outage + 15
    time.sleep(watch)
    killed = time.time() * 1000
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    shutil.rmtree(profile, ignore_errors=True)
    time.sleep(0.3)
    for server in servers: server.kill()
    return killed


def calls_of(path, wrong):
    """The calls of a log as callqa imports it, and its notes."""
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "x.sqlite")
        done = subprocess.run([callqa, "import", path, "--db", database, "--json"], capture_output=True, text=True)
        # An encoding of simulcast may have a frame before it has a packet, which is noted.
        notes = [n for l in done.stdout.splitlines() for f in [json.loads(l)] if f.get("type") == "file" for n in f["notes"]
            if "packets that are 0" not in n]
        if done.returncode or notes: wrong(f"import {done.returncode}, {notes} {done.stderr[:200]}")
        calls = subprocess.run([callqa, "calls", "--db", database, "--json"], capture_output=True, text=True).stdout
        return [json.loads(line) for line in calls.splitlines()]


def check(life, path, killed, wrong):
    text = open(path).read()
    lines = [json.loads(l) for l in text.splitlines()]
    polls, events = {}, collections.Counter(l.get("event") for l in lines)
    for line in lines:
        if "report" in line and "outbound-rtp" in {r.get("type") for r in line["report"].values()}:
            polls.setdefault(line["pc"], []).append(line["ts"])
    closed = {l["pc"]: l["ts"] for l in lines if l.get("event") == "close"}
    numbers = [int(l["chunk"].split(".")[1]) for l in lines if "chunk" in l]
    if len(set(numbers)) != len(numbers): wrong("a chunk was stored twice")
    # A page that stays loses none; of one that goes the oldest may be left.
    if life not in ("leave", "reload", "kill") and sorted(numbers) != list(range(len(numbers))): wrong(f"chunks {numbers}")
    if "ice-pwd" in text: wrong("a password of ICE was written")
    ends = {"single": 1, "simulcast": 1}.get(life, 2 * pages[life].get("calls", 1))
    if len(polls) < ends: wrong(f"{len(polls)} connections with statistics")
    for pc, times in polls.items():
        times.sort()
        until = closed.get(pc, killed if life == "kill" else None)
        if until is None and life not in ("reload", "kill"): wrong(f"the hang-up of {pc} is lost")
        if until and until - times[-1] > (2500 if life == "leave" else 5500): wrong(f"the last {until - times[-1]:.0f} ms of {pc} are lost")
        if life == "leave" and sum(t > until - 5000 for t in times) < 4: wrong(f"{pc}: {times} of the last 5 s until {until}")
        gaps = [b - a for a, b in zip(times, times[1:]) if b - a > 3000]
        if gaps and life != "leave": wrong(f"{len(gaps)} gaps of up to {max(gaps):.0f} ms")
    calls = calls_of(path, wrong)
    scored = [c for c in calls if c["score_mean"] is not None]
    if not scored: wrong(f"no score ({len(calls)} calls)")
    if life.startswith("calls"):
        ids = sorted(c["call_id"] for c in scored)
        if len(calls) != 2 or len(scored) != 2 or life != "calls" and ids != ["first", "second"]: wrong(f"{len(calls)} calls of two: {ids}")
        setups = sorted(c["setup_ms"] or -1 for c in calls)
        if setups[0] < 0 or setups[-1] > 4000: wrong(f"setup took {setups} ms")
        if events["rating"] != 2: wrong(f"{events['rating']} ratings of two")
    encodings = {r["rid"] for l in lines for r in l.get("report", {}).values() if r.get("rid") and r.get("framesEncoded")}
    if life == "simulcast" and len(encodings) != 3: wrong(f"{len(encodings)} encodings of three")
    left = {"mute": {"trackDisabled": 1, "trackEnabled": 1, "replaceTrack": 1}, "webaudio": {"remoteSoundProcessed": 1},
        "muted": {"remoteSoundMuted": 1}}.get(life, {})
    for event, count in left.items():
        if events[event] < count: wrong(f"{events[event]} events {event}")
    packed = sum(len(gzip.compress("".join(json.dumps(l, separators=(",", ":")) + "\n" for l in lines[i:i + 20]).encode()))
        for i in range(0, len(lines), 20))
    span = sum(t[-1] - t[0] for t in polls.values()) / 60000
    return packed / 1000 / span if span else 0


def main():
    problems, tried = [], 0
    for name, browser in (("Chromium", chromium), ("Firefox", firefox)):
        if not browser(tempfile.mkdtemp(), "")[0]:
            print(f"{name} is not here: passed over")
            continue
        for life in lives:
            tried += 1
            found, folder = [], os.path.join(tempfile.mkdtemp(prefix="stats-"), "logs")
            Deaf.bodies.clear()
            killed = run(browser, life, folder)
            files = glob.glob(folder + "/*/*.jsonl")
            if len(files) != {"reload": 2, "deaf": 0}.get(life, 1): found.append(f"{len(files)} logs")
            told = [f"{check(life, f, killed, found.append):.0f} kB a minute and connection" for f in files]
            if life == "deaf":
                # The first chunk comes again and again, ever more seldom; nothing else grows.
                tries, sent = len(Deaf.bodies), sum(Deaf.bodies.values())
                told = [f"{sent / 1000:.0f} kB in {seconds * 2.5:.0f} s to a server that names no origin"]
                if not sent or sent > 100_000: found.append(f"{sent} bytes, {tries} chunks")
            print(f"{name} {life}: {', '.join(told)}", flush=True)
            for problem in found: print("   LOST:", problem, flush=True)
            problems += found
    print(f"{tried} calls, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
