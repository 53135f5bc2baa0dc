#!/usr/bin/env python3
"""check.py OUT CALLQA: compares the results of callqa for probe calls with what the relay did to them.

OUT is an output folder of callqa-probe, and OUT/callqa.sqlite was imported from OUT/calls. For every call: outcome and
minimum score are as the plan expects; the loss of each audio stream is within one percentage point of the relay's;
every period in which the relay dropped everything is found, with begin and end within half a second; a call that the
relay kept from connecting has failed, with ICE named as the cause. Exit status 0: all of this holds. A call that the
machine spoiled is listed and not checked.
"""
import json, subprocess, sys

out, callqa = sys.argv[1:3]
problems, rows = [], []


def ask(*words):
    done = subprocess.run([callqa, *words, "--db", f"{out}/callqa.sqlite", "--json"], capture_output=True, text=True)
    if done.returncode: sys.exit(f"callqa {' '.join(words)}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def wrong(call, words):
    problems.append(f"{call}: {words}")


def check_loss(call, relay, streams, ends):
    """Audio loss at the relay compared with that of the receiver; returns the largest difference, percentage points."""
    worst, closed = None, {c["name"]: c["to_ms"] for end in ends for c in end["connections"]}
    for stream in relay["streams"]:
        received = [s for s in streams if s["direction"] == "inbound" and s["ssrc"] == stream["ssrc"] and s["kind"] == "audio"]
        for own in received:
            truth = 100 * stream["dropped"] / stream["packets"]
            # The receiver's loss counter omits packets lost at the very end; the packet count is exact, where it goes to
            # the end (Firefox gives none of a connection that is closed).
            is_whole = closed[own["pc"]] - own["last_ms"] < 200
            found = 100 * (1 - own["packets"] / stream["packets"]) if is_whole else truth
            counted = 100 * (own["loss_share"] or 0)
            worst = max(worst or 0, abs(found - truth), abs(counted - truth) if not black(relay) else 0)
    if worst is None: wrong(call, "no sound of the relay's is among the streams")
    elif worst > 1: wrong(call, f"loss is {worst:.1f} points off the relay's")
    return worst


def black(relay):
    """Periods in which the relay dropped everything in both directions, as (begin, end), ms."""
    phases, spans = relay["phases"], []
    for phase, following in zip(phases, phases[1:] + [None]):
        if phase["to_caller"].get("blackhole") and phase["from_caller"].get("blackhole"):
            spans.append((phase["from_ms"], following and following["from_ms"]))
    return spans


def check_outages(call, relay, spans):
    """The largest difference in begin or end between an outage at the relay and the one found, ms."""
    worst = None
    for begin, end in black(relay):
        for endpoint in ("caller", "callee"):
            found = [s for s in spans if s["kind"] == "outage" and s["medium"] == "audio" and s["endpoint"] == endpoint]
            near = min(found, key=lambda s: abs(s["start_ms"] - begin), default=None)
            if not near: wrong(call, f"no outage was found at the {endpoint}")
            else: worst = max(worst or 0, abs(near["start_ms"] - begin), abs(near["end_ms"] - end))
    if worst and worst > 500: wrong(call, f"an outage is {worst:.0f} ms off its place")
    return worst


for probed in json.load(open(f"{out}/probe.json")):
    call, relay = probed["call_id"], probed["relay"]
    if not probed["is_healthy"]:
        rows.append((call, "rig fault", "", "", ""))
        continue
    told = ask("call", call)[0]
    row, connected = told["call"], any("connected" in s for s in probed["states"].values())
    if row["expected_outcome"] and row["outcome"] != row["expected_outcome"]:
        wrong(call, f"it is {row['outcome']}, and was to be {row['expected_outcome']}")
    if row["score_mean"] is None and connected: wrong(call, "it has no score")
    loss = outage = None
    if connected:
        loss, outage = check_loss(call, relay, told["streams"], told["ends"]), check_outages(call, relay, told["spans"])
    elif not any(f["code"].startswith("ice-") for f in told["findings"]): wrong(call, "no finding names ICE")
    if not any(p[end] for p in relay["phases"] for end in ("to_caller", "from_caller")) and row["verdict"] != "good":
        wrong(call, f"nothing was done to it, and it is {row['verdict']}")
    score = "" if row["score_mean"] is None else f"{row['score_mean']:.0f}"
    rows.append((call, row["verdict"], score, "" if loss is None else f"{loss:.2f}", "" if outage is None else f"{outage:.0f}"))

head = ("call", "verdict", "score", "loss off, points", "outage off, ms")
widths = [max(len(r[i]) for r in rows + [head]) for i in range(5)]
for row in [head] + rows: print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
for problem in problems: print("NOT SO:", problem)
print(f"{len(rows)} calls, {len(problems)} problems")
sys.exit(1 if problems else 0)
