import CallModel
import CallStore

/// What captures saw of one stream on its way to one end: in several files, or at several places in one.
///
/// What was heard there the sighting nearest to the receiver tells; one farther off knows nothing of what was lost between.
struct CapturePoints {
  /// More are not compared with one another.
  private static let most = 512
  /// What covers so much of a sighting speaks in its place; on the next leg in the same file much may be missing.
  private static let wholeShare = 0.9
  private static let legShare = 0.5

  private let all: [Sighting]
  /// When the stream was first met, by source.
  private let begun: [Int64: Double]

  init(_ rows: [StoredStream]) {
    all = rows.map(Sighting.init)
    begun = Dictionary(all.map { ($0.row.source, $0.firstMs) }, uniquingKeysWith: min)
  }

  /// Those that no other says more of.
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
    // In one file a relay with other addresses on its other side passes on later what it got first.
    return one.isElsewhere(than: other) && other.firstMs == begun[other.row.source]
      && one.firstMs > other.firstMs
  }

  /// Whether others saw all of what a sighting saw, or would have, had it come by: their files go on all the time.
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
  /// Rows asked of one host at most.
  private static let mostAsked = 16

  /// What comes to an end itself: without what goes to a user agent in between that sends sound or pictures of its own making on
  /// instead (another SSRC).
  static func reaching(_ rows: [StoredStream]) -> [StoredStream] {
    let coming = rows.filter { $0.facts.direction != .outbound }.map(Sighting.init)
    let from = Dictionary(grouping: coming.filter { $0.sender != nil }) { $0.sender ?? "" }
    guard from.count > 1 else { return rows }
    let left = coming.filter { one in
      guard let next = one.receiver.flatMap({ from[$0] }) else { return false }
      return next.suffix(mostAsked).contains { $0.isMade(of: one) }
    }
    let keys = Set(left.map(\.row.key))
    return keys.isEmpty ? rows : rows.filter { !keys.contains($0.key) }
  }
}

/// What a row says of where on its way a stream was seen.
private struct Sighting {
  let row: StoredStream
  let firstMs: Double
  let lastMs: Double
  private let source: String?
  private let destination: String?
  /// Packets that the receiver itself reported lost.
  private let reported: Double?
  /// Routers that its packets might still have passed.
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

  /// For how much of the time of the leg before it went on: a relay may stop passing it on, which is no lack of the capture.
  func share(of before: Sighting) -> Double {
    guard goesOn(from: before), lengthMs >= Self.leastLegMs, before.lengthMs > 0 else { return 1 }
    return min(1, lengthMs / before.lengthMs)
  }

  private static let leastLegMs = 5000.0

  /// Whether both are of the same time, for the most of the shorter one; clocks may be apart a little.
  func overlaps(_ other: Sighting) -> Bool {
    let common = min(lastMs, other.lastMs) - max(firstMs, other.firstMs)
    return common > 0 && common >= min(lengthMs, other.lengthMs) / 2
  }

  var sender: String? { source }
  var receiver: String? { destination }

  /// Whether the host that another stream went to made this one of it.
  func isMade(of other: Sighting) -> Bool {
    row.facts.kind == other.row.facts.kind && row.facts.ssrc != other.row.facts.ssrc
      && row.source == other.row.source && goesOn(from: other) && overlaps(other)
  }

  func isElsewhere(than other: Sighting) -> Bool {
    row.facts.local != other.row.facts.local || row.facts.remote != other.row.facts.remote
  }

  /// Whether this is the next leg: the host that another went to sends it on, and not back.
  func goesOn(from other: Sighting) -> Bool {
    guard let source, let destination, isElsewhere(than: other) else { return false }
    return source == other.destination && destination != other.source
  }

  /// Whether it was seen nearer to the receiver than in another file: its loss is rather that which the receiver reports, fewer
  /// routers are left to it, or more of it is lost.
  func isLater(than other: Sighting) -> Bool {
    let (lost, othersLost) = (Double(row.totals.lost ?? 0), Double(other.row.totals.lost ?? 0))
    if let said = [reported, other.reported].compactMap({ $0 }).max() {
      let (off, othersOff) = (abs(lost - said), abs(othersLost - said))
      if abs(off - othersOff) > max(2, Double(row.totals.expected ?? 0) / 200) { return off < othersOff }
    }
    let sharesHost = source == other.source || destination == other.destination
    if sharesHost, let ttl, let others = other.ttl, ttl != others { return ttl < others }
    return lost > othersLost
  }
}

extension StoredStream {
  /// Packets that the receiver reported lost, in RTCP in the clear; nil where it reported nothing.
  var reportedLost: Int? {
    totals.extra.flatMap { memberObject("receiver_reports", of: $0) }.flatMap { memberText("lost", of: $0) }
      .flatMap { Int($0) }
  }

  /// The mean opinion score that the receiver reported, in VoIP metrics in the clear (RFC 3611 4.7).
  var reportedMos: Double? {
    totals.extra.flatMap { memberObject("receiver_reports", of: $0) }.flatMap {
      memberText("mos_lq", of: $0)
    }
    .flatMap(Double.init)
  }
}
