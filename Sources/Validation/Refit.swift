import Scoring

/// The standard model as a new call would meet it: its open constants chosen without the call that is judged.
///
/// What theory or the laboratory fixed stays (ITU-T G.107's curve, the quarter for restored packets, the exponent of
/// loudness); open are the half point and the weight of time-stretching. For each call they are chosen anew by the least
/// error over all other calls, and the call is scored by them. Scores are pooled, not PESQ as predicted with a line a
/// call: a clean call's score is 100 in every fold, and lines that differ by 0.01 MOS would rank clean segments by which
/// call was left out.
public struct Refit: Sendable {
  /// A set of constants.
  struct Candidate {
    var halfPoint: Double
    var stretchWeight: Double
    /// The standard model with it.
    var model: ScoreModel
  }

  /// All sets that are tried.
  static let candidates: [Candidate] = [8, 9, 10, 11, 12].flatMap { halfPoint in
    [2.5, 3, 3.5, 4, 4.5, 5, 6].map { weight in
      Candidate(
        halfPoint: halfPoint, stretchWeight: weight,
        model: ScoreModel.standard.varied {
          $0.halfPoint["opus"] = halfPoint
          $0.stretchWeight = weight
        })
    }
  }

  /// Agreement of the scores of all segments, of those without stretched speech, and of whole calls.
  public let all: Agreement
  public let unstretched: Agreement?
  public let byCall: Agreement?
  /// Error where the straight line too is fitted to the other calls, MOS.
  public let strictError: Double
  /// What was chosen, over all calls.
  public let halfPoint: ClosedRange<Double>
  public let stretchWeight: ClosedRange<Double>

  /// Nil with too few segments or calls.
  public init?(_ study: Study) {
    var scored: [(segment: TruthSegment, score: Double)] = []
    var chosen: [Candidate] = []
    var squares = 0.0
    for call in study.calls {
      let others = study.points.filter { $0.segment.call != call }
      guard let (place, line) = Self.best(for: others) else { continue }
      chosen.append(Self.candidates[place])
      for point in study.points where point.segment.call == call {
        guard let score = point.candidates[place] else { continue }
        scored.append((point.segment, score))
        squares += square(line.at(score) - point.segment.pesq)
      }
    }
    guard let all = Agreement(Self.pairs(scored)), let halfPoint = Self.range(chosen.map(\.halfPoint)),
      let stretchWeight = Self.range(chosen.map(\.stretchWeight))
    else { return nil }
    self.all = all
    (self.halfPoint, self.stretchWeight) = (halfPoint, stretchWeight)
    unstretched = Agreement(Self.pairs(scored.filter { !$0.segment.isStretched }))
    byCall = Agreement(
      Dictionary(grouping: scored, by: \.segment.call).sorted { $0.key < $1.key }.map { _, segments in
        let count = Double(segments.count)
        return (
          segments.reduce(0) { $0 + $1.score } / count, segments.reduce(0) { $0 + $1.segment.pesq } / count
        )
      })
    strictError = (squares / Double(scored.count)).squareRoot()
  }

  /// The candidate of least error, and its line.
  private static func best(for points: [Study.Point]) -> (place: Int, line: Line)? {
    candidates.indices.compactMap { place -> (place: Int, line: Line, error: Double)? in
      let pairs = points.compactMap { point in
        point.candidates[place].map { (figure: $0, truth: point.segment.pesq) }
      }
      guard let error = Agreement(pairs)?.error else { return nil }
      return (place, Line(pairs), error)
    }
    .min { $0.error < $1.error }.map { ($0.place, $0.line) }
  }

  private static func pairs(
    _ scored: [(segment: TruthSegment, score: Double)]
  ) -> [(figure: Double, truth: Double)] { scored.map { ($0.score, $0.segment.pesq) } }

  private static func range(_ values: [Double]) -> ClosedRange<Double>? {
    guard let least = values.min(), let most = values.max() else { return nil }
    return least...most
  }
}

/// A stretch of a recorded call with what was heard in it: a row of SEGMENTS.csv.
public struct TruthSegment: Sendable {
  public var call: String
  /// What was done to the network, in a word.
  public var group: String
  /// `caller` or `callee`: who heard it.
  public var end: String
  /// Place in the call; segment 0 holds the start-up and is left out of every judgement.
  public var index: Int
  public var startMs: Double
  public var endMs: Double
  /// PESQ-WB, 1.04 to 4.64.
  public var pesq: Double
  /// Whether speech was stretched, which PESQ takes hard.
  public var isStretched: Bool

  /// Stretching beyond this share of playout is marked.
  static let stretchedShare = 0.004
  /// What a segment counts in which nothing was received.
  static let nothingHeard = 1.04

  /// Every row of a SEGMENTS.csv but the segments 0; an empty `pesq_wb` is nothing heard.
  public static func read(_ path: String) throws -> [TruthSegment] {
    var table = try CSVTable(path: path)
    var segments: [TruthSegment] = []
    while let row = try table.next() {
      guard let call = row["id"], let end = row["receiver"], let index = row["segment"].flatMap({ Int($0) }),
        let start = row["t_start_ms"].flatMap({ Double($0) }), index > 0
      else { continue }
      let length = 1000 * (row["seconds"].flatMap { Double($0) } ?? 8)
      segments.append(
        TruthSegment(
          call: call, group: row["group"] ?? "", end: end, index: index, startMs: start,
          endMs: start + length,
          pesq: row["pesq_wb"].flatMap { Double($0) } ?? nothingHeard,
          isStretched: (row["stats_stretched_ratio"].flatMap { Double($0) } ?? 0) > stretchedShare))
    }
    return segments
  }
}
