import Glibc
import Scoring

/// The picture score, delays and lip-sync beside what was shown and heard, over a folder of calls with `WINDOWS.csv` (one row per window of 5 s:
/// id, group, receiver, t_ms, vmaf_as_seen, vmaf_own, freeze_share, g2g_p50_ms, audio_minus_video_ms) and, for mouth-to-ear,
/// `CALL/lipsync.csv` (receiver, mouth_ms, mouth_to_ear_ms).
public struct PictureStudy: Sendable {
  /// One window: what was shown and heard, and what callqa says of it.
  public struct Point: Sendable {
    public var call: String
    public var group: String
    public var seenVMAF: Double?
    public var ownVMAF: Double?
    public var freezeShare: Double?
    /// The median, and the same where most frames took about as long.
    public var glassToGlassMs: Double?
    public var steadyGlassToGlassMs: Double?
    public var audioMinusVideoMs: Double?
    public var mouthToEarMs: Double?
    public var video: Double?
    public var foundFrameQuality: Double?
    public var foundFreezeShare: Double?
    public var foundGlassToGlassMs: Double?
    public var foundAudioMinusVideoMs: Double?
    public var foundMouthToEarMs: Double?
  }

  public private(set) var points: [Point] = []
  /// Ends that could not be used, and why.
  public private(set) var leftOut: [String] = []

  private static let windowMs = 5000.0
  /// A window is steady where 95 % of its frames took so little longer than half of them, ms.
  private static let steadyMs = 50.0

  /// Nil where the folder has no such truth. Throws where it cannot be read.
  public init?(folder: String) throws {
    guard access(folder + "/WINDOWS.csv", R_OK) == 0 else { return nil }
    var table = try CSVTable(path: folder + "/WINDOWS.csv")
    var ends: [(name: String, rows: [[String: String]])] = []
    while let row = try table.next() {
      guard let call = row["id"], let end = row["receiver"], row["t_ms"] != nil else { continue }
      let name = "\(call)/\(end)"
      if ends.last?.name == name { ends[ends.count - 1].rows.append(row) } else { ends.append((name, [row])) }
    }
    for end in ends {
      do {
        points += try Self.points(of: end.name, end.rows, in: folder)
      } catch {
        leftOut.append("\(end.name): \(error)")
      }
    }
  }

  private static func points(of end: String, _ rows: [[String: String]], in folder: String) throws -> [Point]
  {
    let recorded = try RecordedEnd(path: "\(folder)/\(end).stats.jsonl.gz")
    let starts = rows.compactMap { $0["t_ms"].flatMap(Double.init) }
    var scorer = recorded.scorer(.standard, cut: .intervals(starts.map { ($0, $0 + windowMs) }))
    let windows = Dictionary(scorer.finish().map { ($0.index, $0) }) { first, _ in first }
    let heard = try heard(by: end, in: folder)
    // The last window of a call is cut short.
    return rows.indices.dropLast().map { index in
      let row = rows[index]
      func number(_ name: String) -> Double? { row[name].flatMap(Double.init) }
      let window = windows[index]
      let own = heard.filter { $0.mouthMs >= starts[index] && $0.mouthMs < starts[index] + windowMs }
        .map(\.delayMs).sorted()
      return Point(
        call: row["id"] ?? "", group: row["group"] ?? "", seenVMAF: number("vmaf_as_seen"),
        ownVMAF: number("vmaf_own"), freezeShare: number("freeze_share"),
        glassToGlassMs: number("g2g_p50_ms"),
        steadyGlassToGlassMs: number("g2g_p50_ms").flatMap { median in
          number("g2g_p95_ms").flatMap { $0 - median <= steadyMs ? median : nil }
        },
        audioMinusVideoMs: number("audio_minus_video_ms"),
        mouthToEarMs: own.isEmpty ? nil : own[own.count / 2], video: window?.video,
        foundFrameQuality: window?.inputs.frameQuality, foundFreezeShare: window?.inputs.freezeShare,
        foundGlassToGlassMs: window?.inputs.glassToGlassMs,
        foundAudioMinusVideoMs: window?.inputs.audioMinusVideoMs,
        foundMouthToEarMs: window?.inputs.mouthToEarMs)
    }
  }

  /// When each sound was made that an end heard, and how much later it heard it.
  private static func heard(by end: String, in folder: String) throws -> [(mouthMs: Double, delayMs: Double)]
  {
    let parts = end.split(separator: "/")
    let path = "\(folder)/\(parts[0])/lipsync.csv"
    guard access(path, R_OK) == 0 else { return [] }
    var table = try CSVTable(path: path)
    var found: [(Double, Double)] = []
    while let row = try table.next() {
      guard row["receiver"] == parts.last.map(String.init), let mouth = row["mouth_ms"].flatMap(Double.init),
        let delay = row["mouth_to_ear_ms"].flatMap(Double.init)
      else { continue }
      found.append((mouth, delay))
    }
    return found
  }

