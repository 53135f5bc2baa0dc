import Bytes
import CallModel
import Glibc
import Scoring

/// Freezes and pauses of one end: as the frames were shown, and as scored.
public struct FreezeTruth: Sendable {
  public var end: String
  /// By the frames, and as the scorer found them, ms.
  public var shown: ShownFrames
  public var foundFreezeMs: Double
  public var foundPauseMs: Double
  /// What the browser's own counters say in the end, nil without any.
  public var countedMs: Double?

  /// Mean video score of the end, and the share of that time in which its picture stood still by the frames.
  public var videoScore: Double?
  public var shownShare: Double = 0

  /// How well video scores put ends in the order of the time that their pictures stood still; nil for fewer than three.
  public static func order(_ ends: [FreezeTruth]) -> Double? {
    Agreement(ends.compactMap { end in end.videoScore.map { (figure: $0, truth: -end.shownShare) } })?.rho
  }

  /// Why statistics and frames shown may differ.
  public var reasons: String {
    let counted = countedMs.map { ["the browser itself counted \(Int($0)) ms"] } ?? []
    return (counted + shown.reasons).joined(separator: "; ")
  }

  /// Whether freezes, and pauses, agree within a tenth or 100 ms.
  public var agrees: Bool {
    shown.agrees(freezeMs: foundFreezeMs, pauseMs: foundPauseMs, share: 0.1, ms: 100)
  }

  /// Every end of a folder that has `END.frames.csv.gz` beside its statistics.
  public static func read(folder: String) throws -> [FreezeTruth] {
    var found: [FreezeTruth] = []
    for call in names(in: folder) {
      for end in ["callee", "caller"] where access("\(folder)/\(call)/\(end).frames.csv.gz", R_OK) == 0 {
        guard let shown = try ShownFrames(path: "\(folder)/\(call)/\(end).frames.csv.gz") else { continue }
        let recorded = try RecordedEnd(path: "\(folder)/\(call)/\(end).stats.jsonl.gz")
        var scorer = recorded.scorer(.standard, cut: .fromFirstMedia)
        let windows = scorer.finish()
        let scores = windows.compactMap(\.video)
        let length = (windows.last?.endMs ?? 0) - (windows.first?.startMs ?? 0)
        let spans = scorer.frozenSpans
        found.append(
          FreezeTruth(
            end: "\(call)/\(end)", shown: shown,
            foundFreezeMs: spans.filter { !$0.isPause }.reduce(0) { $0 + $1.lengthMs },
            foundPauseMs: spans.filter(\.isPause).reduce(0) { $0 + $1.lengthMs },
            countedMs: recorded.countedFrozenMs,
            videoScore: scores.isEmpty ? nil : scores.reduce(0, +) / Double(scores.count),
            shownShare: length > 0 ? (shown.freezeMs + shown.pauseMs + shown.early.ms) / length : 0))
      }
    }
    return found
  }

  /// Names of the calls of a folder, in order.
  static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }
}
