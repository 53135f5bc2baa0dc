import Testing

@testable import CallModel

@Suite("Private addresses, and the text of a candidate error")
struct PrivateAddressTests {
  @Test(
    "ranges by their edges, and names are no addresses",
    arguments: [
      ("10.0.0.1", true), ("172.15.255.255", false), ("172.16.0.1", true), ("172.32.0.0", false),
      ("192.168.1.1", true), ("192.169.0.1", false), ("100.64.0.1", true), ("100.128.0.1", false),
      ("169.254.3.4", true), ("127.0.0.1", true), ("8.8.8.8", false), ("fd00::1", true), ("fe80::1", true),
      ("2001:db8::1", false), ("::1", true), ("::ffff:10.0.0.1", true), ("[fd12::2]", true),
      ("a1b2.local", nil), ("300.1.1.1", nil), ("1.2.3", nil), ("", nil), ("a:b", nil),
    ] as [(String, Bool?)])
  func ranges(text: String, isPrivate: Bool?) { #expect(PrivateAddress.isPrivate(text) == isPrivate) }

  @Test("JSON, and text without members, gives none")
  func notInText() {
    #expect(CandidateErrorText.facts(of: #"{"errorCode":701}"#).isEmpty)
    #expect(CandidateErrorText.facts(of: "no error at all").isEmpty)
    #expect(CandidateErrorText.facts(of: String(repeating: "url: a\n", count: 5000)).isEmpty)
    #expect(CandidateErrorText.facts(of: "url: stun:a\nurl: stun:b").map(\.value) == ["stun:a"])
  }

  @Test("figures of several connections of an end add up, and one public address is enough")
  func figures() {
    func checks(_ args: String) -> EventRecord {
      EventRecord(timeMs: 1, event: ConnectivityFigures.event, raw: "candidate-pair", args: args)
    }
    let events = [
      checks(#"{"pairs":1,"requests_sent":4,"responses_received":0,"remote_private":true}"#),
      checks(#"{"pairs":2,"requests_sent":6,"responses_received":0,"requests_received":2}"#),
    ]
    #expect(events.connectivity.checks == "none of 10 checks was answered, though 2 of the far end's came")
    #expect(events.connectivity.farEnd == "the far end named only private addresses")
    let candidate = EventRecord(
      timeMs: 1, event: .iceRemoteCandidate, raw: "addIceCandidate",
      args: #"{"candidate":"candidate:1 1 udp 2 198.51.100.7 9 typ srflx","candidate_type":"srflx"}"#)
    #expect((events + [candidate]).connectivity.farEnd == nil)
    #expect([EventRecord]().connectivity == ConnectivityFigures())
  }
}
