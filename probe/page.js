// The probe's own page: one end of a call of sound and picture. Messages between both ends go through the probe.
(() => {
  "use strict";
  const tell = (kind, body) => globalThis.callqaProbe(JSON.stringify({ kind, ...body }));
  const happened = (event, args) => tell("event", { ts: Date.now(), event, args });
  const signal = (message) => tell("signal", { message });
  let connection, isOver = false;
  const early = [];

  const open = async (video) => {
    connection = new RTCPeerConnection();
    connection.addEventListener("icecandidate", ({ candidate }) => signal({ candidate: candidate && candidate.toJSON() }));
    connection.addEventListener("connectionstatechange", () => {
      if (connection.connectionState === "failed") isOver = true;
    });
    connection.addEventListener("track", ({ track, streams }) => {
      const player = document.createElement(track.kind);
      player.autoplay = true;
      player.srcObject = streams[0] || new MediaStream([track]);
      document.body.append(player);
    });
    const media = await navigator.mediaDevices.getUserMedia({ audio: true, video: video && { width: 640, height: 360 } });
    media.getTracks().forEach((track) => connection.addTrack(track, media));
  };
  const hearEarly = async () => {
    while (early.length) await connection.addIceCandidate(early.shift());
  };

  globalThis.callqaProbePage = {
    async place(video) {
      happened("call.dialing");
      await open(video);
      await connection.setLocalDescription(await connection.createOffer());
      signal({ description: connection.localDescription, video });
    },
    async hear({ description, candidate, video, event }) {
      if (event) return happened(event);
      if (description?.type === "offer") {
        happened("call.incoming");
        signal({ event: "call.ringing" });
        await open(video);
        await connection.setRemoteDescription(description);
        await hearEarly();
        await connection.setLocalDescription(await connection.createAnswer());
        happened("call.answered");
        signal({ description: connection.localDescription });
      } else if (description) {
        await connection.setRemoteDescription(description);
        await hearEarly();
      } else if (candidate) {
        // Candidates may come before the description that they belong to.
        if (connection && connection.remoteDescription) await connection.addIceCandidate(candidate);
        else early.push(candidate);
      }
    },
    hangUp() {
      if (!isOver) happened("call.ended");
      isOver = true;
      connection.close();
    },
  };
})();
