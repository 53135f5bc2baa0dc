"""Seeds for formats without a recording in the repository: a sample call in other containers, and reports of phones."""

import gzip
import json
import os
import struct
from datetime import datetime, timezone

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
KEPT = {"inbound-rtp", "outbound-rtp", "remote-inbound-rtp", "candidate-pair", "local-candidate", "codec"}
SDP = "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nt=0 0\r\na=ice-ufrag:ab12\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\n"


def snapshots(most=3):
    """A few snapshots of a sample: (time in ms, id → report)."""
    with gzip.open(os.path.join(ROOT, "samples/bad-call/caller.stats.jsonl.gz"), "rt") as file:
        lines = [json.loads(line) for line in file][8 : 8 + most]
    return [(line["ts"], {k: r for k, r in line["report"].items() if r["type"] in KEPT}) for line in lines]


def packed(value):
    return json.dumps(value, separators=(",", ":"))


def lines(*values):
    return "".join((value if isinstance(value, str) else packed(value)) + "\n" for value in values)


def getstats_json():
    times = snapshots()
    yield packed(list(times[0][1].values()))
    yield packed([report for _, report in times])
    yield packed([{**r, "timestamp_us": r["timestamp"] * 1000, "values": {"packetsLost": 1}} for r in times[0][1].values()])


def webrtc_internals():
    times = snapshots()
    begin, end = (datetime.fromtimestamp(t / 1000, timezone.utc).isoformat().replace("+00:00", "Z") for t in (times[0][0], times[-1][0]))
    series = {}
    for name, report in times[0][1].items():
        for member in report:
            values = [later.get(name, {}).get(member) for _, later in times]
            series[f"{name}-{member}"] = {"startTime": begin, "endTime": end, "statsType": report["type"], "values": packed(values)}
    log = [
        {"time": "11/21/2026, 02:12:22", "type": "createOffer", "value": ""},
        {"time": "11/21/2026, 02:12:22", "type": "setLocalDescription", "value": "type: offer, sdp: " + SDP},
        {"time": "11/21/2026, 02:12:23", "type": "connectionstatechange", "value": '"connected"'},
    ]
    media = [{"rid": 9, "pid": 7, "request_id": 0, "request_type": "getUserMedia", "timestamp": times[0][0] - 900, "audio": ""}]
    connection = {"pid": 7, "url": "https://app.example/", "rtcConfiguration": "{ iceServers: [] }", "updateLog": log, "stats": series}
    yield packed({"getUserMedia": media, "PeerConnections": {"9-1": connection}, "UserAgent": "Chrome/142"})


def rtcstats_v0():
    value = {"ssrc_1_send": {"type": "ssrc", "ssrc": 1, "googRtt": "38", "packetsSent": "573", "googTrackId": "t"}}
    log = [
        {"time": "2016-01-28T18:24:20.210Z", "type": "createOffer", "value": None},
        {"time": "2016-01-28T18:24:20.410Z", "type": "setLocalDescription", "value": {"type": "offer", "sdp": SDP}},
        {"time": "2016-01-28T18:24:21.210Z", "type": "getStats", "value": value},
        {"time": "2016-01-28T18:24:22.210Z", "type": "getStats", "value": {"ssrc_1_send": {"packetsSent": "623"}}},
    ]
    yield packed({"userAgent": "Chrome/48", "getUserMedia": [], "peerConnections": {"PC_0": log}})


def calls_as_arrays(stats):
    """Lines common to rtcstats and Jitsi: [method, connection, value, time]."""
    times = snapshots()
    start = times[0][0] - 1000
    yield ["create", "PC_0", {"iceServers": [{"urls": "turn:192.0.2.1", "username": "u", "credential": "c"}]}, start]
    yield ["setLocalDescription", "PC_0", {"type": "offer", "sdp": SDP}, start + 100]
    yield ["onconnectionstatechange", "PC_0", "connected", start + 900]
    for time, report in times:
        yield [stats, "PC_0", {**report, "timestamp": time}, time]
    yield ["close", "PC_0", None, times[-1][0] + 500]


