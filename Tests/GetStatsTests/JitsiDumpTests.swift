import CallModel
import Foundation
import IO
import SharedRecordings
import Testing

@Suite(
  "Jitsi's dumps give what Jitsi's own extractor made of them",
  .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)))
struct JitsiDumpTests {
  private static let folder = "dumps/mit/jitsi-rtcstats-server"

  /// Dumps with totals of reception that were counted from inbound reports.
  static let withTotals: [String] = SharedRecordings.files("\(folder)/expected", endingIn: ".json").compactMap
  {
    file in
    let name = (file as NSString).lastPathComponent.replacing("-result.json", with: "").replacing(
      ".json", with: "")
    // Its reference counts what the far end received (remote-inbound) as reception.
    return name == "firefox-standard-stats-sfu" ? nil : name
  }

  @Test("packets received and lost per connection", arguments: withTotals)
  func totals(name: String) throws {
    let file = try #require(SharedRecordings.files("\(Self.folder)/dumps").first { $0.hasSuffix("/\(name)") })
    let sink = try readSource(try InputFile(path: file))
    for (connection, expected) in try expectations(name) {
      let streams = sink.streams(of: connection, .inbound)
      let packets = streams.reduce(0) { $0 + ($1.last(.packets) ?? 0) }
      let lost = streams.reduce(0) { $0 + ($1.last(.lost) ?? 0) }
      #expect([packets, lost] == expected, "\(connection)")
    }
  }

  /// Packets received and lost by connection, where the reference states them.
  private func expectations(_ name: String) throws -> [String: [Double]] {
    let files = SharedRecordings.files("\(Self.folder)/expected").filter { $0.contains("/\(name)") }
    let json = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(fileURLWithPath: try #require(files.first))))
    var found: [String: [Double]] = [:]
    for case let entry as [String: Any] in try #require(json as? [Any]) {
      let features = entry["features"] as? [String: Any] ?? entry
      for (connection, value) in features["aggregates"] as? [String: [String: Any]] ?? [:] {
        let totals = value["trackAggregates"] as? [String: Any]
        if let packets = totals?["totalPacketsReceived"] as? Double,
          let lost = totals?["totalReceivedPacketsLost"] as? Double
        {
          found[connection] = [packets, lost]
        }
      }
    }
    return found
  }

  @Test("every dump is read, or refused by name", arguments: SharedRecordings.files("\(folder)/dumps"))
  func all(file: String) throws {
    if file.hasSuffix("jvb-sample") || file.hasSuffix("jigasi-sample") {
      let error = #expect(throws: SourceError.self) { _ = try readSource(try InputFile(path: file)) }
      #expect(error?.code == .unsupported)
      return
    }
    let sink = try readSource(try InputFile(path: file))
    #expect(sink.rejects.isEmpty)
    #expect(sink.streams.values.contains { !$0.samples.isEmpty })
    let isSparse = file.hasSuffix("google-legacy-screenshare-p2p")
    #expect(sink.notes.keys.contains { $0.hasPrefix(isSparse ? "deltas: sparse" : "deltas: dense") })
    #expect(sink.events.contains { $0.record.event == .iceConnected })
    #expect(sink.notes.keys.filter { $0.hasPrefix("unknown") } == [])
  }
}
