import Foundation
import Testing

@Suite("A clock that counts milliseconds since a machine was switched on gives no date, and right steps")
struct MonotonicClockTests {
  /// Polls of mediasoup, a second apart, from that instant of its clock on.
  private static func polls(from start: Int, step: Int = 1000, count: Int = 3) -> String {
    let reports: [String] = (0..<count).map { (poll: Int) -> String in
      let (time, packets) = (start + step * poll, 50 * (poll + 1))
      return
        #"[{"type":"inbound-rtp","timestamp":\#(time),"ssrc":294377218,"kind":"audio","mimeType":"audio/opus","packetsLost":0,"jitter":100,"packetCount":\#(packets),"byteCount":\#(100 * packets),"score":10}]"#
    }
    return "[" + reports.joined(separator: ",") + "]"
  }

  private func calls(_ files: [(String, String)]) throws -> (calls: [[String: Any]], notes: String) {
    let folder = try TemporaryFolder()
    let paths = try files.map { try folder.file($0.0, $0.1) }
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let imported = try Tool.run(["import"] + paths + ["--json", "--db", database])
    return (try Tool.run("streams", "--json", "--db", database).objects(), imported.output)
  }

  /// What may be seconds of 2078 or of 2015 as well.
  @Test("the year is not one that is yet to come", arguments: [3_437_881_941, 1_437_881_941])
  func dated(start: Int) throws {
    let (streams, notes) = try calls([("stats.json", Self.polls(from: start))])
    let stream = try #require(streams.first)
    #expect(stream["first_ms"] as? Double == Double(start), "milliseconds, whatever they count from")
    #expect(stream["last_ms"] as? Double == Double(start) + 2000)
    #expect(notes.contains("when they were made is not known"))
  }

  @Test("a poll alone is not of a year that is yet to come either")
  func alone() throws {
    let stream = try #require(try calls([("a.json", Self.polls(from: 3_437_881_941, count: 1))]).calls.first)
    #expect(stream["first_ms"] as? Double == 3_437_881_941)
  }

  @Test("two files a minute apart stay a minute apart")
  func apart() throws {
    let (streams, _) = try calls([
      ("a.json", Self.polls(from: 3_437_881_941)), ("b.json", Self.polls(from: 3_437_941_941)),
    ])
    let starts = streams.compactMap { $0["first_ms"] as? Double }.sorted()
    #expect(starts.count == 2 && starts[1] - starts[0] == 60_000, "\(starts)")
  }

  @Test("seconds since 1970 have their date")
  func seconds() throws {
    let (streams, notes) = try calls([("a.json", Self.polls(from: 1_758_614_186, step: 1, count: 8))])
    #expect(streams.first?["first_ms"] as? Double == 1_758_614_186_000)
    #expect(!notes.contains("is not known"))
  }
}
