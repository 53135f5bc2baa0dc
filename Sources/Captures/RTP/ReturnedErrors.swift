import CallModel
import Packets

/// The longest period in which ICMP errors (RFC 792, RFC 4443) were returned for a stream's packets, so that
/// they did not arrive.
struct ReturnedErrors {
  /// Routers limit errors to one or a few per second, regardless of traffic.
  private var periods = LongestPeriod<(error: ICMPError, count: Int)>(maxApartNs: 5_000_000_000)

  /// Takes an error.
  mutating func take(_ error: ICMPError, at timeNs: Int64) {
    if periods.reaches(timeNs) {
      periods.goOn(at: timeNs) { $0.count += 1 }
    } else {
      periods.begin(at: timeNs, (error, 1))
    }
  }

  private var lasting: LongestPeriod<(error: ICMPError, count: Int)>.Period? {
    periods.longest.flatMap { $0.lengthNs >= Threshold.notDelivered.ns ? $0 : nil }
  }

  /// When the host that was sent to said that its port is closed; nil if that was only a moment.
  var closedPort: (fromNs: Int64, toNs: Int64, count: Int)? {
    guard let lasting, case .portUnreachable = lasting.facts.error else { return nil }
    return (lasting.fromNs, lasting.lastNs, lasting.facts.count)
  }

  /// A JSON object; nil if the period was only a moment.
  var json: String? {
    guard let longest = lasting else { return nil }
    var w = ArgumentWriter()
    w.add("error", longest.facts.error.rawValue)
    w.add("count", longest.facts.count)
    w.add("from_ms", longest.fromNs.unixMs)
    w.add("until_ms", longest.lastNs.unixMs)
    return w.text
  }
}
