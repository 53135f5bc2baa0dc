#!/usr/bin/env python3
"""test.py CALLQA PROBE: what callqa-probe and the CI jobs say of an application that works, and of broken ones.

An application of pages that call each other is served here, and plans are placed with a real Chromium and Firefox (which
is passed over if it is not installed): one that works, a room of three, one whose button is gone, a misspelt plan, a
score that is missed, and a probe that is ended meanwhile. Exit status 0: exit codes, JUnit, lists and reports say what
they should.
"""
import collections, glob, http.server, json, os, shutil, signal, subprocess, sys, tempfile, threading, time

callqa, probe = (os.path.abspath(path) for path in sys.argv[1:3])
here = os.path.dirname(os.path.abspath(__file__))
problems = []

# Pages tell each other their offers by the server, in order: of two, the first by name calls the other.
page = b"""<!doctype html><meta charset="utf-8"><title>app</title><body>%s<script>
const [room, me] = location.pathname.slice(1).split("/"), peers = {};
let media, said = Promise.resolve();
const say = (to, body) => said = said.then(() => fetch("/" + room, { method: "POST", body: JSON.stringify({ from: me, to, ...body }) }));
const connect = (name) => {
  const pc = peers[name] = new RTCPeerConnection();
  media.getTracks().forEach((track) => pc.addTrack(track, media));
  pc.onicecandidate = ({ candidate }) => say(name, { candidate });
  pc.ontrack = ({ streams }) => Object.assign(document.body.appendChild(document.createElement("audio")),
    { autoplay: true, srcObject: streams[0] });
  return pc;
};
new EventSource("/" + room).onmessage = async ({ data }) => {
  const { from, to, join, description, candidate } = JSON.parse(data);
  if (!media || from === me || (to && to !== me)) return;
  if (join) {
    // One of two offers, whoever came first.
    if (me > from) return say(from, { join: true });
    if (peers[from]) return;
    const pc = connect(from);
    await pc.setLocalDescription(await pc.createOffer());
    say(from, { description: pc.localDescription });
  } else if (description) {
    const pc = peers[from] || connect(from);
    await pc.setRemoteDescription(description);
    if (description.type === "offer") {
      await pc.setLocalDescription(await pc.createAnswer());
      say(from, { description: pc.localDescription });
    }
  } else if (candidate) await peers[from]?.addIceCandidate(candidate);
};
const call = async () => {
  media = await navigator.mediaDevices.getUserMedia({ audio: true });
  say(undefined, { join: true });
};
const hangUp = () => Object.values(peers).forEach((pc) => pc.close());
console.warn("ready as", me);
</script>"""


