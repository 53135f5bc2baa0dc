"""Seeds for a reader, from samples/ and, where they are at hand, the recordings in ../shared. usage: READER FOLDER"""

import glob
import gzip
import hashlib
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SHARED = os.path.join(ROOT, "..", "shared")
LARGEST = 60_000

PATTERNS = {
    "getstats-lines": ["samples/*/*.jsonl.gz", "../shared/calls/**/*.jsonl*"],
    "goog-text": ["../shared/dumps/**/*.txt", "../shared/dumps/**/*.log"],
    "sse": ["../shared/sse/**/*"],
    "sdk-text": ["../shared/seeds/**/*.log", "../shared/seeds/**/*.txt", "../shared/calls/**/*.log"],
    "pcap": ["../shared/pcaps/*.pcap"],
    "pcapng": ["../shared/pcaps/*.pcapng"],
    "validate": ["samples/*/*.jsonl.gz", "samples/run.json"],
    "redact": ["samples/*/*.events.jsonl.gz", "../shared/sse/**/*"],
}
DUMPS = ["../shared/dumps/**/*.json*", "../shared/dumps/**/*.gz", "../shared/dumps/**/*.txt"]


def data(path):
    with open(path, "rb") as file:
        head = file.read(2)
    with gzip.open(path) if head == b"\x1f\x8b" else open(path, "rb") as file:
        return file.read(LARGEST)


reader, folder = sys.argv[1:]
os.makedirs(folder)
count = 0
for pattern in PATTERNS.get(reader, DUMPS):
    for path in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True))[:60]:
        if os.path.isfile(path):
            try:
                seed = data(path)
            except (OSError, EOFError):
                continue
            with open(os.path.join(folder, hashlib.sha256(seed).hexdigest()[:16]), "wb") as out:
                out.write(b"\xff" + seed if reader in ("validate", "redact") else seed)
            count += 1
if not count:
    with open(os.path.join(folder, "empty"), "wb") as out:
        out.write(b'{"PeerConnections":{"1":{"stats":{}}}}')
