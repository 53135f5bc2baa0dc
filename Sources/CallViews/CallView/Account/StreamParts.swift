import CallModel

extension StreamAccount {
  /// Joins rows of streams whose recording was split into files: rows that continue in the next file are one stream.
  package static func whole(_ rows: [StreamAccount]) -> [StreamAccount] {
    var whole: [StreamAccount] = []
    var places: [Identity: [Int]] = [:]
    // Parts are joined in time order; the joined stream takes the position of its first row.
    let inTime = rows.indices.sorted { (rows[$0].firstMs ?? 0, $0) < (rows[$1].firstMs ?? 0, $1) }
    var order: [Int] = []
    for place in inTime {
      let row = rows[place]
      guard let identity = Identity(row) else {
        whole.append(row)
        order.append(place)
        continue
      }
      if let earlier = places[identity]?.suffix(Self.maxApart).first(where: { whole[$0].goesOn(in: row) }) {
        whole[earlier].append(row)
        order[earlier] = min(order[earlier], place)
      } else {
        places[identity, default: []].append(whole.count)
        whole.append(row)
        order.append(place)
      }
    }
    return whole.indices.sorted { order[$0] < order[$1] }.map { whole[$0] }
  }

  /// The properties that rows of one stream share.
  private struct Identity: Hashable {
    package var source: StreamSource
    package var direction: StreamDirection
    package var kind: MediaKind?
    package var ssrc: Int64
    package var chosen: Bool

    package init?(_ row: StreamAccount) {
      guard let ssrc = row.ssrc, row.firstMs != nil, row.lastMs != nil else { return nil }
      (source, direction, kind, chosen) = (row.source, row.direction, row.kind, row.chosen)
      self.ssrc = ssrc
    }
  }

  /// Maximum number of parallel recordings of one stream that a row is compared with.
  private static let maxApart = 8

  private func goesOn(in next: StreamAccount) -> Bool {
    guard let last = lastMs, let first = next.firstMs, figures["source_id"] != next.figures["source_id"]
    else {
      return false
    }
    return first > last && first - last <= RotatedFiles.maxGapMs
  }

  /// Appends the next part.
  private mutating func append(_ next: StreamAccount) {
    // Counters in statistics continue from file to file unless they were reset; a capture counts per file.
    let isGoingOn = source == .stats && next.number("packets") ?? 0 >= number("packets") ?? 0
    let weights = (lengthMs, next.lengthMs)
    var joined = figures.merging(next.figures) { $1.isNull ? $0 : $1 }
    func both(_ column: String, _ join: (Double, Double) -> Double) {
      guard let one = number(column), let other = next.number(column) else { return }
      let value = join(one, other)
      joined[column] = Int64(exactly: value).map(Cell.integer) ?? .real(value)
    }
    both("samples", +)
    if !isGoingOn { for column in Self.counters { both(column, +) } }
    for column in Self.greatest { both(column, max) }
    for column in Self.means where weights.0 + weights.1 > 0 {
      both(column) { ($0 * weights.0 + $1 * weights.1) / (weights.0 + weights.1) }
    }
    // These figures of RFC 3611 cannot be combined from those of the parts.
    for column in Self.ofOneFile { joined[column] = .null }
    if let concealed = joined["concealed_samples"]?.number, let total = joined["total_samples"]?.number,
      total > 0
    {
      joined["concealed_share"] = .real(min(1, concealed / total))
    }
    joined["first_ms"] = figures["first_ms"]
    figures = joined
    codec = codec ?? next.codec
    screen = screen || next.screen
    lastMs = next.lastMs
    parts += next.parts
  }

  private var lengthMs: Double { max(0, (lastMs ?? 0) - (firstMs ?? 0)) }

  private static let counters = [
    "packets", "bytes", "expected", "lost", "duplicates", "reordered", "late", "restarts", "fec", "rtx",
    "probes",
    "capture_duplicates", "wireshark_packets", "wireshark_lost", "concealed_samples",
    "silent_concealed_samples",
    "total_samples", "freeze_count", "freeze_ms", "pause_count", "pause_ms", "nack", "pli", "fir",
  ]
  private static let greatest = ["jitter_max_ms", "max_delta_ms", "wireshark_jitter_max_ms"]
  private static let means = [
    "jitter_mean_ms", "frame_jitter_mean_ms", "wireshark_jitter_mean_ms", "rtt_ms", "bitrate_mean_bps",
    "frame_rate_mean",
  ]
  private static let ofOneFile = ["burst_density", "gap_density", "burst_ms", "gap_ms"]
}