class App(http.server.BaseHTTPRequestHandler):
    button, rooms = True, 0
    said = collections.defaultdict(list)  # in each room, since its first page was loaded
    news = threading.Condition()

    def log_message(self, *args): pass
    def handle(self):
        try: super().handle()
        except OSError: pass  # the page is gone
    def answer(self, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"]))
        with App.news:
            App.said[self.path].append(text)
            App.news.notify_all()
        self.answer("text/plain")
    def do_GET(self):
        room, _, name = self.path.rpartition("/")
        if name == "favicon.ico": return self.send_error(404)
        if not room:
            self.answer("text/event-stream")
            mine, at = App.said[self.path], 0
            while mine is App.said[self.path]:
                with App.news: App.news.wait_for(lambda: len(mine) > at, 1)
                # The comment finds out whether the page is still there.
                texts = mine[at:]
                at += len(texts)
                self.wfile.write(b"".join(b"data: " + text + b"\n\n" for text in texts) or b":\n\n")
            return
        # The first page begins anew, as a call that is placed once more.
        if name in first: App.said.pop(room, None)
        self.answer("text/html")
        self.wfile.write(page.replace(b"%s", b'<button id="call" onclick="call()">Call</button>' if App.button else b"<p>Soon"))


first = ("agent", "first")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
threading.Thread(target=server.serve_forever, daemon=True).start()


def plan(names=("agent", "customer"), expect=None, firefox=(), **network):
    App.rooms += 1
    pages = [{"name": name, "url": f"http://127.0.0.1:{server.server_port}/{App.rooms}/{name}", "hang_up": "hangUp()",
        "start": "document.querySelector('#call').click()", "browser": "firefox" if name in firefox else "chromium"}
        for name in names]
    return {"scenarios": [{"name": "app", "seconds": 8, "pages": pages, "expect": expect or {"outcome": "completed"}}],
        "impairments": [{"name": "clean", **network}]}


def check(name, is_so, found=""):
    if not is_so: problems.append(name)
    print(("ok    " if is_so else "NOT SO"), name, "" if is_so else found, flush=True)


def run(*words, cwd=None, env={}):
    done = subprocess.run(words, capture_output=True, text=True, cwd=cwd, env={**os.environ, **env})
    return done.returncode, done.stdout + done.stderr


class Placed:
    """A plan that was placed, imported, reported and judged by the probe's gates."""

    def __init__(self, plan, **more):
        self.folder = tempfile.mkdtemp(prefix="probe-")
        self.out, database = os.path.join(self.folder, "out"), os.path.join(self.folder, "x.sqlite")
        path = os.path.join(self.folder, "plan.json")
        with open(path, "w") as file: json.dump(plan, file)
        self.status, self.said = run(probe, path, "--out", self.out)
        self.logs = {name: open(name).read() for name in glob.glob(self.out + "/calls/*/*.jsonl")}
        self.placed = self.read("placed.xml")
        if not self.placed: return
        run(callqa, "import", self.out + "/calls", "--db", database)
        self.broken = run(callqa, "calls", "--broken", "--db", database)[1]
        run(callqa, "report", "nightly", "--db", database, "--out", self.folder + "/report")
        self.report = open(self.folder + "/report/index.html").read()
        self.gate = run(callqa, "compare", "last", "last", "--db", database, "--gate", here + "/probe.gate", "--junit",
            self.out + "/callqa.xml", "--quiet")[0]
        self.junit = self.read("callqa.xml")

    def read(self, name):
        path = os.path.join(self.out, name)
        return open(path).read() if os.path.exists(path) else ""


def broken_page(by, **browsers):
    """A page whose button is gone, in one of the browsers."""
    App.button = False
    broken = Placed(plan(**browsers))
    App.button = True
    check(f"a button that is gone in {by}: exit code 4", broken.status == 4 and broken.gate == 4, (broken.status, broken.gate, broken.said))
    for where, text in (("the probe's JUnit", broken.placed), ("callqa's JUnit", broken.junit), ("the report", broken.report)):
        check(f"… is named in {where}", "agent, `start`" in text and "null" in text, text[-1500:])
    check("… its call is among the broken ones", "app-clean" in broken.broken, broken.broken)
    shown = sorted(os.path.basename(path) for path in glob.glob(broken.out + "/pages/*"))
    check("… with screenshots and consoles", all(f"app-clean-{name}.png" in shown and f"ready as {name}" in
        broken.read(f"pages/app-clean-{name}.console.txt") for name in ("agent", "customer")), shown)
    check("… and is no fault of the rig", "rig fault" not in broken.said, broken.said)


def interrupted(number, **browsers):
    folder = tempfile.mkdtemp(prefix="probe-")
    with open(folder + "/plan.json", "w") as file: json.dump(plan(**browsers), file)
    before = set(glob.glob("/tmp/callqa-probe-*"))
    process = subprocess.Popen([probe, folder + "/plan.json", "--out", folder + "/out"], stderr=subprocess.DEVNULL)
    time.sleep(5)
    profile = set(glob.glob("/tmp/callqa-probe-*")) - before
    process.send_signal(number)
    status = process.wait(20)
    left = [path for path in profile if os.path.exists(path) or run("pgrep", "-f", path)[0] == 0]
    check(f"{number.name}{' with Firefox' if browsers else ''}: exit code {128 + number}, and what is known", profile and status == 128 + number
        and "not placed" in open(folder + "/out/placed.xml").read() and json.load(open(folder + "/out/calls/run.json"))["calls"] == [], status)
    check("… and nothing is left behind", not left and not os.path.exists(folder + "/out/media")
        and os.listdir(folder + "/out/calls") == ["run.json"], (left, os.listdir(folder + "/out/calls")))


good = Placed(plan(expect={"outcome": "completed", "min_score": 50, "max_setup_ms": 5000}))
check("an application that works: exit code 0", good.status == 0 and good.gate == 0, (good.status, good.gate, good.said))
check("… and no failure in JUnit", 'failures="0"' in good.placed and "<failure" not in good.junit, good.placed + good.junit)

room = Placed(plan(("first", "second", "third")))
check("a room of three pages is placed", room.status == 0 and len(room.logs) == 3, room.said)

here_is_firefox = shutil.which("firefox-esr") or shutil.which("firefox")
if not here_is_firefox: print("Firefox is not here: passed over")
sides = {"Chromium": ()}
if here_is_firefox:
    sides.update({"Firefox and Chromium": ("agent",), "Chromium and Firefox": ("customer",), "Firefox": ("agent", "customer")})
for transport in ("udp", "tcp"):
    for by, firefox in sides.items():
        by_turn = plan(firefox=firefox)
        by_turn["scenarios"][0]["turn"] = transport
        turned = Placed(by_turn)
        text = "".join(turned.logs.values())
        check(f"a call by TURN over {transport} is placed in {by}, and goes by nothing else", turned.status == 0
            and (f'"relayProtocol":"{transport}"' in text) and "typ host" not in text, turned.said)

broken_page("Chromium")
if here_is_firefox:
    for by, firefox in list(sides.items())[1:]:
        lossy = Placed(plan(firefox=firefox, both={"loss": 0.1}))
        account = json.loads(lossy.read("probe.json"))[0]["relay"]["streams"]
        shares = [stream["dropped"] / stream["packets"] for stream in account if stream["packets"] > 200]
        check(f"a call of {by} goes through the relay", lossy.status == 0 and lossy.gate == 0 and len(shares) == 2
            and all(0.05 < share < 0.16 for share in shares), (lossy.status, lossy.gate, shares, lossy.said))
        check("… and its logs are of these browsers", all((name in firefox) == ("Firefox/" in text) for path, text
            in lossy.logs.items() for name in [os.path.basename(path)[:-6]]) and len(lossy.logs) == 2, list(lossy.logs))
    room = Placed(plan(("first", "second", "third"), firefox=("second",)))
    check("a room of both browsers is placed", room.status == 0 and len(room.logs) == 3, room.said)
    broken_page("Firefox", firefox=("agent",))

# What a page does instead of calling, how long it takes to be noticed, and what is said of it.
wrong_pages = {
    "no connection": ("1", "no connection came"),
    "no sound or picture": ("media = { getTracks: () => [] }; const N = RTCPeerConnection; RTCPeerConnection = class extends N {"
        "constructor(...a) { super(...a); this.createDataChannel('x', { negotiated: true, id: 1 }); } };"
        "say(undefined, { join: true })", "no sound or picture came"),
}
for by, firefox in list(sides.items())[:2]:
    for name, (start, words) in wrong_pages.items():
        silent = plan(firefox=firefox)
        for page_of_it in silent["scenarios"][0]["pages"]: page_of_it["start"] = start
        silent = Placed(silent)
        check(f"{name} in {by}: exit code 4, named and broken", silent.status == 4 and silent.gate == 4 and words in silent.placed
            and words in silent.report and "app-clean" in silent.broken, (silent.status, silent.gate, silent.said))
slow = Placed(plan(expect={"outcome": "completed", "max_setup_ms": 1}))
check("a setup that takes too long: the gate's exit code 4", slow.gate == 4 and "expected 1 or less" in slow.junit
    and "app-clean" in slow.broken, slow.junit)

wrong = Placed(plan(both={"losss": 0.1}))
check("`losss` in a plan: exit code 2, with the nearest word", wrong.status == 2 and "did you mean `loss`" in wrong.said, wrong.said)

low = Placed(plan(expect={"outcome": "completed", "min_score": 99}, both={"loss": 0.3}))
check("a score that is missed: the gate's exit code 4", low.status == 0 and low.gate == 4, (low.status, low.gate, low.said))
check("… named in JUnit and among the broken calls", "expected 99" in low.junit and "app-clean" in low.broken, low.junit + low.broken)
check("… and in the report", "app-clean" in low.report, "")

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): interrupted(number)
if here_is_firefox: interrupted(signal.SIGTERM, firefox=("customer",))


