import CallModel
import Testing

@Suite("PeerConnection events are recognised in all spellings")
struct W3CEventsTests {
  private func names(_ raw: String, _ value: String = "") -> [String] {
    W3CEvents.meanings(of: raw, value: value).map(\.event)
  }

  @Test(
    "the ICE state, by era",
    arguments: [
      ("iceConnectionStateChange", "checking"), ("iceconnectionstatechange", "checking"),
      ("oniceconnectionstatechange", "\"checking\""),
      ("iceconnectionstatechange", "{\"value\":\"checking\"}"),
      ("iceconnectionstatechange", "{\"pc\":\"a\", \"value\": \"checking\"}"),
    ])
  func iceState(raw: String, value: String) {
    #expect(names(raw, value) == ["ice.checking"])
  }

  @Test("completed is connected, with the state beside it")
  func completed() {
    let meaning = W3CEvents.meanings(of: "oniceconnectionstatechange", value: "\"completed\"")
    #expect(meaning.first?.event == "ice.connected")
    #expect(meaning.first?.facts.first?.value == "completed")
  }

  @Test("a connected connection has finished DTLS and established the call")
  func connected() {
    #expect(names("connectionstatechange", "connected") == ["dtls.connected", "call.established"])
    #expect(names("onconnectionstatechange", "\"connecting\"") == ["ice.connecting"])
    #expect(names("onconnectionstatechange", "\"failed\"") == ["call.failed"])
  }

  @Test("an answer is received when it is applied; an offer is not an answer")
  func remoteDescription() {
    #expect(names("setRemoteDescription", #"{"type":"answer","sdp":"v=0\r\n"}"#) == ["sdp.answer-received"])
    #expect(names("setRemoteDescription", #"{"sdp":"v=0\r\n","type": "answer"}"#) == ["sdp.answer-received"])
    #expect(names("setRemoteDescription", "type: offer, sdp: v=0") == ["sdp.offer-received"])
    #expect(names("setRemoteDescription", "") == ["sdp.remote-setting"])
    #expect(names("setRemoteDescriptionOnSuccess", "null") == ["sdp.remote-set"])
    #expect(names("createOfferOnSuccess", "type: offer, sdp: v=0") == ["sdp.offer-created"])
  }

  @Test("candidates with their type, and the empty one at the end")
  func candidates() {
    let json =
      #"{"sdpMid":"0","candidate":"candidate:1 1 udp 2122194687 192.0.2.2 47527 typ srflx raddr 0.0.0.0"}"#
    let meaning = W3CEvents.meanings(of: "onicecandidate", value: json)
    #expect(meaning.map(\.event) == ["ice.candidate"])
    #expect(meaning.first?.facts.map(\.value) == ["srflx", "udp"])
    let old =
      "sdpMid: 0, sdpMLineIndex: 0, candidate: candidate:2 1 tcp 1518214911 192.0.2.2 9 typ host tcptype active"
    #expect(
      W3CEvents.meanings(of: "onIceCandidate", value: old).first?.facts.map(\.value) == ["host", "tcp"])
    #expect(names("icecandidate", #"{"candidate":null}"#) == ["ice.candidates-end"])
    #expect(names("onicecandidate", "null") == ["ice.candidates-end"])
    #expect(names("addIceCandidate", json) == ["ice.remote-candidate"])
  }

  @Test("capture, media and end events, with or without On")
  func media() {
    #expect(names("navigator.mediaDevices.getUserMedia", "{}") == ["media.local-requested"])
    #expect(names("getUserMediaSuccess") == ["media.local-acquired"])
    #expect(names("navigator.mediaDevices.getUserMediaOnSuccess") == ["media.local-acquired"])
    #expect(names("getUserMediaOnFailure") == ["media.local-failed"])
    #expect(names("trackunmute", #"{"kind":"audio"}"#) == ["media.first-packet"])
    #expect(
      W3CEvents.meanings(of: "ontrack", value: "video:4bed stream:1").first?.facts.first?.value == "video")
    #expect(
      W3CEvents.meanings(of: "ontrack", value: #"["audio","6e7d"]"#).first?.facts.first?.value == "audio")
    #expect(names("ondtlsstatechange", "connecting") == ["dtls.started"])
    #expect(names("hangup") == ["call.ended"])
    #expect(names("close", "null") == ["call.ended"])
  }

  @Test("a name that is not W3C's has no meaning")
  func strangers() {
    #expect(names("dominantSpeaker", "{}").isEmpty)
    #expect(names("on", "").isEmpty)
    #expect(names("", "").isEmpty)
  }
}
