#!/usr/bin/env python3
"""server.py FOLDER [PORT] [--origin URL …]: receives what callqa-collect sends, for `callqa import FOLDER`.

A reference for a server of your own, and what the tests use: a chunk is stored whole and once, or refused. Files are
FOLDER/DAY/LOAD.jsonl, one per page load; a load goes on in its file over midnight until it has been silent for a minute,
so that a call lies in one of them. Pages of this machine may send, others by --origin; if CALLQA_TOKEN is set, only who
knows it. It listens on 127.0.0.1 and serves the files beside it; others reach it through a server that speaks TLS.
"""
import argparse, datetime, hmac, http.server, os, re, socket, stat, sys, threading, time, urllib.parse, zlib

most_chunk, most_text, most_file, most_loads = 1 << 20, 16 << 20, 256 << 20, 10_000
most_seconds, most_connections, silence = 30, 64, 60
local = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")
line_form = re.compile(rb"\{[^\n\0]*\}")
chunk_form = re.compile(rb'^\{"chunk":"[a-z0-9]+\.(\d+)",', re.M)


class Refused(Exception):
    """A request that is answered with a status and not stored."""


def unpacked(body):
    """The lines of a chunk. Refuses what is cut, too large, or no lines of objects."""
    text = body
    if body[:2] == b"\x1f\x8b":
        packed = zlib.decompressobj(31)
        try: text = packed.decompress(body, most_text)
        except zlib.error: raise Refused(400, "no gzip")
        if packed.unconsumed_tail: raise Refused(413, "too much text")
        if not packed.eof or packed.unused_data: raise Refused(400, "gzip that is cut or goes on")
    if not text.endswith(b"\n") or not all(line_form.fullmatch(line) for line in text[:-1].split(b"\n")):
        raise Refused(400, "no lines of JSON")
    return text


