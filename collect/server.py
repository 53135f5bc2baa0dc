#!/usr/bin/env python3
"""server.py FOLDER [PORT]: receives data from callqa-collect, writes a file per page load for `callqa import FOLDER`.

An example that the tests use too; put a server of your own in front of it if others can reach it. It also serves the
files of its own folder.
"""
import gzip, http.server, os, re, sys, urllib.parse, zlib

folder = sys.argv[1]
port = int(sys.argv[2]) if len(sys.argv) > 2 else 8080
here = os.path.dirname(os.path.abspath(__file__))
most_chunk, most_file = 4 << 20, 256 << 20


def unpacked(body):
    if body[:2] != b"\x1f\x8b": return body
    text = zlib.decompressobj(31).decompress(body, 16 * most_chunk)
    return text if len(text) < 16 * most_chunk else b""


class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *args): super().__init__(*args, directory=here)
    def log_message(self, *args): pass
    def end_headers(self):
        self.send_header("Content-Security-Policy", "default-src 'self'; connect-src 'self'")
        super().end_headers()

    def do_POST(self):
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        load = re.sub(r"[^a-z0-9]", "", query.get("load", [""])[0])[:32]
        size = int(self.headers.get("Content-Length") or 0)
        path = os.path.join(folder, f"{load}.jsonl")
        if not load or size > most_chunk or os.path.exists(path) and os.path.getsize(path) > most_file:
            return self.send_error(413 if load else 400)
        try: text = unpacked(self.rfile.read(size))
        except zlib.error: return self.send_error(400)
        with open(path, "ab") as file: file.write(text)
        self.send_response(204)
        self.end_headers()


os.makedirs(folder, exist_ok=True)
http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
