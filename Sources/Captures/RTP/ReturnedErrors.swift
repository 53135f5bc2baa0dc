import Packets

/// The longest period in which ICMP errors (RFC 792, RFC 4443) were returned for a stream's packets, so that
/// they did not arrive.
struct ReturnedErrors {
  private struct Hysteresis {
    var error: String
    var count: Int
    var fromNs: Int64
    var lastNs: Int64

    var lengthNs: Int64 { lastNs &- fromNs }
  }

  private var spell: Hysteresis?
  private var longest: Hysteresis?

  /// Routers limit errors to one or a few per second, regardless of traffic.
  private static let apartNs: Int64 = 5_000_000_000
  private static let minNs: Int64 = 5_000_000_000

  /// Takes an error.
  mutating func take(_ error: String, at timeNs: Int64) {
    if var going = spell, (timeNs &- going.lastNs).magnitude <= Self.apartNs.magnitude {
      going.count += 1
      going.lastNs = max(going.lastNs, timeNs)
      spell = going
    } else {
      spell = Hysteresis(error: error, count: 1, fromNs: timeNs, lastNs: timeNs)
    }
    if let spell, spell.lengthNs >= longest?.lengthNs ?? 0 { longest = spell }
  }

  /// A JSON object; nil if the period was only a moment.
  var json: String? {
    guard let longest, longest.lengthNs >= Self.minNs else { return nil }
    var w = ArgumentWriter()
    w.add("error", longest.error)
    w.add("count", longest.count)
    w.add("from_ms", longest.fromNs.unixMs)
    w.add("until_ms", longest.lastNs.unixMs)
    return w.text
  }
}
