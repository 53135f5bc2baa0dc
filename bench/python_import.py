"""The script that a careful engineer might write in an afternoon: 16 columns of every RTP report into SQLite.

usage: FILE DATABASE"""

import json
import sqlite3
import sys

COLUMNS = (
    "ts id type kind ssrc packetsReceived packetsSent packetsLost bytesReceived bytesSent jitter roundTripTime "
    "concealedSamples totalSamplesReceived framesPerSecond freezeCount"
).split()


def rows(path):
    with open(path) as lines:
        for line in lines:
            snapshot = json.loads(line)
            for report in snapshot["report"].values():
                if report["type"].endswith("-rtp"):
                    yield [snapshot["ts"]] + [report.get(name) for name in COLUMNS[1:]]


database = sqlite3.connect(sys.argv[2])
database.execute("PRAGMA journal_mode = WAL")
database.execute("CREATE TABLE stats (%s)" % ", ".join(COLUMNS))
database.executemany("INSERT INTO stats VALUES (%s)" % ", ".join("?" * len(COLUMNS)), rows(sys.argv[1]))
database.commit()
