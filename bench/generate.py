"""Generates large inputs from the small recordings in samples/: deterministic, with unique timestamps and counters.

usage: generate.py lines FILE MEGABYTES   one file of getStats lines as a browser gives them: two ends of one long call
       generate.py rtp-lines FILE MEGABYTES   the same with the RTP reports only, as many SDKs log them
       generate.py talk FILE HOURS   the same for HOURS hours, with about one report per second from each end
       generate.py conference FILE STREAMS   what one end of a 20-minute conference receives, a report every 5 s
       generate.py sip FILE MESSAGES   a capture of one SIP call with many requests within the dialog
       generate.py calls FOLDER COUNT [whole]   one folder per call with a file per end, each call with unique ids;
                                                three reduced snapshots per end, or the whole recording
       generate.py dump FILE MEGABYTES    one webrtc-internals dump
       generate.py log FILE MEGABYTES     a phone's log: one line in 200 is about a call
       generate.py rtp FILE PACKETS STREAMS   a capture of RTP over UDP with loss, reordering and jitter
"""

import gzip
import json
import os
import random
import re
import struct
import sys

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "samples")
# Numeric members that are not counters and are therefore repeated unchanged.
GAUGES = re.compile(
    r"ssrc|Ssrc|payloadType|clockRate|channels|priority|port|Port|kind|width|height|Width|Height|jitter$|"
    r"RoundTripTime$|roundTripTime$|fractionLost|audioLevel|framesPerSecond|Bitrate|dataChannels|encodingIndex"
)


def recording(call, end):
    """The snapshots of one end of a recorded call."""
    with gzip.open(os.path.join(SAMPLES, call, end + ".stats.jsonl.gz"), "rt") as lines:
        return [json.loads(line) for line in lines]


class Template:
    """A line whose timestamps and counters advance with every repetition of the recording."""

    def __init__(self, snapshot, last, span):
        self.first, self.step, pieces = [], [], []

        def member(name, value, step):
            self.first.append(value)
            self.step.append(step)
            return "%s:%%s" % json.dumps(name).replace("%", "%%")

        def text(name, value):
            return (json.dumps(name) + ":" + json.dumps(value, separators=(",", ":"))).replace("%", "%%")

        for key, report in snapshot["report"].items():
            members = []
            for name, value in report.items():
                if isinstance(value, bool) or not isinstance(value, (int, float)):
                    members.append(text(name, value))
                elif name.lower().endswith("timestamp"):
                    members.append(member(name, value, span))
                elif GAUGES.search(name):
                    members.append(text(name, value))
                else:
                    members.append(member(name, value, last[key, name]))
            pieces.append(json.dumps(key).replace("%", "%%") + ":{" + ",".join(members) + "}")
        self.first.insert(0, snapshot["ts"])
        self.step.insert(0, span)
        self.text = '{"ts":%s,"pc":' + json.dumps(snapshot["pc"]) + ',"report":{' + ",".join(pieces) + "}}\n"

    def line(self, turn):
        return self.text % tuple(round(f + turn * s, 6) for f, s in zip(self.first, self.step))


def templates(call, choose):
    """Lines of both ends of a call in order of time."""
    snapshots = [choose(snapshot) for end in ("caller", "callee") for snapshot in recording(call, end)]
    snapshots.sort(key=lambda snapshot: snapshot["ts"])
    span = round(snapshots[-1]["ts"] - snapshots[0]["ts"] + 1000)
    last = {}
    for snapshot in snapshots:
        for key, report in snapshot["report"].items():
            for name, value in report.items():
                if isinstance(value, (int, float)):
                    last[key, name] = value
    return [Template(snapshot, last, span) for snapshot in snapshots]


def rtp_only(snapshot):
    keep = {k: r for k, r in snapshot["report"].items() if r["type"].endswith("-rtp")}
    return dict(snapshot, report=keep)


def rtp_lines(path, megabytes):
    lines(path, megabytes, rtp_only)