def rtcstats_v2():
    yield lines({"path": "/", "userAgent": "Chrome/90", "time": 1, "fileFormat": 2}, *calls_as_arrays("getstats"))
    yield lines(*calls_as_arrays("getStats"))


def rtcstats_v3():
    yield lines("RTCStatsDump", {"fileFormat": 3, "userAgent": "Firefox"}, *calls_as_arrays("getStats"))
    # Methods, types and members as numbers; times as differences.
    yield lines(
        "RTCStatsDump", {"fileFormat": 3}, [39, "1", {}, 1700000000000], [2, "1", None, 5],
        [3, "1", {"type": "offer", "sdp": SDP}, "c-1", 5], [6, "1", {"type": "offer", "sdp": "v=\r\nm=\r\n"}, 0.5],
        ["g", "1", {"0": {"type": 1, "10": 7, "11": "audio", "14": 10, "15": 1, "16": 0.002}, "t": 1700000001000}, 989.5],
        [1, "1", {"0": {"14": 20, "999": True}, "t": 1700000002000}, 1000], ["g", "1", {"0": None, "t": 1700000003000}, 1000],
        ["close", None, 1001, 2353])


def jitsi_rtcstats():
    info = {"clientProtocol": "3.1_STANDARD", "userAgent": "Chrome", "path": "/room"}
    calls = [line + [number] for number, line in enumerate(calls_as_arrays("getstats"), 1)]
    yield lines(["connectionInfo", None, packed(info), calls[0][3]], *calls, ["ondtlsstatechange", "PC_0", "connected"])
    yield lines(["connectionInfo", None, info, calls[0][3]], *calls)


def goog_text():
    yield """\
id: Conn-audio-1-0, type: googCandidatePair, timestamp:
1795226153078.519, values: (
    "googActiveConnection: true",
    "googLocalAddress: 192.0.2.20:61074",
    "googLocalCandidateType: local",
    "googRemoteCandidateType: stun",
    "googRtt: 12",
    "googTransportType: udp"
),
id: ssrc_11_send, type: ssrc, timestamp: 1795226153078.519, values: (
    "bytesSent: 59363", "packetsSent: 573", "packetsLost: 2", "ssrc: 11", "googCodecName: opus", "googRtt: 38"
),
id: ssrc_22_recv, type: ssrc, timestamp: 1795226154078.519, values: (
    "audioOutputLevel: 32767", "packetsReceived: 580", "packetsLost: 0", "googJitterReceived: 1", "googExpandRate: 0.0105",
    "googDecodingCTN: 1156", "googDecodingPLC: 16", "googFrameRateOutput: -1"
)
"""


def report(kind="VQSessionReport", reason="CallTerm"):
    return f"""\
{kind}: {reason}
CallID: 5d1f0c77@192.0.2.40
LocalID: Front desk <sip:desk@example.org;user=phone>
RemoteID: "Carrier" <sip:+12025550142@example.net>
OrigID: <sip:desk@example.org>
LocalAddr: IP=192.0.2.40 PORT=11784 SSRC=0x5e10aa21
RemoteAddr: IP=2001:db8::17 PORT=40020 SSRC=77b0c4d2
LocalMetrics:
Timestamps: START=2026-11-21T08:14:02Z STOP=2026-11-21T09:19:37.250+01:00
SessionDesc: PT=9 PD="G722" SR=8000 FD=20 FO=160 FPP=1 PPS=50 FMTP="annexb = no" PLC=2 SSUP=off
JitterBuffer: JBA=3 JBR=2 JBN=60 JBM=75 JBX=200
PacketLoss: NLR=1.8 JDR=0.6
BurstGapLoss: BLD=12.5 BD=340 GLD=0.9 GD=8200 GMIN=16
Delay: RTD=118 ESD=72 SOWD=59 IAJ=9 MAJ=4
Signal: SL=-21 NL=-58 RERL=127
QualityEst: RLQ=88 RCQ=84 EXTRI=127 EXTRO=90 MOSLQ=4.1 MOSCQ=3.9 QoEEstAlg=P.564
RemoteMetrics:
PacketLoss: NLR=0.2 JDR=0
Delay: RTD=121 IAJ=3
QualityEst: RLQ=127 MOSLQ=4.3
DialogID: 5d1f0c77@192.0.2.40;to-tag=9f2;from-tag=41c
""".replace("\n", "\r\n")


