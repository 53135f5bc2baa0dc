#!/usr/bin/env python3
"""test.py CALLQA PROBE: what callqa-probe and the CI jobs say of an application that works, and of broken ones.

An application of pages that call each other is served here, and plans are placed with a real Chromium: one that works,
a room of three, one whose button is gone, a misspelt plan, a score that is missed, and a probe that is ended meanwhile.
Exit status 0: exit codes, JUnit, lists and reports say what they should.
"""
import glob, http.server, json, os, shutil, signal, subprocess, sys, tempfile, threading, time

callqa, probe = (os.path.abspath(path) for path in sys.argv[1:3])
here = os.path.dirname(os.path.abspath(__file__))
problems = []

# Pages of one browser tell each other their offers by a BroadcastChannel: of two, the first by name calls the other.
page = b"""<!doctype html><meta charset="utf-8"><title>app</title><body>%s<script>
const me = location.pathname.slice(1), channel = new BroadcastChannel("room"), peers = {};
const say = (to, body) => channel.postMessage(JSON.stringify({ from: me, to, ...body }));
let media;
const connect = (name) => {
  const pc = peers[name] = new RTCPeerConnection();
  media.getTracks().forEach((track) => pc.addTrack(track, media));
  pc.onicecandidate = ({ candidate }) => say(name, { candidate });
  pc.ontrack = ({ streams }) => Object.assign(document.body.appendChild(document.createElement("audio")),
    { autoplay: true, srcObject: streams[0] });
  return pc;
};
channel.onmessage = async ({ data }) => {
  const { from, to, join, description, candidate } = JSON.parse(data);
  if (!media || (to && to !== me)) return;
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
    button = True

    def log_message(self, *args): pass
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page.replace(b"%s", b'<button id="call" onclick="call()">Call</button>' if App.button else b"<p>Soon"))


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
threading.Thread(target=server.serve_forever, daemon=True).start()


def plan(names=("agent", "customer"), expect=None, **network):
    pages = [{"name": name, "url": f"http://127.0.0.1:{server.server_port}/{name}", "hang_up": "hangUp()",
        "start": "document.querySelector('#call').click()"} for name in names]
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


good = Placed(plan(expect={"outcome": "completed", "min_score": 50, "max_setup_ms": 5000}))
check("an application that works: exit code 0", good.status == 0 and good.gate == 0, (good.status, good.gate, good.said))
check("… and no failure in JUnit", 'failures="0"' in good.placed and "<failure" not in good.junit, good.placed + good.junit)

room = Placed(plan(("first", "second", "third")))
check("a room of three pages is placed", room.status == 0 and len(glob.glob(room.out + "/calls/*/*.jsonl")) == 3, room.said)

for transport in ("udp", "tcp"):
    by_turn = plan()
    by_turn["scenarios"][0]["turn"] = transport
    turned = Placed(by_turn)
    text = "".join(open(path).read() for path in glob.glob(turned.out + "/calls/*/*.jsonl"))
    check(f"a call by TURN over {transport} is placed, and goes by nothing else", turned.status == 0
        and f'"relayProtocol":"{transport}"' in text and "typ host" not in text, turned.said)

App.button = False
broken = Placed(plan())
check("a button that is gone: exit code 4", broken.status == 4 and broken.gate == 4, (broken.status, broken.gate, broken.said))
for where, text in (("the probe's JUnit", broken.placed), ("callqa's JUnit", broken.junit), ("the report", broken.report)):
    check(f"… is named in {where}", "agent, `start`" in text and "null" in text, text[-1500:])
check("… its call is among the broken ones", "app-clean" in broken.broken, broken.broken)
shown = sorted(os.path.basename(path) for path in glob.glob(broken.out + "/pages/*"))
check("… with screenshot and console", "app-clean-agent.png" in shown and "ready as" in broken.read("pages/app-clean-agent.console.txt"), shown)
check("… and is no fault of the rig", "rig fault" not in broken.said, broken.said)
App.button = True

wrong = Placed(plan(both={"losss": 0.1}))
check("`losss` in a plan: exit code 2, with the nearest word", wrong.status == 2 and "did you mean `loss`" in wrong.said, wrong.said)

low = Placed(plan(expect={"outcome": "completed", "min_score": 99}, both={"loss": 0.3}))
check("a score that is missed: the gate's exit code 4", low.status == 0 and low.gate == 4, (low.status, low.gate, low.said))
check("… named in JUnit and among the broken calls", "expected 99" in low.junit and "app-clean" in low.broken, low.junit + low.broken)
check("… and in the report", "app-clean" in low.report, "")

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    folder = tempfile.mkdtemp(prefix="probe-")
    with open(folder + "/plan.json", "w") as file: json.dump(plan(), file)
    before = set(glob.glob("/tmp/callqa-probe-*"))
    process = subprocess.Popen([probe, folder + "/plan.json", "--out", folder + "/out"], stderr=subprocess.DEVNULL)
    time.sleep(5)
    profile = set(glob.glob("/tmp/callqa-probe-*")) - before
    process.send_signal(number)
    status = process.wait(20)
    left = [path for path in profile if os.path.exists(path) or run("pgrep", "-f", path)[0] == 0]
    check(f"{number.name}: exit code {128 + number}, and what is known", status == 128 + number
        and "not placed" in open(folder + "/out/placed.xml").read() and json.load(open(folder + "/out/calls/run.json"))["calls"] == [], status)
    check("… and nothing is left behind", not left and not os.path.exists(folder + "/out/media")
        and os.listdir(folder + "/out/calls") == ["run.json"], (left, os.listdir(folder + "/out/calls")))


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
