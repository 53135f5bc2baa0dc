"""A table of figures as a company's own application writes it, and how others read it.

usage: records.py make FILE ROWS           rows of 5 s of both ends, calls of 25 s, 1,000 calls at a time
       records.py duckdb FILE DATABASE     into a table with the same columns
       records.py pandas FILE              into a data frame"""

import datetime
import random
import sys

HEADING = "CallRef;Teilnehmer;Zeit;Verlust (%);Jitter (ms)\n"
TIME = "%d.%m.%Y %H:%M:%S"


def make(path, rows):
    rng, start, written = random.Random(1), datetime.datetime(2026, 11, 20, 6), 0
    with open(path, "w", encoding="utf-8") as out:
        out.write(HEADING)
        group = 0
        while written < int(rows):
            for step in range(5):
                moment = (start + datetime.timedelta(seconds=30 * group + 5 * step)).strftime(TIME)
                for call in range(1000 * group, 1000 * group + 1000):
                    for end in ("anna", "ben"):
                        figures = f"{rng.random() ** 8 * 20:.1f};{2 + 9 * rng.random():.1f}".replace(".", ",")
                        out.write(f"T-{call};{end};{moment};{figures}\n")
                        written += 1
            group += 1


def duckdb(path, database):
    import duckdb

    duckdb.connect(database).execute(
        f"CREATE TABLE quality AS SELECT * FROM read_csv('{path}', delim = ';', decimal_separator = ',', timestampformat = '{TIME}')"
    )


def pandas(path):
    import pandas

    frame = pandas.read_csv(path, sep=";", decimal=",")
    frame["Zeit"] = pandas.to_datetime(frame["Zeit"], format=TIME)


if __name__ == "__main__":
    ways = {"make": make, "duckdb": duckdb, "pandas": pandas}
    if len(sys.argv) < 3 or sys.argv[1] not in ways:
        sys.exit(__doc__)
    ways[sys.argv[1]](*sys.argv[2:])
