import CallModel
import Rendering

/// The phases of one setup attempt on one axis of time, as every view draws them: they may overlap, so they are not stacked.
///
/// The axis begins where the total begins. What no phase covers of it is a row of its own.
struct SetupChart {
  /// Whose time a row is.
  package enum Kind: Equatable {
    /// Part of the total.
    case system
    /// A person's: not in the total.
    case person
    /// In the total, and no event tells what it was spent on.
    case unaccounted
    /// After the call was connected.
    case later
  }

  /// A line of the chart.
  package struct Row: Equatable {
    package var name: String
    package var kind: Kind
    /// Where it lies, ms from the beginning of the axis.
    package var parts: [ClosedRange<Double>]
    package var durationMs: Double
    /// How much of it the total holds, ms.
    package var countedMs: Double
    var isSlowest = false
    /// Why it took so long, where that is evident.
    package var cause: String?

    /// Says how much of it is meant, where a good part lies beside what a person did.
    fileprivate mutating func tellCounted() {
      guard countedMs < durationMs * 0.9 else { return }
      let counted = "\(Measure.duration(countedMs)) of it in the total, the rest beside a person's time"
      cause = [counted, cause].compactMap { $0 }.joined(separator: "; ")
    }
  }

  /// What happened until the call was connected, in order of its beginning; what is not accounted for comes last.
  package let rows: [Row]
  /// What came after it, until something could be heard and seen.
  package let later: [Row]
  /// From the beginning of the setup to the connection, ms from the beginning of the axis; nil where it is not known.
  package let connected: ClosedRange<Double>?
  /// What was over before the setup began, with its length.
  package let before: [Phase]
  /// The whole axis, ms.
  package let spanMs: Double

  /// Less than this share of the total is no gap that anyone looks for.
  private static let leastGap = 0.01

  package init(_ attempt: SetupAttempt) {
    let measured = attempt.phases.filter { $0.state == .measured && $0.span != nil }
      .sorted { ($0.startMs ?? 0) < ($1.startMs ?? 0) }
    let start = attempt.startMs
    let isBefore = { (phase: Phase) in
      start.map { start in phase.span.map { $0.upperBound <= start && $0.lowerBound < start } ?? false }
        ?? false
    }
    before = measured.filter(isBefore)
    let shown = measured.filter { !isBefore($0) }
    let zero = ([start].compactMap { $0 } + shown.compactMap(\.startMs)).min() ?? 0
    func row(_ phase: Phase) -> Row {
      let span = phase.span ?? zero...zero
      return Row(
        name: phase.name.rawValue, kind: phase.name.kind,
        parts: [max(0, span.lowerBound - zero)...max(0, span.upperBound - zero)],
        durationMs: phase.durationMs ?? 0, countedMs: attempt.countedMs(phase) ?? 0,
        cause: phase.isOfPerson && !phase.isRefused ? nil : phase.cause)
    }
    var rows = shown.filter { $0.name.kind != .later }.map(row)
    later = shown.filter { $0.name.kind == .later }.map(row)
    if let start, let wall = attempt.setupWallMs, wall >= 0 {
      let total = (start - zero)...(start - zero + wall)
      connected = total
      let gaps = Self.gaps(in: total, between: rows.flatMap(\.parts))
      let lost = gaps.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
      if lost >= max(1, wall * Self.leastGap) {
        rows.append(
          Row(name: "not accounted for", kind: .unaccounted, parts: gaps, durationMs: lost, countedMs: lost))
      }
    } else {
      connected = nil
    }
    if rows.count > 1,
      let slowest = rows.indices.filter({ rows[$0].kind != .person })
        .max(by: { rows[$0].countedMs < rows[$1].countedMs }), rows[slowest].countedMs > 0
    {
      rows[slowest].isSlowest = true
      rows[slowest].tellCounted()
    }
    self.rows = rows
    spanMs = max(
      1, ((rows + later).flatMap(\.parts) + [connected].compactMap { $0 }).map(\.upperBound).max() ?? 1)
  }

  /// What the spans leave open of an interval.
  private static func gaps(in total: ClosedRange<Double>, between spans: [ClosedRange<Double>])
    -> [ClosedRange<Double>]
  {
    var gaps: [ClosedRange<Double>] = []
    var at = total.lowerBound
    for span in spans.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if span.lowerBound > at { gaps.append(at...min(span.lowerBound, total.upperBound)) }
      at = max(at, span.upperBound)
      if at >= total.upperBound { return gaps }
    }
    return gaps + [at...total.upperBound]
  }
}

extension PhaseName {
  fileprivate var kind: SetupChart.Kind {
    switch self {
    case .capture, .ringing: .person
    case .firstPacket, .firstFrame, .firstAudio: .later
    default: .system
    }
  }
}
