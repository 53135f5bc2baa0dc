import CallModel
import CallStore
import SetupTime

/// The difference between the clocks of two ends, from the streams that one sends and the other receives. Statistics
/// without a log have no event that shows it.
///
/// An offset counts if it is the same at the start and the end of a stream, and if the packet counts do not say that one
/// recording was merely earlier than the other.
struct StreamClocks {
  /// Minimum offset, maximum disagreement about it, and minimum length of a stream, ms.
  private static let (minMs, agreementMs, lengthMs) = (5000.0, 2500.0, 10_000.0)
  /// Maximum share of the packets that the offset would explain by which the counts may differ.
  private static let countedShare = 0.4

  /// The end whose clock is compared with the other's, and the difference; nil without certainty.
  let found: (end: Int64, skew: ClockSkew)?

  /// - Parameter logged: the ends with events.
  init(of ends: [StoredEndpoint], logged: Set<Int64>, _ streams: [Int64: [StoredStream]]) {
    guard ends.count == 2, !ends.allSatisfy({ logged.contains($0.key) }) else {
      found = nil
      return
    }
    // The end with a log keeps its times, else the one that begins first.
    let streams = ends.map { (streams[$0.key] ?? []).filter { $0.facts.source == .stats } }
    let firstMs = streams.map { rows in rows.compactMap(\.totals.firstMs).min() ?? .infinity }
    let other =
      logged.contains(ends[0].key) || !logged.contains(ends[1].key) && firstMs[0] <= firstMs[1] ? 1 : 0
    let offsets = streams[other].flatMap { row in
      streams[1 - other].compactMap { Self.offset(of: row, against: $0) }
    }
    guard let least = offsets.map(\.ms).min(), let most = offsets.map(\.ms).max(),
      most - least <= Self.agreementMs, abs(least + most) / 2 >= Self.minMs
    else {
      found = nil
      return
    }
    found = (
      ends[other].key,
      ClockSkew(
        offsetMs: (least + most) / 2, uncertaintyMs: offsets.map(\.restMs).max() ?? 0,
        pairs: 2 * offsets.count,
        evidence: "the streams that one end sends and the other receives")
    )
  }

  /// What must be added to the times of a stream to get those of the same stream at the other end, and how far its start
  /// and end disagree about that; nil if they are not one stream, or not all of it.
  private static func offset(of row: StoredStream, against far: StoredStream) -> (ms: Double, restMs: Double)?
  {
    guard let ssrc = row.facts.ssrc, SSRC.isRandom(ssrc), far.facts.ssrc == ssrc,
      Set([row.facts.direction, far.facts.direction]) == [.inbound, .outbound],
      let first = row.totals.firstMs, let last = row.totals.lastMs,
      let begin = far.totals.firstMs, let end = far.totals.lastMs,
      let packets = row.totals.packets, let farPackets = far.totals.packets, last - first >= lengthMs
    else { return nil }
    let offset = (begin - first + end - last) / 2
    let rest = abs(begin - first - (end - last))
    let isSender = row.facts.direction == .outbound
    let (sent, came) = isSender ? (packets, farPackets) : (farPackets, packets)
    let lost = (isSender ? far : row).totals.lost ?? 0
    let explained = Double(packets) / (last - first) * max(abs(offset), minMs)
    guard rest <= agreementMs, came > 0, abs(Double(sent - came - lost)) <= countedShare * explained else {
      return nil
    }
    return (offset, rest / 2)
  }
}
