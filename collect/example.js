// A call within one page, and what becomes of it: hangup, reload, restart (of ICE), two (connections); or two calls one
// after the other whose far ends are not recorded: calls, calls-named, calls-late (named when they are established).
"use strict";
const asked = new URLSearchParams(location.search);
const life = asked.get("life") || "hangup";
const wait = (s) => new Promise((done) => setTimeout(done, s * 1000));

const connect = async (a, b) => {
  a.onicecandidate = (e) => b.addIceCandidate(e.candidate);
  b.onicecandidate = (e) => a.addIceCandidate(e.candidate);
  await a.setLocalDescription(await a.createOffer());
  await b.setRemoteDescription(a.localDescription);
  await b.setLocalDescription(await b.createAnswer());
  await a.setRemoteDescription(b.localDescription);
};

const place = async (Far = RTCPeerConnection) => {
  const devices = navigator.mediaDevices;
  const stream = await devices.getUserMedia({ audio: true, video: { width: 640, height: 360, frameRate: 20 } });
  const [a, b] = [new RTCPeerConnection(), new Far()];
  b.ontrack = (e) => { document.getElementById("far").srcObject = e.streams[0]; };
  for (const track of stream.getTracks()) {
    a.addTrack(track, stream);
    b.addTrack(track.clone(), stream);
  }
  await connect(a, b);
  return [a, b];
};

const placeTwo = async () => {
  for (const call of ["first", "second"]) {
    if (life === "calls-named") callqaCollect({ call });
    const pair = await place(Object.getPrototypeOf(RTCPeerConnection));
    await wait(1);
    if (life === "calls-late") callqaCollect({ call });
    await wait(5);
    pair.forEach((pc) => pc.close());
    await wait(4);
  }
};

(async () => {
  const seconds = Number(asked.get("seconds") || 12);
  if (life.startsWith("calls")) return placeTwo();
  const calls = [await place()];
  if (life === "two") calls.push(await place());
  await wait(seconds / 2);
  if (life === "restart") {
    calls[0][0].restartIce();
    await connect(...calls[0]);
  }
  await wait(seconds / 2);
  if (life === "reload" && !asked.has("again")) return location.replace(location.href + "&again=1");
  if (life === "stay") return;
  calls.flat().forEach((pc) => pc.close());
  await wait(1);
  if (asked.has("done")) location.replace("about:blank");
})();
