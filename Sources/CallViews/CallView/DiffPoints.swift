import CallModel

/// The properties in which two calls are compared.
public struct DiffPoints {
  private let a: CallAccount
  private let b: CallAccount

  /// Compares two calls read from a store.
  public init(_ a: CallAccount, _ b: CallAccount) {
    self.a = a
    self.b = b
  }

  /// All points with a value for at least one of the calls: the call, each end, setup, findings.
  public var all: [DiffPoint] {
    (call + pairs.flatMap(ends) + phases + findings).filter { $0.a != nil || $0.b != nil }
  }

  private var call: [DiffPoint] {
    [
      word(.call, "outcome", { $0.call.outcome.rawValue }),
      word(.call, "verdict", { $0.call.verdict?.value.rawValue }),
      word(.call, "place", { ($0.call.markedPlace ?? $0.call.place?.rule.place)?.rawValue }),
      word(.call, "root cause", { $0.call.rootCause?.code.rawValue }),
      word(.call, "client", { $0.call.sdk ?? $0.ends.first?.client }),
      number(.call, "score", .points, \.call.scoreMean),
      number(.call, "setup", .ms, \.call.setupMs),
      number(.call, "lasted", .ms, \.call.durationMs),
    ]
  }

  private var phases: [DiffPoint] {
    PhaseName.allCases.map { phase in
      number(.setup, phase.rawValue, .ms) {
        $0.leadingAttempt?.phases.first { $0.name == phase }?.durationMs
      }
    }
  }

  private var findings: [DiffPoint] {
    Set((a.findings + b.findings).map(\.finding.name)).sorted().map { code in
      number(.findings, code, .times) { account in
        Double(account.findings.filter { $0.finding.name == code }.count)
      }
    }
  }

  /// Ends with equal names, then the rest in order.
  private var pairs: [(EndAccount?, EndAccount?)] {
    var rest = b.ends
    var pairs: [(EndAccount?, EndAccount?)] = a.ends.map { end in
      let index = rest.firstIndex { $0.name == end.name }
      return (end, index.map { rest.remove(at: $0) })
    }
    for index in pairs.indices where pairs[index].1 == nil && !rest.isEmpty {
      pairs[index].1 = rest.removeFirst()
    }
    return pairs + rest.map { (nil, $0) }
  }

  private func ends(_ left: EndAccount?, _ right: EndAccount?) -> [DiffPoint] {
    let section = DiffPoint.Section.ends(left?.name, right?.name)
    func figure(_ name: String, _ unit: DiffPoint.Unit, _ value: (EndAccount) -> Double?) -> DiffPoint {
      DiffPoint(
        section: section, name: name, unit: unit, a: left.flatMap(value).map(DiffPoint.Value.number),
        b: right.flatMap(value).map(DiffPoint.Value.number))
    }
    func account(_ name: String, _ value: (EndAccount) -> String?) -> DiffPoint {
      DiffPoint(
        section: section, name: name, a: left.flatMap(value).map(DiffPoint.Value.account),
        b: right.flatMap(value).map(DiffPoint.Value.account))
    }
    var points = [
      figure("score", .points) { $0.score?.mean },
      figure("lowest", .points) { $0.score.map { Double($0.lowest) } },
    ]
    for cause in Cause.allCases
    where [left, right].contains(where: { $0?.score?.pointsLost[cause] ?? 0 >= 0.5 }) {
      points.append(figure("points lost to \(cause.rawValue)", .points) { $0.score?.pointsLost[cause] })
    }
    return points + [
      figure("loss", .share) { Self.shares($0).lost },
      figure("concealed", .share) { $0.isConcealmentEstimated ? nil : Self.shares($0).concealed },
      figure("concealed, estimated", .share) { $0.isConcealmentEstimated ? Self.shares($0).concealed : nil },
      figure("delay", .ms) { EndTotals($0.windows).inputs.delayMs },
      figure("still", .share) { EndTotals($0.windows).inputs.freezeShare },
      figure("frame rate", .fps) { end in
        StreamRanking.worst(end, .video).first?.number("frame_rate_mean")
          ?? EndTotals(end.windows).inputs.frameRate
      },
      figure("bit rate", .bps) { EndTotals($0.windows).inputs.bitrateBps },
      account("network") { PathWords.of($0) },
      account("hears") { StreamWords.received($0, .audio) },
      account("sees") { StreamWords.received($0, .video) },
    ]
  }

  /// For audio, or for video if there is no audio.
  private static func shares(_ end: EndAccount) -> (lost: Double?, concealed: Double?) {
    let totals = EndTotals(end.windows)
    let shares = totals.shares(of: end, totals.audioMs > 0 ? .audio : .video)
    return (shares.lost, shares.concealed)
  }

  private func word(_ section: DiffPoint.Section, _ name: String, _ value: (CallAccount) -> String?)
    -> DiffPoint
  {
    DiffPoint(
      section: section, name: name, a: value(a).map(DiffPoint.Value.word),
      b: value(b).map(DiffPoint.Value.word))
  }

  private func number(
    _ section: DiffPoint.Section, _ name: String, _ unit: DiffPoint.Unit, _ value: (CallAccount) -> Double?
  ) -> DiffPoint {
    DiffPoint(
      section: section, name: name, unit: unit, a: value(a).map(DiffPoint.Value.number),
      b: value(b).map(DiffPoint.Value.number))
  }
}
