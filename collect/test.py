#!/usr/bin/env python3
"""test.py CALLQA [LIVES]: tests the collector in Chromium and Firefox: whether logs are complete, and processor time.

A browser that is not installed is skipped with a message. Exit status 0: at most the last 5 s of a call were lost.
"""
import glob, gzip, json, os, shutil, signal, socket, subprocess, sys, tempfile, time

here = os.path.dirname(os.path.abspath(__file__))
callqa = os.path.abspath(sys.argv[1])
lives = (sys.argv[2] if len(sys.argv) > 2 else "hangup,reload,restart,two,kill,calls,calls-named,calls-late").split(",")
seconds = 16


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


def run(browser, life, folder, port):
    """Runs a browser with one page. Returns when it was killed, ms since the epoch, and its processor time, s."""
    profile = tempfile.mkdtemp(prefix="collect-")
    page = {"kill": "stay"}.get(life, life)
    url = f"http://127.0.0.1:{port}/example.html?life={page}&seconds={seconds}"
    process = subprocess.Popen(browser(profile, url), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True, env={**os.environ, "HOME": profile})
    time.sleep({"reload": 2 * seconds + 10}.get(life, seconds + 9))
    killed = time.time() * 1000
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    shutil.rmtree(profile, ignore_errors=True)
    return killed


def check(name, life, path, killed, problems):
    lines = [json.loads(l) for l in open(path)]
    polls = {}
    for line in lines:
        if "report" in line and "outbound-rtp" in {r.get("type") for r in line["report"].values()}:
            polls.setdefault(line["pc"], []).append(line["ts"])
    closed = {l["pc"]: l["ts"] for l in lines if l.get("event") == "close"}
    text = open(path).read()
    if "ice-pwd" in text: problems.append(f"{name} {life}: a password of ICE was written")
    if len(polls) < 2: problems.append(f"{name} {life}: {len(polls)} connections with statistics")
    for pc, times in polls.items():
        until = closed.get(pc, killed if life == "kill" else None)
        if until and until - times[-1] > 5500: problems.append(f"{name} {life}: the last {until - times[-1]:.0f} ms of {pc} are lost")
        gaps = [b - a for a, b in zip(times, times[1:]) if b - a > 3000]
        if gaps: problems.append(f"{name} {life}: {len(gaps)} gaps of up to {max(gaps):.0f} ms")
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "x.sqlite")
        done = subprocess.run([callqa, "import", path, "--db", database, "--json"], capture_output=True, text=True)
        told = [json.loads(l) for l in done.stdout.splitlines()]
        notes = [n for f in told if f.get("type") == "file" for n in f["notes"]]
        calls = subprocess.run([callqa, "calls", "--db", database, "--json"], capture_output=True, text=True).stdout.splitlines()
        scored = [c for c in map(json.loads, calls) if c["score_mean"] is not None]
        if done.returncode or notes: problems.append(f"{name} {life}: import {done.returncode}, {notes} {done.stderr[:200]}")
        if life.startswith("calls"):
            ids = sorted(c["call_id"] for c in scored)
            if len(calls) != 2 or len(scored) != 2 or life != "calls" and ids != ["first", "second"]:
                problems.append(f"{name} {life}: {len(calls)} calls of two: {ids}")
        if not scored: problems.append(f"{name} {life}: no score ({len(calls)} calls)")
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
            folder, port = tempfile.mkdtemp(prefix="stats-"), free_port()
            server = subprocess.Popen([sys.executable, os.path.join(here, "server.py"), folder, str(port)])
            time.sleep(0.5)
            killed = run(browser, life, folder, port)
            time.sleep(0.3)
            server.kill()
            files = glob.glob(folder + "/*.jsonl")
            if len(files) != (2 if life == "reload" else 1): problems.append(f"{name} {life}: {len(files)} logs")
            rates = [check(name, life, f, killed, problems) for f in files]
            print(f"{name} {life}: {', '.join(f'{r:.0f} kB a minute and connection' for r in rates)}", flush=True)
    for problem in problems: print("LOST:", problem)
    print(f"{tried} calls, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
