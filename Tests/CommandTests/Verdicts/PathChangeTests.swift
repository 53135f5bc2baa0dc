import Foundation
import Testing

@Suite("The ways that packets took")
struct PathChangeTests {
  /// A poll of a second, whose packets go by Wi-Fi or by mobile; `both`: one way each for sound and picture.
  private static func poll(_ second: Int, _ way: String) -> String {
    let time = 1_700_000_000_000 + second * 1000
    let pairs = way == "both" ? ["wifi", "cellular"] : [way]
    let transports = pairs.map { name in
      #"{"id":"T\#(name)","type":"transport","timestamp":\#(time),"selectedCandidatePairId":"P\#(name)"},"#
        + #"{"id":"P\#(name)","type":"candidate-pair","timestamp":\#(time),"localCandidateId":"L\#(name)","remoteCandidateId":"R","state":"succeeded","nominated":true,"currentRoundTripTime":0.03},"#
        + #"{"id":"L\#(name)","type":"local-candidate","timestamp":\#(time),"candidateType":"host","networkType":"\#(name)","address":"\#(name == "wifi" ? "192.0.2.1" : "198.51.100.1")","port":5000,"protocol":"udp"},"#
    }
    return #"{"timestamp":\#(time),"stats":[\#(transports.joined())"#
      + #"{"id":"R","type":"remote-candidate","timestamp":\#(time),"candidateType":"host","address":"203.0.113.9","port":6000,"protocol":"udp"},"#
      + #"{"id":"in","type":"inbound-rtp","kind":"audio","ssrc":77777777,"timestamp":\#(time),"packetsReceived":\#(second * 50),"packetsLost":0}]}"#
      + "\n"
  }

  @Test(
    "coming back to an earlier way is a change; two ways at once are none",
    arguments: [
      (["wifi", "cellular", "wifi"], "changed path 2 times"), (["wifi", "cellular"], "changed path once"),
    ])
  func changes(ways: [String], said: String) throws {
    let folder = try TemporaryFolder()
    let polls = ways.enumerated().flatMap { part, way in
      (0..<10).map { Self.poll(part * 10 + $0, way) }
    }
    let file = try folder.file("stats.jsonl", polls.joined())
    let shown = try Tool.run("show", file, environment: ["COLUMNS": "200"]).output
    #expect(shown.contains(said), "\(shown)")
  }

  @Test("two connections of one end at once, one to send and one to receive, are no change")
  func connections() throws {
    let folder = try TemporaryFolder()
    let polls = (0..<20).flatMap { second in
      [("publisher", "wifi"), ("subscriber", "cellular")].map { name, way in
        #"{"pc":"\#(name)","call":"one","endpoint":"alice","# + Self.poll(second, way).dropFirst()
      }
    }
    let file = try folder.file("stats.jsonl", polls.joined())
    let shown = try Tool.run("show", file, environment: ["COLUMNS": "200"]).output
    #expect(shown.contains("alice") && shown.contains("wifi") || shown.contains("cellular"), "\(shown)")
    #expect(!shown.contains("changed"), "\(shown)")
  }

  @Test("two ways at once take turns, and neither is a change")
  func together() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("stats.jsonl", (0..<20).map { Self.poll($0, "both") }.joined())
    let shown = try Tool.run("show", file, environment: ["COLUMNS": "200"]).output
    #expect(!shown.contains("times"), "\(shown)")
  }
}
