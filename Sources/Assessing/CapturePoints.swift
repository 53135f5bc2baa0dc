import CallModel
import CallStore

/// The sightings of one stream by captures on its path to one end: in several files, or at several points in one.
///
/// The sighting nearest to the receiver shows what was received; one farther away does not include loss behind it.
struct CapturePoints {
  /// Maximum number of sightings that are compared.
  private static let most = 512
  /// Minimum share of a sighting's packets that replaces it; less on the next leg in the same file, where much may be
  /// missing.
  private static let wholeShare = 0.9
  private static let legShare = 0.5

  private let all: [Sighting]
  /// When the stream was first seen, by source.
  private let begun: [Int64: Double]

  init(_ rows: [StoredStream]) {
    all = rows.map(Sighting.init)
    begun = Dictionary(all.map { ($0.row.source, $0.firstMs) }, uniquingKeysWith: min)
  }

  /// The sightings that no nearer one replaces.
  var nearest: [StoredStream] {
    guard all.count > 1, all.count <= Self.most else { return all.map(\.row) }
    let left = all.filter { sighting in
      !isCovered(sighting, by: all.filter { isNearer($0, than: sighting) })
    }
    return (left.isEmpty ? all : left).map(\.row)
  }

  private func isNearer(_ one: Sighting, than other: Sighting) -> Bool {
    guard one.row.facts.kind == other.row.facts.kind, one.overlaps(other) else { return false }
    if one.goesOn(from: other) { return true }
    if other.goesOn(from: one) { return false }
    guard one.row.source == other.row.source else { return one.isLater(than: other) }
    // In one file a relay may use other addresses on its other side, where it forwards later what it received first.
    return one.isElsewhere(than: other) && other.firstMs == begun[other.row.source]
      && one.firstMs > other.firstMs
  }

  /// Whether nearer sightings have everything in this one, or their files cover its time and would have, had it passed
  /// there.
  private func isCovered(_ sighting: Sighting, by nearer: [Sighting]) -> Bool {
    let expected = Double(sighting.row.totals.expected ?? 0)
    let isSeen = nearer.contains {
      let others = Double($0.row.totals.expected ?? 0)
      guard $0.row.source == sighting.row.source else { return others >= Self.wholeShare * expected }
      return others >= Self.legShare * expected * $0.share(of: sighting)
    }
    if isSeen { return true }
    let files = nearer.filter { $0.row.source != sighting.row.source }.compactMap(\.row.sourceSpan)
    let covered = SpanSet(files.map { ($0.lowerBound, $0.upperBound) })
      .covered(from: sighting.firstMs, to: sighting.lastMs)
    return !files.isEmpty && covered >= Self.wholeShare * sighting.lengthMs
  }
}

extension CapturePoints {
  /// Maximum number of rows that are compared per host.
  private static let maxAsked = 16

  /// The streams that reach an end itself, without those to a B2BUA that sends its own media on instead (another SSRC).
  static func reaching(_ rows: [StoredStream]) -> [StoredStream] {
    let coming = rows.filter { $0.facts.direction != .outbound }.map(Sighting.init)
    let from = Dictionary(grouping: coming.filter { $0.sender != nil }) { $0.sender ?? "" }
    guard from.count > 1 else { return rows }
    let left = coming.filter { one in
      guard let next = one.receiver.flatMap({ from[$0] }) else { return false }
      return next.suffix(maxAsked).contains { $0.isMade(of: one) }
    }
    let keys = Set(left.map(\.row.key))
    return keys.isEmpty ? rows : rows.filter { !keys.contains($0.key) }
  }
}

/// The place on its path where a stream was seen, according to a row.
private struct Sighting {
  let row: StoredStream
  let firstMs: Double
  let lastMs: Double
  private let source: String?
  private let destination: String?
  /// Packets reported lost by the receiver itself.
  private let reported: Double?
  /// Remaining IP TTL of its packets.
  private let ttl: Int?