  /// Pairs of a figure and its truth, of all windows or of one group.
  public func pairs(
    _ figure: KeyPath<Point, Double?>, _ truth: KeyPath<Point, Double?>, group: String? = nil
  ) -> [(figure: Double, truth: Double)] {
    points.compactMap { point in
      guard group == nil || point.group == group, let one = point[keyPath: figure],
        let other = point[keyPath: truth]
      else { return nil }
      return (one, other)
    }
  }

  /// The report for people.
  public func lines() -> [String] {
    guard !points.isEmpty else { return [] }
    var bootstrap = Bootstrap(seed: 1)
    let calls = Array(Set(points.map(\.call))).sorted()
    func line(
      _ name: String, _ figure: KeyPath<Point, Double?>, _ truth: KeyPath<Point, Double?>,
      group: String? = nil
    ) -> String? {
      guard let all = Agreement(pairs(figure, truth, group: group)) else { return nil }
      let byCall = calls.map { call in
        points.filter { $0.call == call && (group == nil || $0.group == group) }.compactMap { point in
          point[keyPath: figure].flatMap { one in point[keyPath: truth].map { (figure: one, truth: $0) } }
        }
      }.filter { !$0.isEmpty }
      func range(_ of: @escaping (Agreement) -> Double?) -> String {
        bootstrap.interval(byCall) { Agreement($0).flatMap(of) }
          .map { "[\(number($0.lowerBound)), \(number($0.upperBound))]" } ?? ""
      }
      return "  " + pad(name, 38) + pad("n \(all.count)", 7) + pad("r \(number(all.r)) \(range(\.r))", 25)
        + pad("rho \(number(all.rho)) \(range(\.rho))", 27) + "RMSE \(number(all.error, 1))"
    }
    func error(_ name: String, _ figure: KeyPath<Point, Double?>, _ truth: KeyPath<Point, Double?>) -> String?
    {
      let errors = pairs(figure, truth).map { abs($0.figure - $0.truth) }.sorted()
      guard errors.count >= 3 else { return nil }
      let most = errors[min(errors.count - 1, Int(Double(errors.count) * 0.95))]
      return "  " + pad(name, 38) + pad("n \(errors.count)", 7)
        + "median error \(number(errors[errors.count / 2], 0)) ms, 95 % within \(number(most, 0)) ms"
    }
    let groups = Dictionary(grouping: points, by: \.group).filter { $0.value.count >= 10 }.keys.sorted()
    var lines: [String?] = [
      "",
      "Picture, delay and lip-sync of \(points.count) windows of \(calls.count) calls; 95 % intervals by drawing calls again",
      "", line("video score against VMAF as seen", \.video, \.seenVMAF),
    ]
    lines += groups.map { line("  \($0)", \.video, \.seenVMAF, group: $0) }
    lines += [
      line("quality of frames against their VMAF", \.foundFrameQuality, \.ownVMAF),
      line("freeze share", \.foundFreezeShare, \.freezeShare),
      error("mouth to ear", \.foundMouthToEarMs, \.mouthToEarMs),
      error("glass to glass", \.foundGlassToGlassMs, \.glassToGlassMs),
      error("glass to glass, where it is steady", \.foundGlassToGlassMs, \.steadyGlassToGlassMs),
      error("sound minus picture", \.foundAudioMinusVideoMs, \.audioMinusVideoMs),
    ]
    return lines.compactMap { $0 } + (leftOut.isEmpty ? [] : ["  Left out:"] + leftOut.map { "    " + $0 })
  }
}

/// A gnuplot script that draws each figure over its truth.
public func scatterScript(_ study: PictureStudy, file: String) -> String {
  let panels:
    [(
      title: String, figure: KeyPath<PictureStudy.Point, Double?>, truth: KeyPath<PictureStudy.Point, Double?>
    )] = [
      ("video score and VMAF as seen", \.video, \.seenVMAF),
      ("freeze share", \.foundFreezeShare, \.freezeShare),
      ("mouth to ear, ms", \.foundMouthToEarMs, \.mouthToEarMs),
      ("glass to glass, ms", \.foundGlassToGlassMs, \.glassToGlassMs),
      ("sound minus picture, ms", \.foundAudioMinusVideoMs, \.audioMinusVideoMs),
    ]
  let drawn = panels.filter { !study.pairs($0.figure, $0.truth).isEmpty }
  let (columns, rows) = (min(3, max(1, drawn.count)), max(1, (drawn.count + 2) / 3))
  var script = """
    set terminal svg size \(320 * columns),\(300 * rows) font 'sans-serif,11' background '#ffffff'
    set output '\(file)'
    set multiplot layout \(rows),\(columns)
    set key off
    set grid linecolor '#dddddd'
    set xlabel 'callqa'
    set ylabel 'shown and heard'

    """
  for panel in drawn {
    let pairs = study.pairs(panel.figure, panel.truth)
    let agreement = Agreement(pairs)
    script +=
      "set title '\(panel.title)  r \(number(agreement?.r))' noenhanced\nplot '-' with points pt 7 ps 0.4 lc '#1f6feb'\n"
    for pair in pairs { script += "\(pair.figure) \(pair.truth)\n" }
    script += "e\n"
  }
  return script + "unset multiplot\n"
}
