#!/usr/bin/env python3
"""test_server.py: tests server.py over its socket: what is stored whole and once, what is refused, who may send."""
import glob, gzip, http.client, json, os, socket, stat, subprocess, sys, tempfile, time

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import server as reference

text = b'{"chunk":"abc.1","ts":1,"event":"x"}\n{"ts":2,"event":"y"}\n'
problems = []


def check(name, is_so, found=""):
    if not is_so: problems.append(f"{name}: {found}")
    print(("ok    " if is_so else "NOT SO"), name, "" if is_so else found, flush=True)


class Running:
    """A server with a folder of its own. `settings` are written over those of the module, for short times."""

    def __init__(self, *words, folder=None, env={}, settings=""):
        self.folder = folder or os.path.join(tempfile.mkdtemp(prefix="server-"), "logs")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        code = f"import server\n{settings}\nserver.main()"
        self.process = subprocess.Popen([sys.executable, "-c", code, self.folder, str(self.port), *words],
            env={**os.environ, **env, "PYTHONPATH": here}, stderr=subprocess.DEVNULL)
        for _ in range(100):
            try: return socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError: time.sleep(0.05)

    def post(self, body=text, load="abc", n=1, headers={}):
        request = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        request.request("POST", f"/stats?load={load}&n={n}", body, headers)
        answer = request.getresponse()
        answer.read()
        return answer.status, dict(answer.getheaders())

    def raw(self, text, wait=20):
        with socket.create_connection(("127.0.0.1", self.port), wait) as s:
            s.sendall(text)
            s.shutdown(socket.SHUT_WR)
            return s.recv(4096).split(b"\r\n")[0]

    def files(self): return sorted(glob.glob(self.folder + "/*/*.jsonl"))
    def stored(self): return b"".join(open(f, "rb").read() for f in self.files())

    def __enter__(self): return self
    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def head(*lines): return ("POST /stats?load=abc&n=7 HTTP/1.1\r\nHost: x\r\n" + "".join(l + "\r\n" for l in lines) + "\r\n").encode()


with Running() as one:
    check("a chunk is stored", one.post()[0] == 204 and one.stored() == text, one.stored())
    check("a repeat is taken and not stored", one.post()[0] == 204 and one.stored() == text, one.stored())
    check("a packed chunk is stored", one.post(gzip.compress(text), n=2)[0] == 204 and one.stored() == text * 2)
    modes = [stat.S_IMODE(os.stat(p).st_mode) for p in (one.folder, os.path.dirname(one.files()[0]), one.files()[0])]
    check("folders are 0700 and files 0600", modes == [0o700, 0o700, 0o600], modes)
    before = one.stored()
    refused = {
        "gzip that is cut": (gzip.compress(text)[:-9], 400), "gzip and more": (gzip.compress(text) + b"x", 400),
        "two members of gzip": (gzip.compress(text) * 2, 400), "no gzip behind its mark": (b"\x1f\x8bxxxx", 400),
        "gzip that is too large": (gzip.compress(b'{"a":"' + b"x" * (17 << 20) + b'"}\n'), 413),
        "a body that is too large": (b"x" * (2 << 20), 413), "no end of a line": (text[:-1], 400), "no JSON": (b"hello\n", 400),
        "an empty body": (b"", 400),
    }
    for name, (body, status) in refused.items():
        try: got = one.post(body, n=7)[0]
        except (ConnectionError, BrokenPipeError): got = 413
        check(f"{name} is refused", got == status, got)
    raw = {
        "a negative length": (head("Content-Length: -1"), b"400"), "a false length": (head("Content-Length: 1e3"), b"400"),
        "two lengths": (head("Content-Length: 3", "Content-Length: 4"), b"400"), "no length": (head(), b"411"),
        "a chunked body": (head("Transfer-Encoding: chunked") + b"5\r\nhello\r\n0\r\n\r\n", b"411"),
        "a short body": (head(f"Content-Length: {len(text) + 5}") + text, b"400"),
    }
    for name, (request, status) in raw.items(): check(f"{name} is refused", status in one.raw(request), one.raw(request))
    for name, load, n in (("a path for a load", "../x", 1), ("no load", "", 1), ("no number", "abc", ""), ("a false number", "abc", "-1")):
        check(f"{name} is refused", one.post(load=load, n=n)[0] == 400)
    check("nothing of what was refused is stored", one.stored() == before)
    status, headers = one.post(n=8, headers={"Origin": "http://localhost:3000"})
    check("a page of this machine may send, from another port",
        status == 204 and headers.get("Access-Control-Allow-Origin") == "http://localhost:3000", headers)
    check("a page from elsewhere may not", one.post(n=9, headers={"Origin": "https://evil.example"})[0] == 403)

