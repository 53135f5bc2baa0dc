"""Collects seeds for a reader from samples/, the tests, hand-written inputs and, if present, recordings in ../shared.

usage: seeds.py READER FOLDER"""

import glob
import gzip
import hashlib
import os
import subprocess
import sys

import written

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SHARED = os.path.join(ROOT, "..", "shared")
LARGEST = 24_000
MOST = 60

LOGS = ["samples/sdk-logs/*/*", "../shared/calls/t2*/*.events.jsonl.gz"]
DUMPS = ["../shared/dumps/**/*.json*", "../shared/dumps/**/*.gz", "../shared/dumps/**/*.txt"]
PATTERNS = {
    "getstats-lines": ["samples/*/*.jsonl.gz", "../shared/calls/t2*/*.stats.jsonl.gz", "../shared/other-stacks/**/*.jsonl*"] + LOGS,
    "goog-text": ["../shared/dumps/**/*.txt", "../shared/dumps/**/*.log", "../shared/seeds/*.txt"],
    "webrtc-internals": ["../shared/calls/t2*/webrtc_internals*.gz", "../shared/dumps/**/*internals*"],
    "rtcstats-v0": ["../shared/dumps/mit/**/*-v0.json"],
    "rtcstats-v2": ["../shared/dumps/mit/rtcstats*/**/*"],
    "rtcstats-v3": ["../shared/calls/t2*/rtcstats_dump*.gz", "../shared/dumps/mit/rtcstats*/**/*"],
    "jitsi-rtcstats": ["../shared/dumps/mit/jitsi*/dumps/*"],
    "run-log": LOGS,
    "sse": ["../shared/sse/*", "samples/sdk-logs/pexip/events.log", "Tests/Cases/*/*.sse"],
    "sdk-text": LOGS + ["../shared/seeds/*.txt", "Tests/Cases/*/*.log"],
    "sip-text": ["Tests/Cases/sip-text*/*"],
    "har": ["Tests/Cases/*/*.har", "../shared/field/*/*.har"],
    "vq-rtcpxr": [],
    "call-summary": ["Tests/Cases/*/t*.json*"],
    "figures": ["Tests/Cases/records-*/*", "../shared/records/*/*"],
    "guess": ["Tests/Cases/records-*/*", "../shared/records/*/*"],
    "channelstats": ["Tests/Cases/*/channelstats*"],
    "pcap": ["Tests/CommandTests/**/*.pcap", "Tests/Cases/*/*.pcap.gz", "../shared/pcaps/*.pcap", "../shared/calls/t2*/*.pcap.gz"],
    "pcapng": ["../shared/pcaps/*.pcapng"],
    "validate": ["samples/*/*.jsonl.gz", "samples/run.json"] + DUMPS,
    "redact": ["../shared/sse/*", "../shared/seeds/*.txt"] + LOGS,
    "dialect": ["Sources/EventLogs/Dialects/*.json", "docs/examples/*.json"],
    "gate": ["reports/nightly/*.gate", "probe/*.gate"],
    "definition": ["reports/nightly/report.txt"],
    "call": ["samples/*/*.jsonl.gz", "../shared/calls/t2*/*.stats.jsonl.gz"] + LOGS,
    "pseudonyms": ["../shared/sdk-facts/*/*"] + LOGS,
    "manifest": ["samples/run.json", "../shared/calls/run.json"],
    "compressed": ["samples/*/*.gz", "../shared/calls/t25*/*.gz"],
}


def data(path):
    with open(path, "rb") as file:
        if reader == "compressed":
            return b"\x00" + file.read()
        head = file.read(2)
    with gzip.open(path) if head == b"\x1f\x8b" else open(path, "rb") as file:
        return file.read(LARGEST)


def packed():
    """The same text in every compression format that this Python or machine supports."""
    text = b"".join(b'{"ts":%d,"event":"x"}\n' % number for number in range(500))
    yield b"\x00" + gzip.compress(text) + gzip.compress(text)
    for words, first in ((["zstd", "-c"], b"\x00"), (["zstd", "-c", "--long=27"], b"\x00"), (["brotli", "-c"], b"\x01")):
        try:
            yield first + subprocess.run(words, input=text, capture_output=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            pass


def keep(seed):
    with open(os.path.join(folder, hashlib.sha256(seed).hexdigest()[:16]), "wb") as out:
        out.write(seed)


reader, folder = sys.argv[1:]
os.makedirs(folder)
for pattern in PATTERNS.get(reader, DUMPS):
    found = sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True))
    if not found and not pattern.startswith("../shared/"):
        sys.exit(f"seeds of {reader}: no file is called {pattern}")
    for path in filter(os.path.isfile, found[:MOST]):
        try:
            keep(data(path))
        except (OSError, EOFError):
            continue
for seed in written.seeds(reader):
    keep(seed)
for seed in packed() if reader == "compressed" else []:
    keep(seed)
if not os.listdir(folder):
    sys.exit(f"{reader} has no seed: fuzz/seeds.py says where they come from")
