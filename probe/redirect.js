// Leads every RTCPeerConnection of a page through the relay of callqa-probe: each candidate, the page's own and those that it
// is told, gets the address of a port of the relay that stands for it. Candidates that cannot be led there (TCP, IPv6, TURN,
// names of mDNS) are taken away. Where the probe has a TURN server, only candidates by it are left. Loaded before the page's own scripts; `callqaProbe` is a binding of the browser.
(() => {
  "use strict";
  const Native = globalThis.RTCPeerConnection;
  if (!Native || !globalThis.callqaProbe || globalThis.callqaProbeAnswer) return;
  const tell = (kind, body) => globalThis.callqaProbe(JSON.stringify({ kind, ...body }));
  const form = /candidate:(\S+) (\d+) (\S+) (\d+) (\S+) (\d+) typ (\S+)/;
  const waiting = new Map();
  const known = new Map(); // a candidate's line → the line that stands for it, or null
  const turn = globalThis.callqaProbeTurn;
  const turned = (configuration) => (turn ? { ...configuration, iceTransportPolicy: "relay",
    iceServers: [{ urls: turn, username: "probe", credential: "probe" }] } : configuration);
  let questions = 0;

  globalThis.callqaProbeAnswer = (id, address) => {
    waiting.get(id)?.(address);
    waiting.delete(id);
  };
  const ask = (ip, port, isOwn) => new Promise((done) => {
    waiting.set(++questions, done);
    tell("address", { id: questions, ip, port, isOwn });
  });
  const relayed = async (line, isOwn) => {
    const parts = form.exec(line);
    if (!parts) return line;
    if (known.has(line)) return known.get(line);
    const [, , , protocol, , ip, port, type] = parts;
    const canPass = protocol.toLowerCase() === "udp" && /^[\d.]+$/.test(ip) && !(isOwn && type !== (turn ? "relay" : "host"));
    const address = canPass ? await ask(ip, Number(port), isOwn) : null;
    const given = address && line.replace(` ${ip} ${port} `, ` ${address.ip} ${address.port} `);
    known.set(line, given);
    return given;
  };
  const lines = (sdp) => sdp.split("\n").map((l) => l.replace(/\r$/, ""));
  const isCandidate = (line) => line.startsWith("a=candidate:");
  const rewrite = (description) => {
    if (!description || !description.sdp) return description;
    const sdp = lines(description.sdp).map((l) => {
      if (!isCandidate(l)) return l;
      const given = known.get(l.slice(2));
      return given ? "a=" + given : null;
    }).filter((l) => l !== null).join("\r\n");
    return new RTCSessionDescription({ type: description.type, sdp });
  };

  class Relayed extends Native {
    #held = Promise.resolve();
    #pending = 0;
    // As in a browser, what is asked of a connection waits for what was asked before, which takes longer here.
    #asked = Promise.resolve();
    #inTurn(work) {
      const done = this.#asked.then(work);
      this.#asked = done.then(() => {}, () => {});
      return done;
    }
    constructor(configuration, ...rest) {
      super(turned(configuration), ...rest);
      if (!turn && configuration?.iceTransportPolicy === "relay") {
        tell("fault", { text: "the page asks for TURN alone (iceTransportPolicy), which the relay cannot stand for" });
      }
      const hold = (event, again) => {
        if (!event.isTrusted) return;
        event.stopImmediatePropagation();
        this.#pending++;
        this.#held = this.#held.then(again).catch(() => {}).finally(() => this.#pending--);
      };
      this.addEventListener("icecandidate", (event) => hold(event, async () => {
        const own = event.candidate;
        const candidate = own && own.candidate ? await relayed(own.candidate, true) : own && own.candidate;
        if (own && candidate === null) return;
        const { sdpMid, sdpMLineIndex, usernameFragment } = own || {};
        this.dispatchEvent(new RTCPeerConnectionIceEvent("icecandidate", {
          candidate: own && new RTCIceCandidate({ candidate, sdpMid, sdpMLineIndex, usernameFragment }),
        }));
      }));
      this.addEventListener("icegatheringstatechange", (event) => hold(event, () => {
        // The last but itself: what comes after it sees the state that it tells.
        queueMicrotask(() => this.dispatchEvent(new Event("icegatheringstatechange")));
      }));
      this.addEventListener("connectionstatechange", () => tell("state", { state: this.connectionState }));
    }
    setConfiguration(configuration) { super.setConfiguration(turned(configuration)); }
    get iceGatheringState() {
      const state = super.iceGatheringState;
      return state === "complete" && this.#pending ? "gathering" : state;
    }
    get localDescription() { return rewrite(super.localDescription); }
    get currentLocalDescription() { return rewrite(super.currentLocalDescription); }
    get pendingLocalDescription() { return rewrite(super.pendingLocalDescription); }
    createOffer(...given) { return this.#inTurn(async () => rewrite(await super.createOffer(...given))); }
    createAnswer(...given) { return this.#inTurn(async () => rewrite(await super.createAnswer(...given))); }
    setLocalDescription(...given) { return this.#inTurn(() => super.setLocalDescription(...given)); }
    setRemoteDescription(...given) { return this.#inTurn(() => this.#setRemote(...given)); }
    addIceCandidate(...given) { return this.#inTurn(() => this.#addCandidate(...given)); }
    async #setRemote(description, ...rest) {
      if (!description?.sdp) return super.setRemoteDescription(description, ...rest);
      const told = await Promise.all(lines(description.sdp).map(async (l) => {
        if (!isCandidate(l)) return l;
        const given = await relayed(l.slice(2), false);
        return given && "a=" + given;
      }));
      const sdp = told.filter((l) => l !== null).join("\r\n");
      return super.setRemoteDescription({ type: description.type, sdp }, ...rest);
    }
    async #addCandidate(candidate, ...rest) {
      if (!candidate?.candidate) return super.addIceCandidate(candidate, ...rest);
      const given = await relayed(candidate.candidate, false);
      if (given === null) return undefined;
      const { sdpMid, sdpMLineIndex, usernameFragment } = candidate;
      return super.addIceCandidate({ candidate: given, sdpMid, sdpMLineIndex, usernameFragment }, ...rest);
    }
  }
  // Firefox tells no event of a script to a handler that is set as a property: they are listeners here.
  for (const name of ["icecandidate", "icegatheringstatechange"]) {
    const handlers = new WeakMap();
    Object.defineProperty(Relayed.prototype, "on" + name, { configurable: true, enumerable: true,
      get() { return handlers.get(this) ?? null; },
      set(handler) {
        this.removeEventListener(name, handlers.get(this));
        handlers.set(this, typeof handler === "function" ? handler : null);
        this.addEventListener(name, handlers.get(this));
      },
    });
  }
  globalThis.RTCPeerConnection = Relayed;

  // A page whose timers stand still is starved of a processor: a fault of the rig, not of the network.
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    if (now - last > 300) tell("stall", { ms: Math.round(now - last - 100) });
    last = now;
  }, 100);
})();
