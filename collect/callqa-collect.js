// callqa-collect: writes what callqa reads of every RTCPeerConnection of a page. One file, no
// dependency; load it before the application: <script src="callqa-collect.js" data-url="/stats">
// or import "./callqa-collect.js" and callqaCollect({ url: "/stats" }): see docs/collect.md.
(() => {
  "use strict";
  const Native = globalThis.RTCPeerConnection;
  if (!Native || globalThis.callqaCollect) return;
  const load = crypto.getRandomValues(new Uint32Array(2)).reduce((t, n) => t + n.toString(36), "");
  const settings = { intervalMs: 1000, chunkMs: 4000, labels: false, mostBytes: 4 << 20 };
  const alive = new Map();
  let [lines, kept, sending, connections, chunk, timers] = [[], 0, false, 0, 0, []];

  // What callqa has no use for, and what only repeats the key or the address of its report.
  const skipped = new RegExp("^(id|mediaType|googTiming.*|perDscp.*|totalEncodedBytesTarget|" +
    "framesAssembled.*|totalAssemblyTime|fecBytes.*|totalSquaredCorr.*|headerBytes.*|consent.*|" +
    "lastPacketSent.*|synthesizedSamplesEvents|packets.*(Ect1|WithCe)|packetsReportedAs.*)$");
  const unused = /^(certificate|peer-connection|data-channel)$/;
  const once = /^(local-candidate|remote-candidate|codec)$/;
  const secret = /^a=(ice-pwd|crypto|key-mgmt):.*\r?\n?/gm;
  const write = (line) => {
    const text = JSON.stringify({ ts: Date.now(), ...settings.names, ...line });
    // Where nobody takes the lines the oldest are given up.
    while (kept + text.length > settings.mostBytes && lines.length) kept -= lines.shift().length;
    lines.push(text);
    kept += text.length;
  };
  const tell = (pc, event, args) => write({ pc, event, ...(args && { args }) });
  const report = (stats, isFirst) => {
    const all = [...stats.values()];
    const selected = new Set(all.map((r) => r.selectedCandidatePairId).filter(Boolean));
    const isUsed = (r) => r.type !== "candidate-pair" || !selected.size || selected.has(r.id);
    const ends = new Set(all.filter((r) => r.type === "candidate-pair" && isUsed(r))
      .flatMap((r) => [r.localCandidateId, r.remoteCandidateId]));
    const kept = {};
    for (const r of all) {
      if (unused.test(r.type) || !isUsed(r) || (once.test(r.type) && !isFirst)) continue;
      if (r.type.endsWith("-candidate") && !ends.has(r.id)) continue;
      const own = (kept[r.id] = {});
      for (const [name, v] of Object.entries(r)) {
        if (!skipped.test(name)) own[name] = typeof v === "number" ? Math.round(v * 1e6) / 1e6 : v;
      }
    }
    return kept;
  };
  const sample = async (name, state, promise) => {
    try {
      const isFirst = state.polls++ * settings.intervalMs % settings.chunkMs < settings.intervalMs;
      write({ pc: name, report: report(await promise, isFirst) });
    } catch (error) { tell(name, "getStatsOnFailure", { error: error.name }); }
  };

  const described = (d) => d && { type: d.type, sdp: (d.sdp || "").replace(secret, "") };
  const about = {
    createOffer() {}, createAnswer() {}, restartIce() {},
    setLocalDescription: described, setRemoteDescription: described,
    addIceCandidate: (c) => ({ candidate: c ? c.candidate : null }),
  };
  const states = ["iceConnectionState", "connectionState", "iceGatheringState", "signalingState"];

  class Collected extends Native {
    constructor(...args) {
      super(...args);
      const name = load + "-" + ++connections;
      const state = { polls: 0 };
      alive.set(this, { name, state });
      tell(name, "create", { userAgent: navigator.userAgent });
      for (const member of states) {
        const event = member.toLowerCase() + "change";
        this.addEventListener(event, () => tell(name, event, { value: this[member] }));
      }
      this.addEventListener("track", (e) => tell(name, "track", { kind: e.track.kind }));
      this.addEventListener("icecandidate", (e) =>
        tell(name, "icecandidate", { candidate: e.candidate && e.candidate.candidate }));
      this.addEventListener("icecandidateerror", (e) =>
        tell(name, "icecandidateerror", { errorCode: e.errorCode, errorText: e.errorText }));
    }
    close() {
      const own = alive.get(this);
      // A closed connection has no statistics: the last are asked for before.
      if (own && alive.delete(this)) {
        sample(own.name, own.state, super.getStats());
        tell(own.name, "close");
      }
      super.close();
    }
  }
  for (const [method, args] of Object.entries(about)) {
    Collected.prototype[method] = function (...given) {
      const own = alive.get(this);
      const done = Native.prototype[method].apply(this, given);
      if (!own) return done;
      tell(own.name, method, args(given[0]));
      if (done && done.then) {
        done.then((d) => tell(own.name, method + "OnSuccess", described(d)),
          (e) => tell(own.name, method + "OnFailure", { error: e.name }));
      }
      return done;
    };
  }
  globalThis.RTCPeerConnection = Collected;
  for (const method of ["getUserMedia", "getDisplayMedia"]) {
    const devices = navigator.mediaDevices || {};
    const native = devices[method];
    if (!native) continue;
    devices[method] = function (...given) {
      tell(undefined, method);
      const done = native.apply(devices, given);
      const name = ({ kind, label }) => (settings.labels ? { kind, label } : { kind });
      done.then((s) => tell(undefined, method + "Success", { tracks: s.getTracks().map(name) }),
        (e) => tell(undefined, method + "Failure", { error: e.name }));
      return done;
    };
  }

  const packed = async (text) => typeof CompressionStream === "undefined" ? text
    : new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).blob();
  const flush = async (isLast = false) => {
    if (!lines.length || (sending && !isLast) || !(settings.url || settings.sink)) return;
    const text = lines.join("\n") + "\n";
    const taken = lines;
    [lines, kept, sending] = [[], 0, true];
    try {
      if (settings.sink) await settings.sink(text);
      else {
        const mark = settings.url.includes("?") ? "&" : "?";
        const url = `${settings.url}${mark}load=${load}&n=${chunk++}`;
        if (isLast && navigator.sendBeacon(url, text)) return;
        const body = await packed(text);
        const answer = await fetch(url, { method: "POST", body, keepalive: true });
        if (!answer.ok) throw new Error(answer.status);
      }
    } catch {
      lines = taken.concat(lines);
      kept = lines.reduce((sum, line) => sum + line.length, 0);
    } finally { sending = false; }
  };
  globalThis.callqaCollect = ({ call, endpoint, ...given } = {}) => {
    const names = { ...(call && { call }), ...(endpoint && { endpoint }) };
    Object.assign(settings, given, { names });
    timers.forEach(clearInterval);
    const poll = () => alive.forEach(({ name, state }, pc) =>
      sample(name, state, Native.prototype.getStats.call(pc)));
    timers = [setInterval(poll, settings.intervalMs), setInterval(flush, settings.chunkMs)];
    const text = () => lines.join("\n") + "\n";
    return { flush, text, stop: () => timers.forEach(clearInterval) };
  };
  addEventListener("pagehide", () => flush(true));
  const { url } = document.currentScript?.dataset || {};
  if (url) globalThis.callqaCollect({ ...document.currentScript.dataset });
})();
