import Glibc
import Scoring

/// The audio scores of all models compared with PESQ-WB, over a folder of recorded calls.
public struct Study: Sendable {
  /// One segment with a model's score; nil without a score.
  public struct Point: Sendable {
    public var segment: TruthSegment
    public var scores: [String: Double]
    /// The standard model's scores with each set of constants in `Refit.candidates`.
    var candidates: [Double?] = []
  }

  public let models: [ScoreModel]
  public let points: [Point]
  /// Segments and ends that could not be used, with the reason.
  public let leftOut: [String]

  /// Scores the segments of `folder/SEGMENTS.csv` from the statistics in `folder/CALL/END.stats.jsonl.gz`.
  public init(folder: String, models: [ScoreModel] = ScoreModel.all) throws {
    self.models = models
    let segments = try TruthSegment.read(folder + "/SEGMENTS.csv")
    var points: [Point] = []
    var leftOut: [String] = []
    for end in Study.ends(segments) {
      do {
        let recorded = try RecordedEnd(path: "\(folder)/\(end.name).stats.jsonl.gz")
        let cut = WindowCut.intervals(end.segments.map { ($0.startMs, $0.endMs) })
        var scorer = recorded.scorer(.standard, cut: cut)
        var scores = [[Double?]](repeating: [], count: end.segments.count)
        for windows in scorer.finish(models + Refit.candidates.map(\.model)) {
          for window in windows { scores[window.index].append(window.audioLQ) }
        }
        points += zip(end.segments, scores).map { segment, scores in
          Point(
            segment: segment,
            scores: Dictionary(
              zip(models.map(\.name), scores).compactMap { name, score in score.map { (name, $0) } },
              uniquingKeysWith: { first, _ in first }),
            candidates: Array(scores.dropFirst(models.count)))
        }
      } catch {
        leftOut.append("\(end.name): \(error)")
      }
    }
    self.points = points
    self.leftOut = leftOut
  }

  private static func ends(_ segments: [TruthSegment]) -> [(name: String, segments: [TruthSegment])] {
    var ends: [(name: String, segments: [TruthSegment])] = []
    for segment in segments {
      let name = "\(segment.call)/\(segment.end)"
      if let place = ends.firstIndex(where: { $0.name == name }) {
        ends[place].segments.append(segment)
      } else {
        ends.append((name, [segment]))
      }
    }
    return ends
  }

  /// A model's agreement over all segments, or over those without stretched speech.
  public func agreement(_ model: String, unstretched: Bool = false) -> Agreement? {
    Agreement(pairs(model) { !unstretched || !$0.isStretched })
  }

  /// A model's agreement over the segments with one impairment.
  public func agreement(_ model: String, group: String) -> Agreement? {
    Agreement(pairs(model) { $0.group == group })
  }

  /// A model's agreement over whole calls.
  public func callAgreement(_ model: String) -> Agreement? { Agreement(callPairs(model)) }

  /// Segments that a model scored, of all or of some.
  func pairs(
    _ model: String, where isWanted: (TruthSegment) -> Bool = { _ in true }
  ) -> [(figure: Double, truth: Double)] {
    points.compactMap { point in
      guard isWanted(point.segment), let score = point.scores[model] else { return nil }
      return (score, point.segment.pesq)
    }
  }

  /// Means over whole calls, both ends together.
  func callPairs(_ model: String) -> [(figure: Double, truth: Double)] {
    calls.compactMap { call in
      let pairs = pairs(model) { $0.call == call }
      guard !pairs.isEmpty else { return nil }
      let count = Double(pairs.count)
      return (pairs.reduce(0) { $0 + $1.figure } / count, pairs.reduce(0) { $0 + $1.truth } / count)
    }
  }

  /// The error if the line is fitted to the other calls each time, as for a new call.
  public func crossValidatedError(_ model: String) -> Double? {
    var sum = 0.0
    var count = 0.0
    for call in calls {
      let line = Line(pairs(model) { $0.call != call })
      for pair in pairs(model, where: { $0.call == call }) {
        sum += square(line.at(pair.figure) - pair.truth)
        count += 1
      }
    }
    return count > 0 ? (sum / count).squareRoot() : nil
  }

  /// Names of the calls, in order.
  public var calls: [String] { Array(Set(points.map(\.segment.call))).sorted() }

  /// Groups with at least `least` segments, in order.
  public func groups(least: Int = 16) -> [String] {
    let counts = Dictionary(grouping: points, by: \.segment.group)
    return counts.filter { $0.value.count >= least }.keys.sorted()
  }
}
