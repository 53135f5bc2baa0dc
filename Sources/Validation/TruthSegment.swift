import Bytes

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
