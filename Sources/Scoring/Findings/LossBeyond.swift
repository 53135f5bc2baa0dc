import CallModel

/// What the receiver of a medium reported lost (RTCP in the clear), beside what was missing already where it was captured: the rest
/// was lost between there and the receiver, and is in no score.
public struct LossBeyond: Sendable {
  private static let leastPackets = 100.0

  private let kind: MediaKind
  private var packets = 0.0
  private var reported = 0.0
  private var missing = 0.0
  private var span: (from: Double?, to: Double?) = (nil, nil)

  /// Of no stream yet.
  public init(_ kind: MediaKind) { self.kind = kind }

  /// Adds a stream as a capture saw it.
  public mutating func add(_ totals: StreamTotals) {
    guard let told = totals.extra.flatMap({ memberObject("lost_beyond", of: $0) }) else {
      missing += Double(totals.lost ?? 0)
      return
    }
    func figure(_ name: String) -> Double { memberText(name, of: told).flatMap(Double.init) ?? 0 }
    packets += figure("packets")
    reported += figure("lost")
    missing += figure("missing")
    span.from = [span.from, totals.firstMs].compactMap { $0 }.min()
    span.to = [span.to, totals.lastMs].compactMap { $0 }.max()
  }

  /// Nil where it is little.
  public var finding: Finding? {
    guard packets >= Self.leastPackets, reported > 0 else { return nil }
    let beyond = (reported - missing) / packets
    guard beyond >= RemoteLossWatch.leastShare else { return nil }
    let share = min(1, reported / packets)
    let medium = kind == .video ? "picture" : "sound"
    let here = missing > 0 ? "only \(lossPercent(missing / packets))" : "none of it"
    return Finding(
      "remote-loss", beyond >= RemoteLossWatch.graveShare ? .warning : .info, from: span.from, to: span.to,
      Evidence().with("lost_share", share).with("lost", reported).with("packets", packets)
        .with("kind", kind.rawValue).with("missing", missing),
      "The other end reports \(lossPercent(share)) of the \(medium) it was sent as lost; \(here) was missing where it was captured."
    )
  }
}