def sip(method, headers, body):
    return "\r\n".join([
        f"{method} sip:collector@example.org SIP/2.0", "Via: SIP/2.0/UDP 192.0.2.40:5060;branch=z9hG4bK7c1e", "Max-Forwards: 70",
        "From: <sip:desk@example.org>;tag=41c", "To: <sip:collector@example.org>", "Call-ID: report-17@192.0.2.40", f"CSeq: 3 {method}",
        "Event: vq-rtcpxr", *headers, "Content-Type: application/vq-rtcpxr", f"Content-Length: {len(body)}", "", body])


def vq_rtcpxr():
    session = report()
    yield session
    yield sip("PUBLISH", ["Expires: 3600", "Allow-Events: vq-rtcpxr"], session)
    yield sip("NOTIFY", ["Subscription-State: active;expires=3599", "Contact: <sip:desk@192.0.2.40>"], session)
    # Concatenated messages of two calls, the last one truncated.
    alert = report("VQAlertReport", "Type=NLR Severity=Critical Dir=local").replace("5d1f0c77", "8801beef")
    yield report("VQIntervalReport", "") + "\r\n" + sip("PUBLISH", [], alert) + "\r\n" + session.replace("\r\n", "\n")[:300]


def pcapng():
    """Packets of a test capture in pcapng blocks: little-endian with µs, and big-endian with ns and an option."""
    with gzip.open(os.path.join(ROOT, "Tests/Cases/judged-call-01/call.pcap.gz")) as file:
        capture = file.read(16_000)
    order = "<" if capture[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    link = struct.unpack(order + "I", capture[20:24])[0]
    packets, at = [], 24
    while at + 16 <= len(capture):
        seconds, fraction, kept, length = struct.unpack(order + "IIII", capture[at : at + 16])
        packets.append((seconds * 1_000_000 + fraction, capture[at + 16 : at + 16 + kept], length))
        at += 16 + kept
    for end, options, unit in (("<", b"", 1), (">", struct.pack(">HHB3xHH", 9, 1, 9, 0, 0), 1000)):

        def block(kind, body):
            body += bytes(-len(body) % 4)
            size = struct.pack(end + "I", len(body) + 12)
            return struct.pack(end + "I", kind) + size + body + size

        out = block(0x0A0D0D0A, struct.pack(end + "IHHq", 0x1A2B3C4D, 1, 0, -1))
        out += block(1, struct.pack(end + "HHI", link, 0, 65535) + options)
        for time, bytes_, length in packets:
            time *= unit
            out += block(6, struct.pack(end + "IIIII", 0, time >> 32, time & 0xFFFFFFFF, len(bytes_), length) + bytes_)
        yield out


WRITTEN = {
    "getstats-json": getstats_json, "webrtc-internals": webrtc_internals, "rtcstats-v0": rtcstats_v0, "rtcstats-v2": rtcstats_v2,
    "rtcstats-v3": rtcstats_v3, "jitsi-rtcstats": jitsi_rtcstats, "goog-text": goog_text, "vq-rtcpxr": vq_rtcpxr, "pcapng": pcapng,
}


def seeds(reader):
    """The seeds written for a reader, as bytes."""
    for seed in WRITTEN[reader]() if reader in WRITTEN else ():
        yield seed if isinstance(seed, bytes) else seed.encode()