def script(path):
    """The commands of the step of a CI file that places the calls."""
    text = open(path).read()
    begin, end = text.index("status=0 gate=0"), text.rindex("exit $status\n")
    return "\n".join(line.strip() for line in text[begin:end].splitlines()) + "\nexit $status\n"


tools = tempfile.mkdtemp()
for name, path in (("callqa", callqa), ("callqa-probe", probe)): os.symlink(path, f"{tools}/{name}")
for name in ("calls-github.yml", "calls-gitlab.yml"):
    commands = script(os.path.join(here, "../docs/examples", name))
    for button, status in ((True, 0), (False, 4)):
        App.button, folder = button, tempfile.mkdtemp(prefix="job-")
        os.mkdir(folder + "/tests")
        with open(folder + "/tests/calls.json", "w") as file: json.dump(plan(), file)
        shutil.copy(here + "/probe.gate", folder + "/tests/calls.gate")
        got, said = run("bash", "-e", "-o", "pipefail", "-c", commands, cwd=folder, env={"RUN": "42", "CALLQA_DB": "callqa.sqlite",
            "CALLQA_HOME": os.path.dirname(here), "PATH": f"{tools}:{os.environ['PATH']}"})
        check(f"{name} is {'red' if status else 'green'} for a page that {'fails' if status else 'works'}", got == status, (got, said[-1500:]))

print(f"{len(problems)} problems")
sys.exit(1 if problems else 0)
