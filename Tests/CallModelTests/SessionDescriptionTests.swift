import CallModel
import Testing

@Suite("Identities and media of SDP")
struct SessionDescriptionTests {
  private let lines = [
    "v=0", "o=- 1 2 IN IP4 127.0.0.1", "m=audio 9 UDP/TLS/RTP/SAVPF 111", "b=AS:64", "b=TIAS:64000",
    "a=ice-ufrag:ns1/",
    "a=ice-pwd:secret", "a=fingerprint:sha-256 ab:cd:0F", "a=ssrc:4294967295 cname:x",
    "a=ssrc:4294967295 msid:y",
    "m=video 0 UDP/TLS/RTP/SAVPF 96", "a=ice-ufrag:ns1/",
  ]

  @Test("with real line ends, and with the escapes of JSON", arguments: ["\r\n", "\n", "\\r\\n", "\r"])
  func lineEnds(end: String) {
    let found = SessionDescription(lines.joined(separator: end))
    #expect(found.ufrags == ["ns1/"])
    #expect(found.fingerprints == ["AB:CD:0F"])
    #expect(found.ssrcs == [.max])
    #expect(found.sections.map(\.kind) == [.audio], "a refused section carries nothing")
    #expect(found.bandwidths.map(\.kbps) == [nil, 64, nil])
    #expect(found.bandwidths.map(\.bps) == [nil, 64000, nil])
  }

  @Test("identities of this end are local, those of the far end remote; the password is none")
  func sides() {
    let local = SessionDescription(lines.joined(separator: "\n")).identities(local: true)
    #expect(local.contains(.init(.ufragLocal, "ns1/")))
    #expect(local.contains(.init(.ssrcOut, "4294967295")))
    let remote = SessionDescription("{\"sdp\":\"v=0\\r\\na=ice-ufrag:q\\/r\\r\\n\"}").identities(local: false)
    #expect(remote == [.init(.ufragRemote, "q/r")])
    #expect(!local.contains { $0.value.contains("secret") })
  }

  @Test("bandwidths are compared within a section that has both")
  func bandwidths() {
    let text = [
      "v=0", "b=AS:0", "b=TIAS:9", "m=audio 9 RTP/AVP 0", "b=AS:64", "m=video 9 RTP/AVP 96", "b=TIAS:2000000",
      "m=video 9 RTP/AVP 97", "b=AS:500", "b=TIAS:500",
    ]
    let found = SessionDescription(text.joined(separator: "\n"))
    #expect(found.bandwidths.map(\.bpsShare) == [nil, nil, nil, 0.001])
  }

  @Test("media direction: of the section, else of the session, else both")
  func flows() {
    let text = [
      "v=0", "a=recvonly", "m=audio 9 RTP/AVP 0", "m=video 9 RTP/AVP 96", "a=sendonly",
      "m=video 0 RTP/AVP 97",
      "a=inactive", "m=audio 9 RTP/AVP 8", "a=sendrecv ",
    ]
    let flows = SessionDescription(text.joined(separator: "\r\n")).sections.map(\.flow)
    #expect(flows.map(\.sends) == [false, true, true])
    #expect(flows.map(\.receives) == [true, false, true])
    let plain = SessionDescription("v=0\nm=audio 9 RTP/AVP 0\n").sections.map(\.flow)
    #expect(plain.map(\.sends) == [true] && plain.map(\.receives) == [true])
  }
}
