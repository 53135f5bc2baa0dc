// callqa-collect: writes what callqa reads of every RTCPeerConnection of a page. One file, no dependency; load it before
// the application: <script src="callqa-collect.js" data-url="/stats">, or import callqaCollect from "./callqa-collect.mjs"
// and callqaCollect({ url: "/stats" }): see docs/collect.md.
(() => {
  "use strict";
  if (globalThis.callqaCollect) return;
  const Native = globalThis.RTCPeerConnection;
  if (!Native) {
    // Where there is no WebRTC (a server, a worker, an old browser) every call does nothing.
    const none = async () => {};
    const off = { flush: none, stop: none, text: async () => "", name() {}, event() {}, rate() {} };
    globalThis.callqaCollect = () => off;
    return;
  }
  const load = crypto.getRandomValues(new Uint32Array(2)).reduce((t, n) => t + n.toString(36), "");
  const settings = { intervalMs: 1000, chunkMs: 4000, labels: false, mostBytes: 4 << 20, share: 1 };
  // Requests are smaller than what browsers keep of a page that goes: 64 KiB in flight for all of them together.
  const [mostRequest, atEnd, worthPacking] = [60_000, 64_000, 8000];
  const [longestWait, recent] = [30_000, 6000]; // ms
  const isPacking = typeof CompressionStream !== "undefined";
  const mostPlain = isPacking ? 128_000 : 44_000;
  const draw = Math.random();
  const alive = new Map(); // connection → what is known of it, until it is closed
  const known = new WeakMap(); // the same for every connection: ids and ratings may come when it is over
  const page = {}; // ids of the page, for connections that have none of their own
  const used = new Set(); // ids of calls that a connection has
  let [lines, size, queue, made, chunks, timers, early, latest, spare] = [[], 0, [], 0, 0, [], [], null, null];
  let [isOn, isSending, isLeaving, failures, retryAt] = [true, false, false, 0, 0];

  // What callqa has no use for, and what only repeats the key or the address of its report.
  const skipped = new RegExp("^(id|mediaType|googTiming.*|perDscp.*|totalEncodedBytesTarget|" +
    "framesAssembled.*|totalAssemblyTime|fecBytes.*|totalSquaredCorr.*|headerBytes.*|consent.*|" +
    "lastPacketSent.*|synthesizedSamplesEvents|packets.*(Ect1|WithCe)|packetsReportedAs.*)$");
  const isSkipped = Object.create(null); // by a member's name: some hundred, asked for thousands of times a minute
  const unused = /^(certificate|peer-connection|data-channel)$/;
  const once = /^(local-candidate|remote-candidate|codec)$/;
  const secret = /^a=(ice-pwd|crypto|key-mgmt):.*\r?\n?/gm;

  // MARK: Chunks. Each has a number that stays the same when it is sent again, so that repeats can be told.

  const write = (line, own, ts = Date.now()) => {
    if (!isOn) return;
    const { call, endpoint } = own ? own.ids : pageIds();
    const text = JSON.stringify({ ts, call, endpoint, pc: own && own.name, ...line });
    lines.push(text);
    size += text.length + 1;
    if (size >= mostPlain) seal();
    if (isLeaving) leave();
  };
  const isEvent = (row) => row.includes('"event":"');
  const textOf = (n, rows) => `{"chunk":"${load}.${n}",${rows.join("\n").slice(1)}\n`;
  const chunk = (rows) => {
    const n = chunks++;
    const text = textOf(n, rows);
    return { n, rows, text, size: text.length, at: Date.now(), isEvents: rows.every(isEvent) };
  };
  const seal = () => {
    if (!lines.length) return;
    queue.push(chunk(lines));
    [lines, size, spare] = [[], 0, null];
    if (settings.url && !settings.sink) pack(queue[queue.length - 1]);
    // Where nobody takes the chunks the oldest are given up.
    let all = queue.reduce((sum, own) => sum + own.size, 0);
    while (all > settings.mostBytes && queue.length > 1) all -= queue.shift().size;
  };
  const gzip = (plain) => new Response(plain.stream().pipeThrough(new CompressionStream("gzip"))).blob();
  // Packs a chunk before it is needed: a page that goes has no time for it. One that is too large is cut in two.
  const pack = (own) => own.packing ||= (async () => {
    const plain = new Blob([own.text]);
    const body = isPacking ? await gzip(plain) : plain;
    const at = queue.indexOf(own);
    if (at < 0) return;
    const half = own.rows.length >> 1;
    if (body.size <= mostRequest || !half) {
      Object.assign(own, { body, size: body.size, isPacked: body !== plain, rows: null, text: null });
      return;
    }
    const halves = [own.rows.slice(0, half), own.rows.slice(half)].map(chunk);
    queue.splice(at, 1, ...halves);
    await Promise.all(halves.map(pack));
  })();
  // The same for lines that wait for more, where they are too many to go as they are.
  const packSpare = async () => {
    const fresh = size - (spare ? spare.upTo : 0);
    const left = queue.reduce((sum, own) => sum + own.size, fresh + (spare?.size || 0));
    if (!isPacking || left < mostRequest || fresh < worthPacking || settings.sink || !settings.url) return;
    const [rows, n, count, before] = [lines, chunks, lines.length, spare];
    spare = { ...before, upTo: size };
    const body = await gzip(new Blob([textOf(n, rows)]));
    if (n !== chunks || rows !== lines || count < spare.count) return;
    spare = { n, rows, count, upTo: spare.upTo, body, size: body.size, at: Date.now(), isPacked: true };
  };
  const address = (n) => `${settings.url}${settings.url.includes("?") ? "&" : "?"}load=${load}&n=${n}`;
  const request = (own, more) => fetch(address(own.n), { method: "POST", body: own.body, ...more, headers: {
    ...(settings.token && { Authorization: "Bearer " + settings.token }), ...settings.headers } });
  // Whether a chunk is done with: taken, or such that no server will ever take it.
  const post = async (own) => {
    try {
      if (settings.sink) await settings.sink(own.text);
      else {
        await pack(own);
        // It was cut in two, or went with a page that came back.
        if (!queue.includes(own)) return true;
        own.isTried = true;
        const answer = await request(own, { signal: AbortSignal.timeout?.(longestWait) });
        return answer.ok || [400, 413, 415, 422].includes(answer.status);
      }
      return true;
    } catch { return false; }
  };
  const flush = async (isAsked = true) => {
    if (!isAsked && Date.now() < retryAt) return;
    if (isSending || !(settings.url || settings.sink)) return;
    isSending = true;
    seal();
    try {
      while (queue.length) {
        const first = queue[0];
        if (!await post(first)) {
          // Pages that lost the same server do not come back to it at once.
          retryAt = Date.now() + Math.min(longestWait, settings.chunkMs * 2 ** failures++) * (0.5 + Math.random() / 2);
          return;
        }
        [failures, retryAt] = [0, 0];
        queue = queue.filter((own) => own !== first);
      }
    } finally { isSending = false; }
  };
  // What is left goes with the page, as much as fits: events, then statistics, the newest first; those of the last
  // seconds that are packed before others.
  const leave = () => {
    if (settings.sink) {
      seal();
      queue.splice(0).forEach((own) => settings.sink(own.text));
    }
    if (settings.sink || !settings.url) return;
    let room = atEnd;
    const give = (own) => {
      const body = own.body || new Blob([own.text]);
      if (body.size > room) return false;
      if (settings.token || settings.headers) request({ ...own, body }, { keepalive: true }).catch(() => {});
      else if (!navigator.sendBeacon(address(own.n), body)) return false;
      room -= body.size;
      return true;
    };
    const packed = queue.filter((own) => own.body);
    const plain = queue.flatMap((own) => (own.body ? [] : own.rows));
    if (spare && spare.rows === lines) {
      chunks++;
      packed.push({ ...spare, rows: null });
      plain.push(...lines.slice(spare.count));
    } else plain.push(...lines);
    [lines, size, spare] = [[], 0, null];
    const [events, rest] = [plain.filter(isEvent), plain.filter((row) => !isEvent(row))];
    const kept = (events.length ? [chunk(events)] : []).filter((own) => !give(own));
    const rank = (own) => (own.isEvents ? 2 : own.at > Date.now() - recent ? 1 : 0);
    const old = packed.filter((own) => !rank(own));
    const first = packed.filter(rank).sort((a, b) => rank(b) - rank(a) || b.n - a.n);
    const waiting = first.filter((own) => !give(own));
    let from = rest.length;
    for (let sum = 99; from && (sum += rest[from - 1].length + 1) <= room;) from--;
    const parts = [rest.slice(0, from), rest.slice(from)].map((rows) => rows.length && chunk(rows));
    if (parts[1] && give(parts[1])) parts.pop();
    waiting.push(...old.reverse().filter((own) => !give(own)));
    queue = [...waiting, ...kept, ...parts].filter(Boolean).sort((a, b) => a.n - b.n);
  };

  // MARK: Events and statistics

  const tell = (own, event, args) => {
    if (own) announce(own);
    write({ event, args }, own);
  };
  // The first line of a connection waits until the application could name it.
  const announce = (own) => {
    if (own.isTold) return;
    own.isTold = true;
    early.splice(0).forEach(([event, args, ts]) => write({ event, args }, own, ts));
    write({ event: "create", args: { userAgent: navigator.userAgent } }, own, own.born);
    if (own.about) write({ event: "named", args: own.about }, own);
  };
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
      for (const name in r) {
        if (isSkipped[name] ??= skipped.test(name)) continue;
        const v = r[name];
        own[name] = typeof v === "number" ? Math.round(v * 1e6) / 1e6 : v;
      }
    }
    return kept;
  };
  const sample = async (own, promise) => {
    try {
      const isFirst = own.polls++ * settings.intervalMs % settings.chunkMs < settings.intervalMs;
      write({ report: report(await promise, isFirst) }, own);
    } catch (error) { tell(own, "getStatsOnFailure", { error: error.name }); }
  };
  // What a connection sends: muted, unmuted, or another track. And whether what it receives can be heard by its level.
  const look = (own, pc) => {
    for (const sender of pc.getSenders()) {
      const { track } = sender;
      const before = own.senders.get(sender);
      if (!track && !before) continue;
      const kind = track ? track.kind : before.kind;
      const now = { kind, id: track && track.id, isOpen: !!track && track.enabled && !track.muted };
      if (before && before.id !== now.id) tell(own, "replaceTrack", { kind, track: now.id ? "another" : "none" });
      if (now.isOpen !== (before ? before.isOpen : true)) tell(own, now.isOpen ? "trackEnabled" : "trackDisabled", { kind });
      own.senders.set(sender, now);
      if (track && !seen.has(track)) {
        seen.add(track);
        for (const event of ["mute", "unmute"]) track.addEventListener(event, lookAll);
      }
    }
    if (!own.hears) return;
    const players = [...elements].map((e) => e.deref()).filter((e) => e && e.srcObject?.getAudioTracks
      && e.srcObject.getAudioTracks().some((t) => ownerOf.get(t) === own));
    const isMuted = players.length > 0 && players.every((e) => e.muted || !e.volume);
    if (isMuted !== !!own.isMuted) tell(own, isMuted ? "remoteSoundMuted" : "remoteSoundUnmuted", { by: "element" });
    own.isMuted = isMuted;
  };
  const seen = new WeakSet();
  const elements = new Set(); // of media, weakly
  const ownerOf = new WeakMap(); // a track that is received → its connection
  const lookAll = () => alive.forEach(look);
  const poll = () => {
    if (!isOn) return;
    const samples = [...alive].map(([pc, own]) => {
      look(own, pc);
      return sample(own, Native.prototype.getStats.call(pc));
    });
    Promise.all(samples).then(packSpare);
    elements.forEach((e) => e.deref() || elements.delete(e));
  };

  // MARK: Whose a connection is

  // Those of the page's call, unless that is over: what comes then may be of the next.
  const pageIds = () => ({ call: used.has(page.call) && !isOpen(page.call) ? undefined : page.call,
    endpoint: page.endpoint });
  const isOpen = (call) => [...alive.values()].some((own) => own.ids.call === call && !own.isHeir);
  const assign = (own, { call, endpoint, room, tags }, isOwn) => {
    // The id of the page's last call holds until another one follows.
    if (call && (isOwn || !own.ids.call || own.isHeir)) {
      own.isHeir = !isOwn && used.has(call) && !isOpen(call);
      own.ids.call = call;
      if (!own.isHeir) used.add(call);
    }
    if (endpoint && (isOwn || !own.ids.endpoint)) own.ids.endpoint = endpoint;
    if (!room && !tags) return;
    const about = { ...own.about, ...(room && { room }), ...(tags && { tags: { ...own.about?.tags, ...tags } }) };
    own.about = about;
    if (own.isTold) tell(own, "named", about);
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
      const own = { name: load + "-" + ++made, ids: {}, polls: 0, senders: new Map(), born: Date.now() };
      assign(own, page);
      alive.set(this, own);
      known.set(this, own);
      latest = own;
      queueMicrotask(() => announce(own));
      for (const member of states) {
        const event = member.toLowerCase() + "change";
        this.addEventListener(event, () => tell(own, event, { value: this[member] }));
      }
      this.addEventListener("track", ({ track }) => {
        ownerOf.set(track, own);
        own.hears ||= track.kind === "audio";
        tell(own, "track", { kind: track.kind });
      });
      this.addEventListener("icecandidate", (e) =>
        tell(own, "icecandidate", { candidate: e.candidate && e.candidate.candidate }));
      this.addEventListener("icecandidateerror", (e) =>
        tell(own, "icecandidateerror", { errorCode: e.errorCode, errorText: e.errorText }));
    }
    close() {
      const own = alive.get(this);
      if (own) {
        // A closed connection has no statistics: the last are asked for before.
        if (isOn) sample(own, super.getStats()).then(packSpare);
        tell(own, "close");
        alive.delete(this);
      }
      super.close();
    }
  }
  for (const [method, args] of Object.entries(about)) {
    Collected.prototype[method] = function (...given) {
      const own = alive.get(this);
      const done = Native.prototype[method].apply(this, given);
      if (!own) return done;
      tell(own, method, args(given[0]));
      if (done && done.then) {
        done.then((d) => tell(own, method + "OnSuccess", described(d)),
          (e) => tell(own, method + "OnFailure", { error: e.name }));
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
  // Calls `then` after a method or a setter of the page's own, which keep their results.
  const after = (type, name, then) => {
    const member = type && Object.getOwnPropertyDescriptor(type.prototype, name);
    const kind = member && (member.set ? "set" : member.value ? "value" : null);
    if (!kind) return;
    const native = member[kind];
    Object.defineProperty(type.prototype, name, { ...member, [kind](...given) {
      const done = native.apply(this, given);
      try { then(this, ...given, done); } catch {}
      return done;
    } });
  };
  after(globalThis.MediaStreamTrack, "enabled", lookAll);
  after(globalThis.RTCRtpSender, "replaceTrack", (sender, track, done) => done.then(lookAll, () => {}));
  after(globalThis.HTMLMediaElement, "srcObject", (e, stream) => stream && ![...elements].some((r) => r.deref() === e)
    && elements.add(new WeakRef(e)));
  const processed = (_, source) => {
    const owners = (source.getAudioTracks ? source.getAudioTracks() : [source]).map((t) => ownerOf.get(t));
    new Set(owners).forEach((own) => own && tell(own, "remoteSoundProcessed", { by: "webaudio" }));
  };
  after(globalThis.AudioContext, "createMediaStreamSource", processed);
  after(globalThis.AudioContext, "createMediaStreamTrackSource", processed);

  // MARK: What a page asks for

  const ids = ["call", "endpoint", "room", "tags"];
  const stop = async () => {
    timers.forEach(clearInterval);
    timers = [];
    const done = flush();
    isOn = false;
    await done;
  };
  const texts = (own) => own.text ?? (own.isPacked
    ? new Response(own.body.stream().pipeThrough(new DecompressionStream("gzip"))) : own.body).text();
  const handle = {
    flush: () => flush(), stop,
    text: async () => (await Promise.all(queue.map(texts))).join("") + lines.map((line) => line + "\n").join(""),
    name: (pc, given) => { if (known.has(pc)) assign(known.get(pc), given, true); },
    event: (event, args, pc) => {
      // Without a connection it is of the one that was made last, or of the one that comes.
      const own = pc ? known.get(pc) : [...alive.values()].pop();
      if (own) tell(own, event, args);
      else if (!pc && early.push([event, args, Date.now()]) > 100) early.shift();
    },
    rate: (score, args, pc) => {
      const own = pc ? known.get(pc) : latest;
      if (own) tell(own, "rating", { score, ...args });
    },
  };
  globalThis.callqaCollect = (given = {}) => {
    for (const [name, value] of Object.entries(given)) {
      if (value !== undefined) (ids.includes(name) ? page : settings)[name] = value;
    }
    const named = Object.fromEntries(ids.map((id) => [id, given[id]]));
    isOn = draw < settings.share;
    if (!isOn) [lines, size, queue] = [[], 0, []];
    alive.forEach((own) => assign(own, named));
    timers.forEach(clearInterval);
    timers = isOn ? [setInterval(poll, settings.intervalMs), setInterval(() => flush(false), settings.chunkMs)] : [];
    return handle;
  };
  addEventListener("pagehide", () => {
    isLeaving = true;
    leave();
  });
  addEventListener("pageshow", () => { isLeaving = false; });
  addEventListener("online", () => { retryAt = 0; });
  // A page in the background may be ended without a word.
  document.addEventListener("visibilitychange", () => document.hidden && timers.length && flush());
  const { dataset } = globalThis.document?.currentScript || {};
  if (dataset?.url) {
    const typed = ([name, text]) => [name, typeof settings[name] === "number" ? Number(text) || settings[name]
      : typeof settings[name] === "boolean" ? text !== "false" : text];
    globalThis.callqaCollect(Object.fromEntries(Object.entries(dataset).map(typed)));
  }
})();
