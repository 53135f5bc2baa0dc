import CallModel
import Rendering

/// The phases of one setup attempt on one time axis, for all views. They may overlap, so they are not stacked.
///
/// The axis starts with the total. Time that no phase covers is a row of its own.
struct SetupChart {
  /// The kind of time of a row.
  package enum Kind: Equatable {
    /// Part of the total.
    case system
    /// A person's time, not part of the total.
    case person
    /// Part of the total that no event explains.
    case unaccounted
    /// After the call was connected.
    case later
  }

  /// A line of the chart.
  package struct Row: Equatable {
    package var name: String
    package var kind: Kind
    /// Its position, ms from the start of the axis.
    package var parts: [ClosedRange<Double>]
    package var durationMs: Double
    /// How much of it is part of the total, ms.
    package var countedMs: Double
    var isSlowest = false
    /// Why it took so long, if evident.
    package var cause: String?

    /// Adds to the cause how much of it was waited for, if a good part was not.
    fileprivate mutating func addCountedPart(besidePeople: Bool) {
      guard countedMs < durationMs * 0.9 else { return }
      let counted =
        besidePeople
        ? "\(Measure.duration(countedMs)) of it in the total, the rest beside a person's time"
        : countedMs < durationMs * 0.1
          ? "went on beside the rest: nothing waited for it"
          : "\(Measure.duration(countedMs)) of it was waited for"
      cause = [counted, cause].compactMap { $0 }.joined(separator: "; ")
    }
  }

  /// The phases until the call was connected by start time, followed by unexplained time.
  package let rows: [Row]
  /// Phases from then until something could be heard and seen.
  package let later: [Row]
  /// From the start of the setup to the connection, ms from the start of the axis; nil if unknown.
  package let connected: ClosedRange<Double>?
  /// Phases that ended before the setup began, with their durations.
  package let before: [Phase]
  /// Length of the axis, ms.
  package let spanMs: Double

  /// Minimum gap that is shown, as a share of the total.
  private static let minGap = 0.01

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
        durationMs: phase.durationMs ?? 0, countedMs: phase.waitedMs ?? 0,
        cause: phase.isOfPerson && !phase.isRefused ? nil : phase.cause)
    }
    var rows = shown.filter { $0.name.kind != .later }.map(row)
    later = shown.filter { $0.name.kind == .later }.map(row)
    if let start, let wall = attempt.setupWallMs, wall >= 0 {
      let total = (start - zero)...(start - zero + wall)
      connected = total
      let gaps = Self.gaps(in: total, between: rows.flatMap(\.parts))
      let lost = gaps.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
      if lost >= max(1, wall * Self.minGap) {
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
      let people = shown.filter(\.isOfPerson).compactMap(\.span)
      for index in rows.indices where index == slowest || rows[index].name == PhaseName.gathering.rawValue {
        let parts = rows[index].parts.map { ($0.lowerBound + zero)...($0.upperBound + zero) }
        rows[index].addCountedPart(besidePeople: parts.contains { covered(by: people, of: $0) > 0 })
      }
    }
    self.rows = rows
    spanMs = max(
      1, ((rows + later).flatMap(\.parts) + [connected].compactMap { $0 }).map(\.upperBound).max() ?? 1)
  }

  /// The parts of an interval that no span covers.
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
