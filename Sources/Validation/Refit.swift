import Scoring

/// The standard model with its free constants fitted without the call being scored.
///
/// Constants from theory or listening tests are fixed (the curve of ITU-T G.107, the quarter for restored packets, the
/// exponent of loudness); free are the half point and the weight of time-stretching. For each call they are fitted for
/// the least error over all other calls, and the call is scored with them. Scores are pooled, rather than PESQ
/// predicted with a line per call: the score of a clean call is 100 in every fold, and lines that differ by 0.01 MOS
/// would rank clean segments by which call was left out.
public struct Refit: Sendable {
  /// A set of constants.
  struct Candidate {
    var halfPoint: Double
    var stretchWeight: Double
    /// The standard model with these constants.
    var model: ScoreModel
  }

  /// All sets to try.
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

  /// Agreement of the scores of all segments, of segments without stretched speech, and of whole calls.
  public let all: Agreement
  public let unstretched: Agreement?
  public let byCall: Agreement?
  /// Error if the line is fitted to the other calls as well, MOS.
  public let strictError: Double
  /// The fitted constants, over all calls.
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

  /// The candidate with the least error, and its line.
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

/// A segment of a recorded call with its ground truth: a row of SEGMENTS.csv.
public struct TruthSegment: Sendable {
  public var call: String
  /// The impairment of the network, in a word.
  public var group: String
  /// The listening end: `caller` or `callee`.
  public var end: String
  /// Index in the call; segment 0 contains the start-up and is left out of every comparison.
  public var index: Int
  public var startMs: Double
  public var endMs: Double
  /// PESQ-WB, 1.04 to 4.64.
  public var pesq: Double
  /// Whether speech was stretched, which PESQ penalises heavily.
  public var isStretched: Bool

  /// Segments with more than this share of stretched playout are marked.
  static let stretchedShare = 0.004
  /// The value of a segment in which nothing was received.
  static let nothingHeard = 1.04

  /// Every row of a SEGMENTS.csv except the segments 0; an empty `pesq_wb` means that nothing was heard.
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
