import CallModel
import CallStore

@testable import Assessing

/// A minute of a call as the statistics of its ends count it, second by second.
struct MinuteOfCall {
  static let startMs = 1_000_000_000.0

  /// A stream of statistics: packets by the second, and others of its counters.
  struct Counted {
    var direction: StreamDirection
    var kind = MediaKind.audio
    var packets: (Double) -> Double
    var more: (Double, inout Sample) -> Void = { _, _ in }
    /// From and to which second it is reported.
    var reported = 1.0...60
    /// Its name on the wire; by its place among the streams of its end where nil.
    var ssrc: UInt32?
    var codec: String?
  }

  let store: Store

  init(
    _ ends: [(name: String, streams: [Counted])], events: [(second: Double, name: EventName)] = [],
    own: [String: [(second: Double, name: EventName)]] = [:], note: String? = nil
  ) throws {
    let call = try EndsOfOneCall()
    for (place, end) in ends.enumerated() {
      // An end that is named twice has two files, each of its own time.
      let isPart = ends.count { $0.name == end.name } > 1
      try call.write(end.name, path: isPart ? "\(end.name) \(place)" : nil) { writer in
        for (number, stream) in end.streams.enumerated() {
          var facts = StreamFacts()
          (facts.direction, facts.kind) = (stream.direction, stream.kind)
          facts.codec = stream.codec
          facts.ssrc = stream.ssrc ?? UInt32(number + 1)
          try writer.stream(number, of: 0, facts)
        }
        for second in stride(from: 1.0, through: 60, by: 1)
        where !isPart || end.streams.contains(where: { $0.reported.contains(second) }) {
          var path = TransportSample(timeMs: Self.startMs + second * 1000)
          (path.bytesReceived, path.rttMs) = (second * 1000, 20)
          (path.pair, path.local, path.remote) = ("P", "10.0.0.1:5000", "192.0.2.1:6000")
          try writer.transport(path, of: 0)
          for (number, stream) in end.streams.enumerated() where stream.reported.contains(second) {
            var sample = Sample(timeMs: Self.startMs + second * 1000)
            sample[.packets] = stream.packets(second)
            if stream.direction == .inbound { sample[.lost] = 0 }
            stream.more(second, &sample)
            try writer.sample(sample, of: number, extra: nil)
          }
        }
        try writer.addEvents(events + (own[end.name] ?? []), from: Self.startMs)
        if let note { try writer.note(note) }
      }
    }
    store = try call.finished()
    try Assessor(store: store).assessStale()
  }

  /// Its word, the end that suffered, the cause and the rule, as far as there are any.
  var verdict: String {
    get throws {
      let row = try store.query("SELECT verdict, verdict_end, verdict_cause, verdict_rule FROM calls").rows
        .first
      return (row ?? []).compactMap(\.string).joined(separator: " ")
    }
  }

  /// Its findings, each with its end.
  var findings: [String] {
    get throws {
      try store.query(
        "SELECT e.endpoint, f.code, f.severity FROM findings f JOIN endpoints e USING (endpoint_key) ORDER BY 1, 2"
      ).rows.map { $0.compactMap(\.string).joined(separator: " ") }
    }
  }

  static func played(_ second: Double, _ sample: inout Sample) {
    sample[.totalSamples] = second * 48_000
    sample[.totalSamplesDurationMs] = second * 1000
    sample[.jitterBufferEmitted] = second * 48_000
    sample[.jitterBufferDelayMs] = second * 48_000 * 30
    sample[.totalAudioEnergy] = second * 0.002
  }

  static func spoken(_ second: Double, _ sample: inout Sample) {
    sample[.totalAudioEnergy] = second * 0.002
    sample[.totalSamplesDurationMs] = second * 1000
  }

  static var sending: Counted { sending { $0 * 50 } }

  /// Sound of a microphone that is heard all the while.
  static func sending(_ packets: @escaping (Double) -> Double) -> Counted {
    Counted(direction: .outbound, packets: packets, more: spoken)
  }

  static func hearing(_ packets: @escaping (Double) -> Double = { $0 * 50 }) -> Counted {
    Counted(direction: .inbound, packets: packets) { played(min($0, packets($0) / 50), &$1) }
  }

  /// The same of which the sender's reports count a packet every 20 ms.
  static func reported(_ stream: Counted, sent: @escaping (Double) -> Double = { $0 * 50 }) -> Counted {
    var reported = stream
    reported.more = { second, sample in
      stream.more(second, &sample)
      sample[.farPackets] = sent(second)
      sample[.farPacketsMs] = startMs + second * 1000
    }
    return reported
  }
}