class Logs:
    """The folder: which chunks of which page loads are in it. Links are not followed."""

    def __init__(self, folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.folder = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        if os.fstat(self.folder).st_mode & 0o077: print(f"{folder}: others may read it (chmod 700)", file=sys.stderr)
        self.lock, self.loads = threading.Lock(), {}

    def add(self, load, number, text):
        with self.lock:
            day = self.loads.get(load) or self.found(load)
            if day is None or self.is_over(*day):
                day = [datetime.date.today(), 0, set()]
            if number in day[2]: return
            self.write(f"{day[0]}", f"{load}.jsonl", text)
            day[1], _ = time.time(), day[2].add(number)
            self.loads.pop(load, None)
            self.loads[load] = day
            if len(self.loads) > most_loads: del self.loads[next(iter(self.loads))]

    def is_over(self, day, last, _):
        days = (datetime.date.today() - day).days
        return days > 1 or days == 1 and time.time() - last > silence

    def found(self, load):
        """The file of a load from before this server was started."""
        for ago in (0, 1):
            day = datetime.date.today() - datetime.timedelta(days=ago)
            try: file = self.open(f"{day}", f"{load}.jsonl", os.O_RDONLY)
            except OSError: continue
            with open(file, "rb") as file:
                return [day, os.fstat(file.fileno()).st_mtime, {int(n) for n in chunk_form.findall(file.read())}]
        return None

    def open(self, day, name, flags):
        inner = os.open(day, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=self.folder)
        try: file = os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600, dir_fd=inner)
        finally: os.close(inner)
        own = os.fstat(file)
        if stat.S_ISREG(own.st_mode) and own.st_nlink == 1: return file
        os.close(file)
        raise OSError(f"{day}/{name} is not a file of its own")

    def write(self, day, name, text):
        room = os.fstatvfs(self.folder)
        if room.f_bavail * room.f_frsize < 64 * most_text: raise Refused(507, "the disk is nearly full")
        try: os.mkdir(day, 0o700, dir_fd=self.folder)
        except FileExistsError: pass
        file = self.open(day, name, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        size = os.fstat(file).st_size
        try:
            if size + len(text) > most_file: raise Refused(413, "the log is full")
            rest = memoryview(text)
            while rest: rest = rest[os.write(file, rest):]
        except OSError:
            os.ftruncate(file, size)
            raise
        finally: os.close(file)


class Handler(http.server.SimpleHTTPRequestHandler):
    timeout = most_seconds

    def __init__(self, *args): super().__init__(*args, directory=os.path.dirname(os.path.abspath(__file__)))
    def log_message(self, *args): pass

    def setup(self):
        super().setup()
        # One byte a second would keep a thread for ever.
        self.limit = threading.Timer(most_seconds, self.give_up)
        self.limit.start()

    def give_up(self):
        try: self.connection.shutdown(socket.SHUT_RDWR)
        except OSError: pass

    def finish(self):
        self.limit.cancel()
        super().finish()

    def end_headers(self):
        origin = self.headers.get("Origin") if getattr(self, "headers", None) else None
        if origin and self.is_allowed(origin):
            self.send_header("Access-Control-Allow-Origin", origin)
            self.send_header("Access-Control-Allow-Credentials", "true")
        self.send_header("Vary", "Origin")
        self.send_header("Content-Security-Policy", "default-src 'self'; connect-src 'self' http://127.0.0.1:*")
        super().end_headers()

    def is_allowed(self, origin): return origin in self.server.origins or local.fullmatch(origin) is not None

    def answer(self, status, **more):
        self.send_response(status)
        for name, value in more.items(): self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def do_OPTIONS(self):
        if not self.is_allowed(self.headers.get("Origin", "")): return self.answer(403)
        self.answer(204, Access_Control_Allow_Methods="POST", Access_Control_Max_Age="600",
            Access_Control_Allow_Headers=re.sub(r"[^\w, -]", "", self.headers.get("Access-Control-Request-Headers", "")))

    def do_POST(self):
        try:
            load, number, size = self.asked()
            body = self.rfile.read(size)
            if len(body) != size: raise Refused(400, "a short body")
            self.server.logs.add(load, number, unpacked(body))
            self.answer(204)
        except Refused as refused: self.answer(refused.args[0])
        except TimeoutError: self.close_connection = True
        except OSError as error:
            print(f"not stored: {error}", file=sys.stderr, flush=True)
            self.answer(500)

    def asked(self):
        """The load, the number and the size that the head of a request states."""
        origin = self.headers.get("Origin")
        if origin and not self.is_allowed(origin): raise Refused(403, "another origin")
        token = os.environ.get("CALLQA_TOKEN")
        if token and not hmac.compare_digest(self.headers.get("Authorization", "").encode(), f"Bearer {token}".encode()):
            raise Refused(401, "no token")
        sizes = self.headers.get_all("Content-Length") or []
        if "Transfer-Encoding" in self.headers or not sizes: raise Refused(411, "no length")
        if len(sizes) != 1 or not re.fullmatch(r"[0-9]{1,12}", sizes[0]): raise Refused(400, "a false length")
        if int(sizes[0]) > most_chunk: raise Refused(413, "too large")
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        load, number = query.get("load", [""])[0], query.get("n", [""])[0]
        if not re.fullmatch(r"[a-z0-9]{1,32}", load) or not re.fullmatch(r"[0-9]{1,9}", number):
            raise Refused(400, "no load and number")
        return load, int(number), int(sizes[0])


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port, logs, origins):
        self.logs, self.origins, self.room = logs, origins, threading.BoundedSemaphore(most_connections)
        super().__init__(("127.0.0.1", port), Handler)

    def process_request(self, request, address):
        self.room.acquire()
        try: super().process_request(request, address)
        except BaseException:
            self.room.release()
            raise

    def process_request_thread(self, request, address):
        try: super().process_request_thread(request, address)
        finally: self.room.release()

    def handle_error(self, request, address): pass


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder")
    words.add_argument("port", nargs="?", type=int, default=8080)
    words.add_argument("--origin", action="append", default=[], help="an origin whose pages may send: https://app.example")
    given = words.parse_args()
    os.umask(0o077)
    try: Server(given.port, Logs(given.folder), set(given.origin)).serve_forever()
    except KeyboardInterrupt: pass
    except OSError as error: sys.exit(f"server.py: {error}")


if __name__ == "__main__": main()
