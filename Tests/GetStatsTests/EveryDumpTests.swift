import Bytes
import CallModel
import Foundation
import IO
import SharedRecordings
import Testing

@testable import GetStats

@Suite(
  "Every dump at hand is read under its name, or refused by name",
  .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)))
struct EveryDumpTests {
  /// What a file of the folder of dumps is, nil for what is not for this room.
  private func expected(_ file: String) -> SourceFormat? {
    let name = (file as NSString).lastPathComponent
    if file.contains("jitsi-rtcstats-server/dumps/") { return .jitsiRtcstats }
    if file.contains("/twilio-voice.js/") || name.hasPrefix("mock-spec") { return .getstatsJSON }
    switch name {
    case "clienttest-v0.json": return .rtcstatsV0
    case "internals-gumonly.gz": return .webrtcInternals
    case "rtcstats-v3-gumonly.jsonl": return .rtcstatsV3
    case "stuck-decoder.jsonl": return .getstatsLines
    default: return nil
    }
  }

  @Test("recognised", arguments: SharedRecordings.files("dumps"))
  func recognition(file: String) throws {
    let head = HeadedSource(try InputFile(path: file)).head
    let refused = ["jvb-sample", "jigasi-sample", "stream.golden.json"].contains { file.hasSuffix($0) }
    do {
      let format = try head.withUnsafeBufferPointer { try GetStatsReader.recognise($0, name: file) }
      #expect(!refused)
      #expect(format == expected(file))
    } catch let error as SourceError {
      #expect(refused && error.code == .unsupported)
    }
  }

  @Test(
    "single snapshots: every stream, its codec and its far end",
    arguments: SharedRecordings.files("dumps/apache-2.0/twilio-voice.js")
      + SharedRecordings.files("dumps/mit/genesys-webrtc-stats-gatherer").filter { !$0.contains("sdp") })
  func snapshots(file: String) throws {
    let sink = try readSource(try InputFile(path: file))
    #expect(sink.notes.isEmpty, "\(sink.notes)")
    #expect(sink.streams.values.allSatisfy { $0.samples.count == 1 && $0.last(.packets) != nil })
    if file.contains("pre-ice") || file.contains("mock-spec-stats-3") { return }
    #expect(!sink.streams.isEmpty)
    #expect(sink.transports[0]?.isEmpty == false)
  }

  @Test("the oldest rtcstats dump: two ends, goog statistics, calls and events")
  func versionZero() throws {
    let file = try #require(SharedRecordings.files("dumps").first { $0.hasSuffix("clienttest-v0.json") })
    let sink = try readSource(try InputFile(path: file))
    #expect(sink.connections.values.compactMap(\.name).sorted() == ["PC_0", "PC_1"])
    #expect(sink.connections.values.allSatisfy { $0.userAgent?.contains("Chrome/48") == true })
    #expect(sink.streams(of: "PC_1", .inbound).count == 2)
    #expect(sink.streams(of: "PC_0", .outbound).count == 2)
    #expect(
      sink.streams.values.allSatisfy { $0.facts.codec != nil && $0.facts.kind != nil && $0.samples.count > 2 }
    )
    #expect(sink.streams(of: "PC_1", .inbound, .audio).first?.last(.jitterBufferMs) != nil)
    #expect(sink.eventNames.filter { $0 == .callCreated }.count == 2)
    #expect(sink.eventNames.contains(.mediaLocalAcquired))
    #expect(sink.notes.keys.filter { $0.hasPrefix("unknown") } == [])
  }
}
