import Bytes
import CallModel
import Foundation
import Testing

@testable import GetStats

@Suite(
  "The recorded calls, from their run logs",
  .enabled(if: SharedFolder.isThere, "needs the recordings beside the checkout (../shared)"))
struct RecordedCallTests {
  @Test(
    "final counters are those of the last snapshot",
    arguments: SharedFolder.files("calls", endingIn: ".stats.jsonl.gz"))
  func finalCounters(file: String) throws {
    let sink = try readSource(try InputFile(path: file))
    #expect(sink.rejects.isEmpty)
    #expect(sink.notes.isEmpty, "\(sink.notes)")
    var last: [Double: [String: Any]] = [:]
    let text = String(decoding: try allBytes(of: InputFile(path: file)), as: UTF8.self)
    for line in text.split(separator: "\n") {
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      for case let report as [String: Any] in try #require(object["report"] as? [String: Any]).values
      where report["type"] as? String == "inbound-rtp" || report["type"] as? String == "outbound-rtp" {
        if let ssrc = report["ssrc"] as? Double { last[ssrc] = report }
      }
    }
    #expect(sink.streams.count == last.count)
    for stream in sink.streams.values {
      let report = try #require(last[Double(stream.facts.ssrc ?? 0)])
      for (metric, members) in [
        (Metric.packets, ["packetsReceived", "packetsSent"]), (.bytes, ["bytesReceived", "bytesSent"]),
        (.concealedSamples, ["concealedSamples"]), (.freezeCount, ["freezeCount"]), (.nack, ["nackCount"]),
        (.frames, ["framesDecoded", "framesEncoded"]),
      ] {
        #expect(stream.last(metric) == members.lazy.compactMap { report[$0] as? Double }.first, "\(metric)")
      }
      if stream.facts.direction == .inbound {
        #expect(stream.last(.lost) == report["packetsLost"] as? Double)
      }
      #expect(stream.times == stream.times.sorted())
      #expect(stream.facts.codec != nil || stream.last(.packets) == 0)
    }
  }

  @Test(
    "other stacks: Firefox and aiortc",
    arguments: SharedFolder.files("other-stacks", endingIn: ".stats.jsonl.gz"))
  func otherStacks(file: String) throws {
    let sink = try readSource(try InputFile(path: file))
    #expect(sink.streams(.inbound).contains { ($0.last(.packets) ?? 0) > 100 })
    #expect(
      sink.streams(.inbound).allSatisfy { ($0.last(.jitterMs) ?? 0) < 100 }, "jitter is in milliseconds")
    #expect(sink.streams(.outbound).contains { $0.series(.rttMs).contains { $0 != nil } })
  }
}
