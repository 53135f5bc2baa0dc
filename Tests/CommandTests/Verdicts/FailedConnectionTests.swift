import Foundation
import Testing

@Suite("A connection that never came up is explained by its figures")
struct FailedConnectionTests {
  /// A dump of webrtc-internals as Chrome 86 wrote it, with an error of the TURN server in its own text.
  private static func dump(_ error: String, remote: String = "192.0.2.9", answered: Int = 0) -> String {
    func series(_ name: String, _ value: String) -> String {
      let values = Array(repeating: value, count: 5).joined(separator: ", ")
      return
        #""\#(name)":{"startTime":"2020-10-30T20:50:25.535Z","endTime":"2020-10-30T20:50:29.536Z","values":"[\#(values)]"}"#
    }
    func text(_ word: String) -> String { "\\\"\(word)\\\"" }
    let stats = [
      series("Conn-0-1-0-googActiveConnection", "false"), series("Conn-0-1-0-bytesReceived", "0"),
      series("Conn-0-1-0-requestsSent", "10"), series("Conn-0-1-0-responsesReceived", "\(answered)"),
      series("Conn-0-1-0-localCandidateId", text("Cand-a")),
      series("Conn-0-1-0-remoteCandidateId", text("Cand-b")),
      series("Cand-b-ipAddress", text(remote)), series("Cand-b-portNumber", text("5000")),
      series("Cand-b-candidateType", text("local")),
    ]
    func entry(_ second: Int, _ type: String, _ value: String) -> String {
      #"{"time":"10/30/2020, 1:50:\#(second) PM","type":"\#(type)","value":"\#(value)"}"#
    }
    let log = [
      entry(24, "setLocalDescription", "type: offer, sdp: v=0"),
      entry(
        24, "icecandidate", "sdpMid: 0, candidate: candidate:1 1 udp 2122260223 192.0.2.5 50001 typ host"),
      entry(25, "icecandidateerror", error),
      entry(25, "setRemoteDescription", "type: answer, sdp: v=0"),
      entry(25, "iceconnectionstatechange", "checking"), entry(45, "iceconnectionstatechange", "failed"),
      entry(45, "connectionstatechange", "failed"),
    ]
    return
      #"{"getUserMedia":[],"PeerConnections":{"4-1":{"pid":4,"url":"https://app.example/","stats":{\#(stats.joined(separator: ","))},"updateLog":[\#(log.joined(separator: ","))]}},"UserAgent":"Chrome/86.0"}"#
  }

  private func shown(_ text: String, _ words: String...) throws -> String {
    let folder = try TemporaryFolder()
    let file = try folder.file("dump.txt", text)
    let result = try Tool.run(["show", file, "--tz", "UTC"] + words)
    #expect(result.status == 0, "\(result.errors)")
    return result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static let parts = [
    "url: turn:turn-a.example.com:443?transport=udp", "address: 192.0.2.x", "port: 50001",
    "host_candidate: 192.0.2.x:50001", "error_text: Unauthorized, wrong realm", "error_code: 401",
  ]

  @Test("a server's refusal is read from the text of webrtc-internals", arguments: ["\\n", ", ", "\\r\\n"])
  func refused(separator: String) throws {
    let text = try shown(Self.dump(Self.parts.joined(separator: separator)), "--events")
    #expect(
      text.contains(
        "the TURN server turn:turn-a.example.com:443?transport=udp refused (401 Unauthorized, wrong realm)"))
    #expect(text.contains("error: turn-failed"))
  }

  @Test("a server that was not reached is no refusal")
  func unreachable() throws {
    let error =
      "url: turns:turn-b.example.com:443\\nerror_text: TURN host lookup received error.\\nerror_code: 701"
    #expect(try shown(Self.dump(error)).contains("turns:turn-b.example.com:443 was not reached (701 "))
  }

  @Test("checks that nobody answered are counted, and where they went is reported if that explains it")
  func counted() throws {
    let error = Self.parts.joined(separator: "\\n")
    let dead = try shown(Self.dump(error))
    #expect(
      dead.contains("None of 10 checks was answered.") || dead.contains("none of 10 checks was answered."))
    #expect(!dead.contains("private"))
    let near = try shown(Self.dump(error, remote: "10.1.2.3"))
    #expect(near.contains("none of 10 checks was answered, and the far end named only private addresses."))
    #expect(try shown(Self.dump(error, answered: 3)).contains("3 of 10 checks were answered."))
  }
}
