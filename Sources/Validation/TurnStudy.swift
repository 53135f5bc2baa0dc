import Bytes
import Glibc
import IO
import Scoring

/// Gaps between speakers in captures and statistics, compared with the ground truth (`speech.turn_gaps` in
/// `CALL/score.json`: from, to, t_ms, gap_at_answerer_ms, gap_at_first_speaker_ms).
public struct TurnStudy: Sendable {
  /// A change of speaker, as heard at one end.
  public struct Point: Sendable {
    public var call: String
    public var trueMs: Double
    /// From the levels of packets, and from one-second statistics; nil if they have no such turn.
    public var captureMs: Double?
    public var statisticsMs: Double?
  }

  public private(set) var points: [Point] = []

  /// Tolerance for matching a turn, ms.
  private static let withinMs = 1500.0

  /// Every call of a folder with such ground truth. Throws if its files cannot be read.
  public init(folder: String) throws {
    for call in FreezeTruth.names(in: folder) {
      let path = "\(folder)/\(call)/score.json"
      guard access(path, R_OK) == 0 else { continue }
      let gaps = try Self.truth(path)
      guard !gaps.isEmpty else { continue }
      for end in ["caller", "callee"] {
        let capture = try Self.captured("\(folder)/\(call)/\(end).pcap.gz")
        let statistics = try Self.reported("\(folder)/\(call)/\(end).stats.jsonl.gz")
        for gap in gaps where gap.from == end || gap.to == end {
          // This end answers, or waits for the answer.
          let isToLocal = gap.to == end
          let trueMs = isToLocal ? gap.atAnswererMs : gap.atFirstSpeakerMs
          func found(in turns: [Turn]) -> Double? {
            turns.filter { $0.isToLocal == isToLocal && abs($0.atMs - gap.atMs) < Self.withinMs }
              .min { abs($0.atMs - gap.atMs) < abs($1.atMs - gap.atMs) }?.gapMs
          }
          points.append(
            Point(
              call: call, trueMs: trueMs, captureMs: found(in: capture), statisticsMs: found(in: statistics)))
        }
      }
    }
  }

  private static func captured(_ path: String) throws -> [Turn] {
    guard access(path, R_OK) == 0 else { return [] }
    let recorded = try RecordedEnd(capture: path, turns: true)
    return TurnTaking.turns(recorded.events.compactMap { Utterance($0) })
  }

  private static func reported(_ path: String) throws -> [Turn] {
    guard access(path, R_OK) == 0 else { return [] }
    let recorded = try RecordedEnd(path: path)
    return TurnTaking.turns(
      [true, false].flatMap { isLocal in
        SpeechOfReports.utterances(recorded.sound(sent: isLocal), isLocal: isLocal)
      })
  }

  /// The report as text.
  public func lines() -> [String] {
    guard !points.isEmpty else { return [] }
    func line(_ name: String, _ figure: KeyPath<Point, Double?>) -> String {
      let errors = points.compactMap { point in point[keyPath: figure].map { abs($0 - point.trueMs) } }
        .sorted()
      guard let most = errors.last else { return "  " + pad(name, 38) + "none found of \(points.count)" }
      return "  " + pad(name, 38)
        + "found \(errors.count) of \(points.count), median error \(number(errors[errors.count / 2], 0)) ms, 90 % within \(number(errors[Int(Double(errors.count - 1) * 0.9)], 0)) ms, most \(number(most, 0))"
    }
    return [
      "", "Changes of speaker, the gap as heard at each end", "", line("by captures", \.captureMs),
      line("by statistics of a second", \.statisticsMs),
    ]
  }

  private struct Gap {
    var from = ""
    var to = ""
    var atMs = 0.0
    var atAnswererMs = 0.0
    var atFirstSpeakerMs = 0.0
  }

  /// The member `speech.turn_gaps`; empty if it is missing.
  private static func truth(_ path: String) throws -> [Gap] {
    let bytes = try allBytes(of: InputFile(path: path))
    return try bytes.withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      var gaps: [Gap] = []
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        guard text(key) == "speech" else {
          _ = try scanner.skip()
          continue
        }
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
          guard text(key) == "turn_gaps" else {
            _ = try scanner.skip()
            continue
          }
          try scanner.beginArray()
          while try scanner.nextElement() { gaps.append(try gap(&scanner)) }
        }
      }
      return gaps
    }
  }

  private static func gap(_ scanner: inout JSONScanner) throws -> Gap {
    var gap = Gap()
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch text(key) {
      case "from": gap.from = text(try scanner.string())
      case "to": gap.to = text(try scanner.string())
      case "t_ms": gap.atMs = try scanner.number()
      case "gap_at_answerer_ms": gap.atAnswererMs = try scanner.number()
      case "gap_at_first_speaker_ms": gap.atFirstSpeakerMs = try scanner.number()
      default: _ = try scanner.skip()
      }
    }
    return gap
  }

  private static func text(_ text: JSONText) -> String { String(decoding: text.decoded(), as: UTF8.self) }
}