  init(_ row: StoredStream) {
    self.row = row
    firstMs = row.totals.firstMs ?? 0
    lastMs = max(firstMs, row.totals.lastMs ?? 0)
    source = row.facts.remote.map(AddressText.host)
    destination = row.facts.local.map(AddressText.host)
    reported = row.reportedLost.map(Double.init)
    ttl = row.totals.extra.flatMap { memberText("ttl", of: $0) }.flatMap { Int($0) }
  }

  var lengthMs: Double { lastMs - firstMs }

  /// The share of the previous leg's time that this one covers: a relay may stop forwarding, which is no fault of the
  /// capture.
  func share(of before: Sighting) -> Double {
    guard goesOn(from: before), lengthMs >= Self.minLegMs, before.lengthMs > 0 else { return 1 }
    return min(1, lengthMs / before.lengthMs)
  }

  private static let minLegMs = 5000.0

  /// Whether the two overlap for at least half of the shorter one; clocks may differ a little.
  func overlaps(_ other: Sighting) -> Bool {
    let common = min(lastMs, other.lastMs) - max(firstMs, other.firstMs)
    return common > 0 && common >= min(lengthMs, other.lengthMs) / 2
  }

  var sender: String? { source }
  var receiver: String? { destination }

  /// Whether the host that received another stream created this one from it.
  func isMade(of other: Sighting) -> Bool {
    row.facts.kind == other.row.facts.kind && row.facts.ssrc != other.row.facts.ssrc
      && row.source == other.row.source && goesOn(from: other) && overlaps(other)
  }

  func isElsewhere(than other: Sighting) -> Bool {
    row.facts.local != other.row.facts.local || row.facts.remote != other.row.facts.remote
  }

  /// Whether this is the next leg: the host that received the other forwards it, and not back to its sender.
  func goesOn(from other: Sighting) -> Bool {
    guard let source, let destination, isElsewhere(than: other) else { return false }
    return source == other.destination && destination != other.source
  }

  /// Whether it was seen nearer to the receiver than in another file: its loss is closer to the receiver's report, its
  /// TTL is lower, or it has more loss, including what came no more.
  func isLater(than other: Sighting) -> Bool {
    let (lost, othersLost) = (Double(row.totals.lost ?? 0), Double(other.row.totals.lost ?? 0))
    if let reportedLost = [reported, other.reported].compactMap({ $0 }).max() {
      let (off, othersOff) = (abs(lost - reportedLost), abs(othersLost - reportedLost))
      if abs(off - othersOff) > max(2, Double(row.totals.expected ?? 0) / 200) { return off < othersOff }
    }
    let sharesHost = source == other.source || destination == other.destination
    if sharesHost, let ttl, let others = other.ttl, ttl != others { return ttl < others }
    return lost + missingAtEnd(comparedTo: other) > othersLost + other.missingAtEnd(comparedTo: self)
  }

  /// Packets after its last one that were seen elsewhere, while its own file goes on; clocks may differ.
  private func missingAtEnd(comparedTo other: Sighting) -> Double {
    let longer = other.lengthMs - lengthMs
    guard longer >= Self.minLegMs, let file = row.sourceSpan, file.upperBound - lastMs >= Self.minLegMs else {
      return 0
    }
    return max(0, Double(other.row.totals.expected ?? 0) - Double(row.totals.expected ?? 0))
  }
}

extension StoredStream {
  /// Packets that the receiver reported lost in unencrypted RTCP; nil if it reported nothing.
  var reportedLost: Int? {
    totals.extra.flatMap { memberObject("receiver_reports", of: $0) }.flatMap { memberText("lost", of: $0) }
      .flatMap { Int($0) }
  }

  /// The mean opinion score that the receiver reported in unencrypted VoIP metrics (RFC 3611 section 4.7).
  var reportedMos: Double? {
    totals.extra.flatMap { memberObject("receiver_reports", of: $0) }.flatMap {
      memberText("mos_lq", of: $0)
    }
    .flatMap(Double.init)
  }
}
