import CallModel

/// The codecs of a stream over time, if they changed during the call, as with a re-INVITE from Opus to PCMU.
///
/// The facts of a stream contain only its last codec.
public struct CodecTimes: Sendable, Equatable {
  private struct Change: Sendable, Equatable {
    var timeMs: Double
    var from: String?
    var to: String?
  }

  /// In time order; never empty.
  private var changes: [Change]

  /// The codecs of received streams whose codec changed, by SSRC, from the events of an end.
  public static func bySSRC(_ events: [EventRecord]) -> [UInt32: CodecTimes] {
    var found: [UInt32: CodecTimes] = [:]
    for event in events where isOfReceived(event) {
      guard let timeMs = event.timeMs, let ssrc = event[.ssrc]
      else { continue }
      func codec(_ name: String) -> String? { event.argument(name).flatMap { $0.isEmpty ? nil : $0 } }
      let change = Change(timeMs: timeMs, from: codec("from"), to: codec("to"))
      found[ssrc, default: CodecTimes(changes: [])].changes.append(change)
    }
    for ssrc in found.keys { found[ssrc]?.changes.sort { $0.timeMs < $1.timeMs } }
    return found
  }

  /// Whether an event is a codec change of a received stream.
  public static func isOfReceived(_ event: EventRecord) -> Bool {
    event.event == .mediaCodecChanged && event[.direction] == "inbound"
  }

  /// The codec at a given time.
  public func codec(at timeMs: Double) -> String? {
    let count = changes.endOfPrefix { $0.timeMs <= timeMs }
    return count > 0 ? changes[count - 1].to : changes.first?.from
  }
}
