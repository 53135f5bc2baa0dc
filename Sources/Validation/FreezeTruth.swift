import Bytes
import CallModel
import Glibc
import Scoring

/// Freezes and pauses of one end: by the rule of W3C webrtc-stats on the frames that were shown, and as scored.
public struct FreezeTruth: Sendable {
  public var end: String
  /// Time frozen and paused by the frames, and as the scorer found them, ms.
  public var shownFreezeMs: Double
  public var shownPauseMs: Double
  public var foundFreezeMs: Double
  public var foundPauseMs: Double

  /// Whether freezes, and pauses, agree within a tenth or 100 ms.
  public var agrees: Bool {
    abs(shownFreezeMs - foundFreezeMs) <= max(100, shownFreezeMs / 10)
      && abs(shownPauseMs - foundPauseMs) <= max(100, shownPauseMs / 10)
  }

  /// Every end of a folder that has `END.frames.csv.gz` beside its statistics.
  public static func read(folder: String) throws -> [FreezeTruth] {
    var found: [FreezeTruth] = []
    for call in names(in: folder) {
      for end in ["callee", "caller"] where access("\(folder)/\(call)/\(end).frames.csv.gz", R_OK) == 0 {
        let shown = try shown("\(folder)/\(call)/\(end).frames.csv.gz")
        guard let shown else { continue }
        let recorded = try RecordedEnd(path: "\(folder)/\(call)/\(end).stats.jsonl.gz")
        var scorer = recorded.scorer(.standard, cut: .fromFirstMedia)
        _ = scorer.finish()
        let spans = scorer.frozenSpans
        found.append(
          FreezeTruth(
            end: "\(call)/\(end)", shownFreezeMs: shown.freeze, shownPauseMs: shown.pause,
            foundFreezeMs: spans.filter { !$0.isPause }.reduce(0) { $0 + $1.lengthMs },
            foundPauseMs: spans.filter(\.isPause).reduce(0) { $0 + $1.lengthMs }))
      }
    }
    return found
  }

  /// A gap of max(3 x mean, mean + 150 ms) or more is a freeze, one over 5 s a pause; the mean is of the last 30 gaps,
  /// of five at least.
  private static func shown(_ path: String) throws -> (freeze: Double, pause: Double)? {
    var table = try CSVTable(path: path)
    var gaps: [Double] = []
    var last: Double?
    var sums = (freeze: 0.0, pause: 0.0)
    while let row = try table.next() {
      guard let time = row["display_ms"].flatMap({ Double($0) }) else { continue }
      defer { last = time }
      guard let last, time > last else { continue }
      let gap = time - last
      if gap > FrozenSpan.pauseMs {
        sums.pause += gap
      } else if gaps.count >= 5 {
        let mean = gaps.reduce(0, +) / Double(gaps.count)
        if gap >= max(3 * mean, mean + 150) { sums.freeze += gap }
      }
      gaps.append(gap)
      if gaps.count > 30 { gaps.removeFirst() }
    }
    return last == nil ? nil : sums
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
