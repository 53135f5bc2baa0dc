import CallModel

/// Detects loss reported by the far end of what this end sent (RTCP receiver reports, `remote-inbound-rtp`): the only
/// evidence from a listener whose own recording is not available.
struct RemoteLossDetector {
  private var sound = LossCourse()
  private var picture = LossCourse()

  /// Takes a sample and its predecessor.
  mutating func see(_ sample: SampleView, after earlier: SampleView, _ role: StreamRole) {
    guard role.direction == .outbound, role.source == .stats, let kind = role.kind,
      let packets = sample[.packets], let before = earlier[.packets], packets >= before,
      let lost = sample[.lost], let lostBefore = earlier[.lost]
    else { return }
    // A counter that was reset has lost nothing.
    let more = lost - lostBefore >= before - packets ? lost - lostBefore : 0
    let step = LossSpan(from: earlier.timeMs, to: sample.timeMs, packets: packets - before, lost: more)
    let isNew = more != 0 || RemoteReportTracker.isNew(sample, roundTripBefore: earlier[.rttMs])
    switch kind {
    case .audio: sound.add(step, isReport: isNew)
    case .video: picture.add(step, isReport: isNew)
    }
  }

  mutating func findings(_ context: FindingContext) -> [Finding] {
    sound.finish()
    picture.finish()
    let over = context.overMs ?? .infinity
    return [(sound, "audio", "sound"), (picture, "video", "picture")].flatMap { course, kind, word in
      course.spans.filter { $0.from < over }.map { span in
        Finding(
          .remoteLoss, span.share >= Threshold.lossWarning.value ? .warning : .info, from: span.from,
          to: span.to,
          Evidence().with("lost_share", span.share).with("lost", span.lost).with("packets", span.packets)
            .with("kind", kind),
          "The other end reports \(lossPercent(span.share)) of the \(word) it was sent as lost.")
      }
    }
  }
}

/// Packets sent in a period, and how many of them were reported lost.
private struct LossSpan {
  var from: Double
  var to: Double
  var packets: Double
  var lost: Double

  var share: Double { packets > 0 ? min(1, max(0, lost / packets)) : 0 }

  func joined(_ next: LossSpan) -> LossSpan {
    LossSpan(from: from, to: next.to, packets: packets + next.packets, lost: lost + next.lost)
  }
}

/// Finds the periods in which a medium suffered loss. Reports come every few seconds and may themselves be lost, so
/// loss is evaluated from one report to a later one.
private struct LossCourse {
  /// Maximum length of a piece that is evaluated as a whole without a report, ms.
  private static let withoutReportMs = 30_000.0
  private static let maxKept = 1000

  private(set) var spans: [LossSpan] = []
  private var piece: LossSpan?
  /// The part of the piece that reports cover.
  private var reported: LossSpan?
  /// The current loss period, and a piece without loss after it, which may only be due to a late report.
  private var current: LossSpan?
  private var lossless: LossSpan?

  mutating func add(_ step: LossSpan, isReport: Bool) {
    let piece = piece?.joined(step) ?? step
    self.piece = piece
    if isReport { reported = piece }
    let lasted = piece.to - piece.from
    if isReport && lasted >= Threshold.lossMeasured.value || lasted >= Self.withoutReportMs { close(piece) }
  }

  mutating func finish() {
    if let reported { close(reported) }
    end()
  }

  private mutating func close(_ piece: LossSpan) {
    guard piece.packets >= Threshold.lossPackets.value else { return }
    (self.piece, reported) = (nil, nil)
    if piece.share >= Threshold.loss.value {
      current = current.map { before in (lossless.map(before.joined) ?? before).joined(piece) } ?? piece
      lossless = nil
    } else if lossless == nil {
      lossless = current == nil ? nil : piece
    } else {
      end()
    }
  }

  private mutating func end() {
    if let current, current.share >= Threshold.loss.value, spans.count < Self.maxKept {
      spans.append(current)
    }
    current = nil
    lossless = nil
  }
}

/// Loss reported by the receiver of a medium (unencrypted RTCP) beyond what was already missing at the capture. The
/// difference was lost between the capture and the receiver, and no score includes it.
public struct LossBeyond: Sendable {
  private let kind: MediaKind
  private var packets = 0.0
  private var reported = 0.0
  private var missing = 0.0
  private var span: (from: Double?, to: Double?) = (nil, nil)

  /// A sum that contains no stream yet.
  public init(_ kind: MediaKind) { self.kind = kind }

  /// Adds a stream as seen by a capture.
  public mutating func add(_ totals: StreamTotals) {
    guard let member = totals.extra.flatMap({ memberObject("lost_beyond", of: $0) }) else {
      missing += Double(totals.lost ?? 0)
      return
    }
    func figure(_ name: String) -> Double { memberText(name, of: member).flatMap(Double.init) ?? 0 }
    packets += figure("packets")
    reported += figure("lost")
    missing += figure("missing")
    span.from = [span.from, totals.firstMs].compactMap { $0 }.min()
    span.to = [span.to, totals.lastMs].compactMap { $0 }.max()
  }

  /// The finding; nil if the loss is small.
  public var finding: Finding? {
    guard packets >= Threshold.lossPackets.value, reported > 0 else { return nil }
    let beyond = (reported - missing) / packets
    guard beyond >= Threshold.loss.value else { return nil }
    let share = min(1, reported / packets)
    let medium = kind == .video ? "picture" : "sound"
    let here = missing > 0 ? "only \(lossPercent(missing / packets))" : "none of it"
    return Finding(
      .remoteLoss, beyond >= Threshold.lossWarning.value ? .warning : .info, from: span.from,
      to: span.to,
      Evidence().with("lost_share", share).with("lost", reported).with("packets", packets)
        .with("kind", kind.rawValue).with("missing", missing),
      "The other end reports \(lossPercent(share)) of the \(medium) it was sent as lost; \(here) was missing where it was captured."
    )
  }
}
