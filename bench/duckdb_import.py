"""Imports the same 16 columns with DuckDB's read_json, unnested into a table, on all cores.

usage: FILE DATABASE typed|json

typed: every member is declared with its type, so that nothing else is read; the fastest way found.
json: reports are read as JSON and their members extracted afterwards, as for a file of unknown structure.
"""

import sys

import duckdb

MEMBERS = {
    "id": "VARCHAR", "type": "VARCHAR", "kind": "VARCHAR", "ssrc": "BIGINT", "packetsReceived": "BIGINT", "packetsSent": "BIGINT",
    "packetsLost": "BIGINT", "bytesReceived": "BIGINT", "bytesSent": "BIGINT", "jitter": "DOUBLE", "roundTripTime": "DOUBLE",
    "concealedSamples": "BIGINT", "totalSamplesReceived": "BIGINT", "framesPerSecond": "DOUBLE", "freezeCount": "BIGINT",
}  # fmt: skip
source, database, form = sys.argv[1:]
if form == "typed":
    report = "STRUCT(%s)" % ", ".join(f"{name} {kind}" for name, kind in MEMBERS.items())
    members, kind = "unnest(r)", "r.type"
else:
    report = "JSON"
    members, kind = ", ".join(f"CAST(r->>'{name}' AS {kind}) AS {name}" for name, kind in MEMBERS.items()), "r->>'type'"

duckdb.connect(database).execute(
    f"""
    CREATE TABLE stats AS
    WITH reports AS (
      SELECT ts, unnest(map_values(report)) AS r
      FROM read_json('{source}', format = 'newline_delimited', maximum_object_size = 67108864,
        columns = {{ts: 'DOUBLE', report: 'MAP(VARCHAR, {report})'}}))
    SELECT ts, {members} FROM reports WHERE {kind} LIKE '%-rtp'
    """
)