def lines(path, megabytes, choose=lambda snapshot: snapshot):
    ready = templates("bad-call", choose)
    size, turn, wanted = 0, 0, int(float(megabytes) * 1e6)
    with open(path, "w") as out:
        while size < wanted:
            for template in ready:
                size += out.write(template.line(turn))
                if size >= wanted:
                    break
            turn += 1


def talk(path, hours):
    """Both ends of a call of the given length."""
    ready = templates("bad-call", lambda snapshot: snapshot)
    with open(path, "w") as out:
        for turn in range(round(float(hours) * 3600_000 / ready[0].step[0])):
            out.writelines(template.line(turn) for template in ready)


def conference(path, streams):
    """The streams of one recorded end, repeated with different SSRCs, alternating between audio and video."""
    inbound = {}
    for snapshot in recording("bad-call", "callee"):
        for report in snapshot["report"].values():
            if report["type"] == "inbound-rtp":
                inbound.setdefault(report["kind"], report)
    with open(path, "w") as out:
        for second in range(0, 1200, 5):
            reports = {}
            for number in range(int(streams)):
                kind = ("audio", "video")[number % 2]
                # Each stream loses more packets than the one before.
                report = {}
                for name, value in inbound[kind].items():
                    counted = isinstance(value, (int, float)) and not isinstance(value, bool) and not GAUGES.search(name)
                    report[name] = round(value * second / 30, 6) if counted else value
                report.update(id=f"I{number}", ssrc=70_000_000 + number * 1001, mid=str(number), timestamp=1_767_225_600_000 + second * 1000)
                report.update(trackIdentifier=f"track-{number}", packetsLost=report["packetsReceived"] * number // 1000)
                reports[report["id"]] = report
            line = {"ts": 1_767_225_600_000 + second * 1000, "pc": "guest", "report": reports}
            out.write(json.dumps(line, separators=(",", ":")) + "\n")


def sip(path, messages):
    """INVITE, INFO and BYE requests with their responses, one packet each."""
    ends = bytes((192, 0, 2, 1)), bytes((192, 0, 2, 2))
    sdp = "v=0\r\no=- 1 1 IN IP4 192.0.2.%d\r\ns=-\r\nc=IN IP4 192.0.2.%d\r\nt=0 0\r\nm=audio 40000 RTP/AVP 0\r\n"
    said = [("INVITE", None), ("INVITE", "100 Trying"), ("INVITE", "180 Ringing"), ("INVITE", "200 OK"), ("ACK", None)]
    said += [("INFO", None), ("INFO", "200 OK")] * ((int(messages) - 7) // 2) + [("BYE", None), ("BYE", "200 OK")]
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        number = 0
        for place, (method, status) in enumerate(said):
            number += status is None and method != "ACK"
            way = 1 if status else 0
            body = sdp % (way + 1, way + 1) if method == "INVITE" and status in (None, "200 OK") else ""
            lines = [
                f"SIP/2.0 {status}" if status else f"{method} sip:callee@192.0.2.2 SIP/2.0",
                f"Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK{method}{number}",
                "From: <sip:caller@192.0.2.1>;tag=a1",
                "To: <sip:callee@192.0.2.2>" + (";tag=b2" if place > 2 else ""),
                "Call-ID: ladder@192.0.2.1", f"CSeq: {number} {method}",
                *(["Content-Type: application/sdp"] if body else []), f"Content-Length: {len(body)}", "", body,
            ]
            text = "\r\n".join(lines).encode()
            udp = struct.pack(">HHHH", 5060, 5060, 8 + len(text), 0) + text
            head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, ends[way], ends[1 - way])
            packet = bytes.fromhex("0200000000020200000000010800") + head + udp
            micros = 1_767_225_600_000_000 + place * 250_000
            out.write(struct.pack("<IIII", micros // 1_000_000, micros % 1_000_000, len(packet), len(packet)) + packet)


def slim(snapshot):
    """The audio of a snapshot and the ids of its call: enough for a score, and small enough for 100,000 calls."""
    keep = {}
    for key, report in snapshot["report"].items():
        kinds = ("inbound-rtp", "outbound-rtp", "remote-inbound-rtp", "transport", "codec", "certificate")
        if report["type"] not in kinds or report.get("kind") == "video" or "video" in report.get("mimeType", ""):
            continue
        keep[key] = {k: v for k, v in report.items() if k != "base64Certificate"}
    return {"ts": snapshot["ts"], "pc": snapshot["pc"], "report": keep}


def calls(folder, count, whole=None):
    texts = {}
    for end in ("caller", "callee"):
        chosen = recording("healthy-call", end)
        if not whole:
            chosen = [slim(snapshot) for snapshot in chosen[2:17:5]]
        texts[end] = "".join(json.dumps(s, separators=(",", ":")) + "\n" for s in chosen)
    both = texts["caller"] + texts["callee"]
    marks = sorted(set(re.findall(r'(?<="ssrc":)\d+', both)))
    marks += sorted(set(re.findall(r'(?<="iceLocalUsernameFragment":")[^"]+', both)))
    prints = sorted(set(re.findall(r"(?:[0-9A-F]{2}:){31}[0-9A-F]{2}", both)))
    pattern = re.compile("|".join(map(re.escape, marks + prints)) + r"|17952\d{8}(?:\.\d+)?")
    for number in range(int(count)):
        rng = random.Random(number)
        new = {m: str(rng.randrange(1 << 28, 1 << 32)) if m.isdigit() else "u%07x" % number + m for m in marks}
        new.update({p: ":".join("%02X" % rng.randrange(256) for _ in range(32)) for p in prints})
        shift = number * 20_000

        def put(found):
            word = found.group()
            return new[word] if word in new else repr(round(float(word) + shift, 3))

        place = os.path.join(folder, "%02d" % (number % 100), "call-%06d" % number)
        os.makedirs(place)
        for end, text in texts.items():
            with open(os.path.join(place, end + ".stats.jsonl"), "w") as out:
                out.write(pattern.sub(put, text))


def dump(path, megabytes):
    """A webrtc-internals dump: a time series for each member of each report, as arrays encoded in strings."""
    ready = recording("bad-call", "caller")
    span = round(ready[-1]["ts"] - ready[0]["ts"] + 1000)
    series, kinds = {}, {}
    for snapshot in ready:
        for key, report in snapshot["report"].items():
            kinds[key] = report["type"]
            for name, value in report.items():
                if name not in ("id", "type", "base64Certificate"):
                    series.setdefault((key, name), []).append((value, report["timestamp"]))
    # The arrays are encoded in strings, so quotes in string values are escaped twice.
    per_turn = sum(len(json.dumps(json.dumps([v for v, _ in points]))) for points in series.values())
    turns = max(1, round(float(megabytes) * 1e6 / per_turn))
    with open(path, "w") as out:
        out.write('{"getUserMedia":[],"PeerConnections":{"7-1":{"url":"https://app.example/","rtcConfiguration":"{}",')
        out.write('"updateLog":[],"stats":{')
        comma = ""
        for (key, name), points in series.items():
            values, step = [], 0
            number = not isinstance(points[-1][0], (bool, str)) and isinstance(points[-1][0], (int, float))
            if number and not GAUGES.search(name):
                step = span if name.lower().endswith("timestamp") else points[-1][0]
            for turn in range(turns):
                values += [v if not step else round(v + turn * step, 6) for v, _ in points]
            times = ["%.3f" % (points[0][1]), "%.3f" % (points[-1][1] + (turns - 1) * span)]
            when = '"startTime":"%s","endTime":"%s","statsType":"%s"' % (iso(times[0]), iso(times[1]), kinds[key])
            text = json.dumps(json.dumps(values, separators=(",", ":")))
            out.write('%s%s:{%s,"values":%s}' % (comma, json.dumps(key + "-" + name), when, text))
            comma = ","
        out.write('}}},"UserAgent":"Mozilla/5.0"}')


def iso(milliseconds):
    import datetime

    moment = datetime.datetime.fromtimestamp(float(milliseconds) / 1000, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (moment.microsecond // 1000)


def log(path, megabytes):
    rng, milliseconds, number = random.Random(1), 0, 0
    others = (
        lambda: "ViewRootImpl: relayoutWindow result=0x%x" % rng.randrange(1 << 16),
        lambda: "OkHttp: GET https://app.example/api/v1/items?id=%d 200 OK (%dms)" % (rng.randrange(1000), rng.randrange(900)),
        lambda: "libc: Background concurrent copying GC freed %d(%dKB) AllocSpace objects" % (rng.randrange(99999), rng.randrange(9999)),
        lambda: "BufferQueueProducer: queueBuffer: fps=%.2f dur=%.2f max=%.2f" % (rng.random() * 60, rng.random() * 1000, rng.random() * 40),
        lambda: "Sample: drawing the second surface",
    )
    with open(path, "w") as out:
        while out.tell() < float(megabytes) * 1e6:
            milliseconds += rng.randrange(1, 40)
            seconds = milliseconds // 1000
            stamp = "11-%02d %02d:%02d:%02d.%03d" % (1 + seconds // 86400, seconds // 3600 % 24, seconds // 60 % 60, seconds % 60, milliseconds % 1000)
            if number % 200 == 0:
                state = {0: "onIncomingCall", 200: "onStatusChanged: IN_CALL"}.get(number, "onInboundQualityChanged(%d)" % rng.randrange(10, 99))
                out.write(f"{stamp}  4211  4230 I SampleCall: {state}\n")
            else:
                out.write(f"{stamp}  {rng.randrange(1000, 9999)}  {rng.randrange(1000, 9999)} {rng.choice('DIVW')} {rng.choice(others)()}\n")
            number += 1


def rtp(path, packets, streams):
    packets, streams, rng = int(packets), int(streams), random.Random(1)
    payload = bytes(range(140))
    state = [[rng.randrange(1 << 16), rng.randrange(1 << 32), 0x10000000 + n * 7919] for n in range(streams)]
    chunk = []
    ethernet = bytes.fromhex("0200000000020200000000010800")
    ip = struct.Struct(">BBHHHBBH4s4s").pack
    headers = [
        ip(0x45, 0, 20 + 8 + 12 + 140, 0, 0x4000, 64, 17, 0, bytes((10, 0, n >> 8, n & 255)), bytes((10, 1, 0, 1)))
        for n in range(streams)
    ]
    udp_rtp = struct.Struct(">HHHHBBHII").pack
    record = struct.Struct("<IIII").pack
    size = 14 + 20 + 8 + 12 + 140
    with open(path, "wb", 1 << 20) as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        written = tick = 0
        while written < packets:
            for n in range(streams):
                who = state[n]
                who[0] = (who[0] + 1) & 0xFFFF
                who[1] = (who[1] + 960) & 0xFFFFFFFF
                if rng.random() < 0.01:
                    continue
                micros = 1_700_000_000_000_000 + tick * 20_000 + n * 17 + int(rng.random() * 3000)
                chunk += (
                    record(micros // 1_000_000, micros % 1_000_000, size, size), ethernet, headers[n],
                    udp_rtp(20000 + 2 * n, 30000, 8 + 12 + 140, 0, 0x80, 111, who[0], who[1], who[2]), payload,
                )
                written += 1
                if written == packets:
                    break
            tick += 1
            if len(chunk) > 20_000:
                out.write(b"".join(chunk))
                chunk.clear()
        out.write(b"".join(chunk))


if __name__ == "__main__":
    makers = {
        "lines": lines, "rtp-lines": rtp_lines, "talk": talk, "conference": conference, "sip": sip, "calls": calls, "dump": dump,
        "log": log, "rtp": rtp,
    }
    if len(sys.argv) < 4 or sys.argv[1] not in makers:
        sys.exit(__doc__)
    makers[sys.argv[1]](*sys.argv[2:])
