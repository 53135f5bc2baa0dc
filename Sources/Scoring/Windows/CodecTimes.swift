import CallModel

/// Which codec a stream had when, where that changed while the call went on: a re-INVITE from Opus to PCMU.
///
/// What is kept of a stream as a whole is its last codec alone.
public struct CodecTimes: Sendable, Equatable {
  private struct Change: Sendable, Equatable {
    var timeMs: Double
    var from: String?
    var to: String?
  }

  /// In order of time; never empty.
  private var changes: [Change]

  /// Those of the received streams whose codec changed, by their SSRC, out of what happened at an end.
  public static func bySSRC(_ account: [EventRecord]) -> [UInt32: CodecTimes] {
    var found: [UInt32: CodecTimes] = [:]
    for event in account where isOfReceived(event) {
      guard let timeMs = event.timeMs, let ssrc = event.argument("ssrc").flatMap(UInt32.init)
      else { continue }
      func codec(_ name: String) -> String? { event.argument(name).flatMap { $0.isEmpty ? nil : $0 } }
      let change = Change(timeMs: timeMs, from: codec("from"), to: codec("to"))
      found[ssrc, default: CodecTimes(changes: [])].changes.append(change)
    }
    for ssrc in found.keys { found[ssrc]?.changes.sort { $0.timeMs < $1.timeMs } }
    return found
  }

  /// Whether an event is a change of the codec of something that is received.
  public static func isOfReceived(_ event: EventRecord) -> Bool {
    event.event == "media.codec-changed" && event.argument("direction") == "inbound"
  }

  /// The codec at an instant.
  public func codec(at timeMs: Double) -> String? {
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].timeMs <= timeMs { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? changes[low - 1].to : changes.first?.from
  }
}
