"""The script that a careful engineer might write in 15 minutes: callbacks of one SDK from a log into SQLite.

usage: FILE DATABASE"""

import re
import sqlite3
import sys

CALLBACK = re.compile(r"^(\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) .*?\b(on(?:IncomingCall|StatusChanged|InboundQualityChanged))\b(.*)$")


def rows(path):
    with open(path) as lines:
        for line in lines:
            found = CALLBACK.match(line)
            if found:
                yield found.groups()


database = sqlite3.connect(sys.argv[2])
database.execute("CREATE TABLE events (time, event, args)")
database.executemany("INSERT INTO events VALUES (?, ?, ?)", rows(sys.argv[1]))
database.commit()
