"""The same 16 columns by DuckDB's read_json, unnested into a table, on all cores. usage: FILE DATABASE"""

import sys

import duckdb

REPORT = """STRUCT(id VARCHAR, type VARCHAR, kind VARCHAR, ssrc BIGINT, packetsReceived BIGINT, packetsSent BIGINT,
  packetsLost BIGINT, bytesReceived BIGINT, bytesSent BIGINT, jitter DOUBLE, roundTripTime DOUBLE,
  concealedSamples BIGINT, totalSamplesReceived BIGINT, framesPerSecond DOUBLE, freezeCount BIGINT)"""

duckdb.connect(sys.argv[2]).execute(
    f"""
    CREATE TABLE stats AS
    WITH reports AS (
      SELECT ts, unnest(map_values(report)) AS r
      FROM read_json('{sys.argv[1]}', format = 'newline_delimited', maximum_object_size = 67108864,
        columns = {{ts: 'DOUBLE', report: 'MAP(VARCHAR, {REPORT})'}}))
    SELECT ts, unnest(r) FROM reports WHERE r.type LIKE '%-rtp'
    """
)
