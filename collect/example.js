// Calls within one page, and what becomes of them, as the address says: ?life=hangup&seconds=12. The lives: hangup, reload,
// restart (of ICE), two (calls at a time), stay, leave (hangs up and goes away), mute, webaudio, muted (element); single and
// simulcast (one or three encodings of a picture that goes one way, to an end that is not recorded); or two calls one after the other whose far ends are not
// recorded: calls, calls-before, calls-at, calls-late (when they get ids).
"use strict";
const asked = new URLSearchParams(location.search);
const life = asked.get("life") || "hangup";
const seconds = Number(asked.get("seconds") || 12);
const wait = (s) => new Promise((done) => setTimeout(done, s * 1000));
const collector = globalThis.callqaCollect && callqaCollect({
  url: asked.get("to") || undefined, chunkMs: Number(asked.get("chunk")) || undefined,
});

const connect = async (a, b) => {
  a.onicecandidate = (e) => b.addIceCandidate(e.candidate);
  b.onicecandidate = (e) => a.addIceCandidate(e.candidate);
  await a.setLocalDescription(await a.createOffer());
  await b.setRemoteDescription(a.localDescription);
  await b.setLocalDescription(await b.createAnswer());
  const { type, sdp } = b.localDescription;
  const isSimulcast = a.localDescription.sdp.includes("a=simulcast:send");
  await a.setRemoteDescription({ type, sdp: isSimulcast ? sdp + layers.map((rid) => `a=rid:${rid} recv\r\n`).join("")
    + `a=simulcast:recv ${layers.join(";")}\r\n` : sdp });
};
const layers = ["low", "mid", "high"];
const isOneWay = ["single", "simulcast"].includes(life);

const place = async ({ Far = RTCPeerConnection, call, size = [640, 360, 20] } = {}) => {
  const devices = navigator.mediaDevices;
  const [width, height, frameRate] = size;
  const stream = await devices.getUserMedia({ audio: true, video: { width, height, frameRate } });
  const [a, b] = [new RTCPeerConnection(), new Far()];
  if (call) collector.name(a, { call, room: "lobby", tags: { plan: "test" } });
  const far = document.getElementById("far");
  far.muted = life === "muted";
  b.ontrack = (e) => { far.srcObject = e.streams[0]; };
  if (life === "muted" || isOneWay) a.ontrack = b.ontrack;
  if (life === "webaudio") {
    a.ontrack = (e) => {
      const context = new AudioContext();
      if (e.track.kind === "audio") context.createMediaStreamSource(e.streams[0]).connect(context.destination);
    };
  }
  for (const track of stream.getTracks()) {
    if (life === "simulcast" && track.kind === "video") {
      const sendEncodings = layers.map((rid, index) => ({ rid, scaleResolutionDownBy: 4 >> index }));
      a.addTransceiver(track, { streams: [stream], sendEncodings });
    } else a.addTrack(track, stream);
    if (!isOneWay || track.kind === "audio") b.addTrack(track.clone(), stream);
  }
  await connect(a, b);
  return [a, b];
};

const placeTwo = async () => {
  for (const call of ["first", "second"]) {
    if (life === "calls-before") callqaCollect({ call });
    const pair = await place({ Far: Object.getPrototypeOf(RTCPeerConnection), call: life === "calls-at" && call });
    await wait(1);
    if (life === "calls-late") callqaCollect({ call });
    await wait(5);
    pair.forEach((pc) => pc.close());
    collector.rate(call === "first" ? 4 : 5);
    await wait(4);
  }
};

(async () => {
  if (life.startsWith("calls")) return placeTwo();
  const calls = [];
  for (let left = Number(asked.get("calls") || (life === "two" ? 2 : 1)); left; left--) {
    const Far = isOneWay ? Object.getPrototypeOf(RTCPeerConnection) : undefined;
    calls.push(await place({ Far, size: Far ? [960, 540, 20] : asked.has("calls") ? [160, 120, 5] : undefined }));
  }
  const sender = calls[0][0].getSenders()[0];
  await wait(seconds / 2);
  if (life === "restart") {
    calls[0][0].restartIce();
    await connect(...calls[0]);
  }
  if (life === "mute") {
    sender.track.enabled = false;
    await wait(2);
    sender.track.enabled = true;
    await sender.replaceTrack(sender.track.clone());
  }
  await wait(seconds / 2);
  if (life === "reload" && !asked.has("again")) return location.replace(location.href + "&again=1");
  if (life === "stay") return;
  calls.flat().forEach((pc) => pc.close());
  if (life === "leave") return location.replace("about:blank");
  await wait(1);
  if (asked.has("done")) location.replace("about:blank");
})();
