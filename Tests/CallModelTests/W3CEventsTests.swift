import CallModel
import Testing

@Suite("PeerConnection events are recognised in all spellings")
struct W3CEventsTests {
  private func names(_ raw: String, _ value: String = "") -> [EventName] {
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
    #expect(names(raw, value) == [.iceChecking])
  }

  @Test("completed is connected, with the state beside it")
  func completed() {
    let meaning = W3CEvents.meanings(of: "oniceconnectionstatechange", value: "\"completed\"")
    #expect(meaning.first?.event == .iceConnected)
    #expect(meaning.first?.facts.first?.value == "completed")
  }

  @Test("a connected connection has finished DTLS and established the call")
  func connected() {
    #expect(names("connectionstatechange", "connected") == [.dtlsConnected, .callEstablished])
    #expect(names("onconnectionstatechange", "\"connecting\"") == [.iceConnecting])
    #expect(names("onconnectionstatechange", "\"failed\"") == [.callFailed])
  }

  @Test("an answer is received when it is applied; an offer is not an answer")
  func remoteDescription() {
    #expect(names("setRemoteDescription", #"{"type":"answer","sdp":"v=0\r\n"}"#) == [.sdpAnswerReceived])
    #expect(names("setRemoteDescription", #"{"sdp":"v=0\r\n","type": "answer"}"#) == [.sdpAnswerReceived])
    #expect(names("setRemoteDescription", "type: offer, sdp: v=0") == [.sdpOfferReceived])
    #expect(names("setRemoteDescription", "") == [.sdpRemoteSetting])
    #expect(names("setRemoteDescriptionOnSuccess", "null") == [.sdpRemoteSet])
    #expect(names("createOfferOnSuccess", "type: offer, sdp: v=0") == [.sdpOfferCreated])
  }

  @Test("candidates with their type, and the empty one at the end")
  func candidates() {
    let json =
      #"{"sdpMid":"0","candidate":"candidate:1 1 udp 2122194687 192.0.2.2 47527 typ srflx raddr 0.0.0.0"}"#
    let meaning = W3CEvents.meanings(of: "onicecandidate", value: json)
    #expect(meaning.map(\.event) == [.iceCandidate])
    #expect(meaning.first?.facts.map(\.value) == ["srflx", "udp"])
    let old =
      "sdpMid: 0, sdpMLineIndex: 0, candidate: candidate:2 1 tcp 1518214911 192.0.2.2 9 typ host tcptype active"
    #expect(
      W3CEvents.meanings(of: "onIceCandidate", value: old).first?.facts.map(\.value) == ["host", "tcp"])
    #expect(names("icecandidate", #"{"candidate":null}"#) == [.iceCandidatesEnd])
    #expect(names("onicecandidate", "null") == [.iceCandidatesEnd])
    #expect(names("addIceCandidate", json) == [.iceRemoteCandidate])
  }

  @Test("capture, media and end events, with or without On")
  func media() {
    #expect(names("navigator.mediaDevices.getUserMedia", "{}") == [.mediaLocalRequested])
    #expect(names("getUserMediaSuccess") == [.mediaLocalAcquired])
    #expect(names("navigator.mediaDevices.getUserMediaOnSuccess") == [.mediaLocalAcquired])
    #expect(names("getUserMediaOnFailure") == [.mediaLocalFailed])
    #expect(names("trackunmute", #"{"kind":"audio"}"#) == [.mediaFirstPacket])
    #expect(
      W3CEvents.meanings(of: "ontrack", value: "video:4bed stream:1").first?.facts.first?.value == "video")
    #expect(
      W3CEvents.meanings(of: "ontrack", value: #"["audio","6e7d"]"#).first?.facts.first?.value == "audio")
    #expect(names("ondtlsstatechange", "connecting") == [.dtlsStarted])
    #expect(names("hangup") == [.callEnded])
    #expect(names("close", "null") == [.callEnded])
  }

  @Test("a name that is not W3C's has no meaning")
  func strangers() {
    #expect(names("dominantSpeaker", "{}").isEmpty)
    #expect(names("on", "").isEmpty)
    #expect(names("", "").isEmpty)
  }
}