with Running("--origin", "https://app.example", env={"CALLQA_TOKEN": "word"}) as one:
    own = {"Origin": "https://app.example"}
    check("without its token a chunk is refused", one.post(headers=own)[0] == 401)
    check("with it a chunk is stored", one.post(headers={**own, "Authorization": "Bearer word"})[0] == 204)
    asked = http.client.HTTPConnection("127.0.0.1", one.port)
    asked.request("OPTIONS", "/stats", headers={**own, "Access-Control-Request-Headers": "authorization"})
    got = dict(asked.getresponse().getheaders())
    check("its page may ask with the header", got.get("Access-Control-Allow-Headers") == "authorization"
        and got.get("Access-Control-Allow-Origin") == "https://app.example", got)

with Running(settings="server.most_seconds = server.Handler.timeout = 2; server.most_connections = 4") as one:
    slow = [socket.create_connection(("127.0.0.1", one.port)) for _ in range(8)]
    began = time.time()
    for s in slow: s.sendall(head("Content-Length: 5000")[:60])
    check("slow clients do not keep it from others", one.post()[0] == 204 and time.time() - began < 9, time.time() - began)

with Running() as one:
    one.post()
    folder, target = one.folder, os.path.join(os.path.dirname(one.folder), "target")
    link = one.files()[0].replace("abc.jsonl", "link.jsonl")
    os.symlink(target, link)
    check("a link is not followed", one.post(load="link")[0] == 500 and not os.path.exists(target))
    os.remove(link)
with Running(folder=folder) as one:
    check("a repeat is known after a restart", one.post()[0] == 204 and one.stored() == text, one.stored())

# Rotation: the same object with another clock.
class Day(reference.datetime.date):
    now = reference.datetime.date(2026, 3, 1)
    @classmethod
    def today(cls): return cls.now

reference.datetime.date = Day
clock = [0.0]
reference.time = type("Clock", (), {"time": staticmethod(lambda: clock[0])})
folder = os.path.join(tempfile.mkdtemp(prefix="server-"), "logs")
logs = reference.Logs(folder)
logs.add("abc", 1, text)
Day.now, clock[0] = reference.datetime.date(2026, 3, 2), 4.0
logs.add("abc", 2, text)
days = lambda: sorted((p.split("/")[-2], os.path.getsize(p) // len(text)) for p in glob.glob(folder + "/*/abc.jsonl"))
check("a call over midnight stays in its file", days() == [("2026-03-01", 2)], days())
clock[0] = 100.0
logs.add("abc", 3, text)
check("the page's next call is in that of its day", days() == [("2026-03-01", 2), ("2026-03-02", 1)], days())
reference.os.fstatvfs = lambda _: type("Room", (), {"f_bavail": 1, "f_frsize": 4096})
try: logs.add("abc", 4, text)
except reference.Refused as refused: check("a full disk refuses", refused.args[0] == 507 and days()[1][1] == 1)
else: check("a full disk refuses", False)

print(f"{len(problems)} problems")
sys.exit(1 if problems else 0)
