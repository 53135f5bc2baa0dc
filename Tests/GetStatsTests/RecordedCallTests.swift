import CallModel
import Foundation
import IO
import SharedRecordings
import Testing

@Suite(
  "The recorded calls, from their run logs",
  .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)))
struct RecordedCallTests {
  @Test(
    "final counters are those of the last snapshot",
    arguments: SharedRecordings.files("calls", endingIn: ".stats.jsonl.gz"))
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
    arguments: SharedRecordings.files("other-stacks", endingIn: ".stats.jsonl.gz"))
  func otherStacks(file: String) throws {
    let sink = try readSource(try InputFile(path: file))
    #expect(sink.streams(.inbound).contains { ($0.last(.packets) ?? 0) > 100 })
    #expect(
      sink.streams(.inbound).allSatisfy { ($0.last(.jitterMs) ?? 0) < 100 }, "jitter is in milliseconds")
    #expect(sink.streams(.outbound).contains { $0.series(.rttMs).contains { $0 != nil } })
  }
}

@Suite(
  "The recorded calls, from what the browser itself wrote",
  .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)))
struct BrowserDumpTests {
  private static let calls = SharedRecordings.files("calls", endingIn: "webrtc_internals_dump.txt.gz")

  @Test("all 549 short series: in place, or known by their ends only")
  func shortSeries() throws {
    var exact = 0
    var endsOnly = 0
    for file in Self.calls {
      let sink = try readSource(try InputFile(path: file))
      exact += sink.notes["short series placed by its first and last time"] ?? 0
      endsOnly += sink.notes["series with holes: only its first and last value placed, the rest unknown"] ?? 0
      #expect(sink.rejects.isEmpty)
      #expect(sink.notes.keys.filter { $0.hasPrefix("unknown") } == [], "\(file)")
    }
    #expect(exact == 477)
    #expect(endsOnly == 72)
  }

  @Test(
    "both dumps hold the same streams as the run logs, and final counters between the last samples",
    arguments: calls)
  func agree(file: String) throws {
    let folder = String(file.prefix { $0 != "\0" }.dropLast("webrtc_internals_dump.txt.gz".count))
    let logs = try ["caller", "callee"].map {
      try readSource(try InputFile(path: "\(folder)\($0).stats.jsonl.gz"))
    }
    for dump in ["webrtc_internals_dump.txt.gz", "rtcstats_dump.txt.gz"] {
      let sink = try readSource(try InputFile(path: folder + dump))
      #expect(sink.connections.count == 2)
      for stream in sink.streams.values where (stream.last(.packets) ?? 0) > 0 {
        let other = logs.flatMap { Array($0.streams.values) }
          .first { $0.facts.ssrc == stream.facts.ssrc && $0.facts.direction == stream.facts.direction }
        let log = try #require(other)
        #expect(stream.facts.codec == log.facts.codec)
        #expect(stream.facts.kind == log.facts.kind)
        // The dump's last sample lies between two of the log's, or after the last.
        let end = try #require(stream.times.last)
        let before = log.samples.last { $0.timeMs <= end }?[.packets] ?? 0
        let after = log.samples.first { $0.timeMs >= end }?[.packets] ?? .infinity
        let packets = try #require(stream.samples.last?[.packets])
        #expect(packets >= before && packets <= after)
      }
    }
  }
}
