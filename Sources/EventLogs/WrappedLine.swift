import Bytes

/// A line in the object of a logger or a collector: docker's `{"log": …, "time": …}`, `message` (winston, CloudWatch, journald), `msg` (pino),
/// `line` (Loki), `_source.message` (Elasticsearch), `textPayload` and `jsonPayload` (Google Cloud), `result._raw` (Splunk), `data` (a frame of a WebSocket).
public enum WrappedLine {
  /// The object that the line's object holds, as it is or as text; nil where there is none.
  public static func object(in line: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard let inner = inside(line)?.line, inner.first(where: { $0 > 0x20 }) == 0x7B else { return nil }
    return inner
  }

  /// What a line holds.
  struct Inside {
    /// The time of the innermost object that has one.
    var stamp: LogTime.Stamp?
    /// The line inside; nil where the object is the line itself, and no more than its time was found.
    var line: [UInt8]?
  }

  /// The line inside, nil where the line is no object with a line or a time in it.
  static func inside(_ line: UnsafeBufferPointer<UInt8>) -> Inside? {
    guard var found = opened(line) else { return nil }
    // What a process logs as JSON, docker wraps once more, and who collects it a third time.
    for _ in 1..<mostLevels {
      guard let inner = found.line, let next = inner.withUnsafeBufferPointer(opened) else { break }
      found.stamp = next.stamp ?? found.stamp
      guard let line = next.line else { break }
      found.line = line
    }
    return found.line == nil && found.stamp == nil ? nil : found
  }

  private static let mostLevels = 5
  private static let longestName = 24
  /// Members that hold the line, best first, without case and punctuation.
  private static let texts = ["log", "message", "msg", "line", "textpayload", "raw", "data"]
  /// The same where the line is an object.
  private static let objects = ["_source", "jsonpayload", "result", "message", "msg"]
  /// Members by which an object is the line itself, whatever else it says: of an event, of a frame, of snapshots.
  private static let own: [JSONKind: Set<String>] = [
    .string: ["event"],
    .object: ["control", "report", "reports", "stats", "getstats", "peerconnections"],
    .array: ["report", "reports", "stats", "getstats", "peerconnections"],
  ]
  /// journald's, in microseconds.
  private static let journalTime = "realtimetimestamp"

  private static func opened(_ line: UnsafeBufferPointer<UInt8>) -> Inside? {
    guard line.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return nil }
    var times = LogArguments()
    var best: (rank: Int, value: JSONScanner)?
    var isLine = false
    var scanner = JSONScanner(line)
    do throws(JSONError) {
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        let kind = try scanner.peek()
        let value = scanner
        let json = try scanner.skip()
        guard key.bytes.count <= longestName else { continue }
        let name = key == "_source" ? "_source" : Dialect.normal(key.string)
        isLine = isLine || own[kind]?.contains(name) ?? false
        if RunLogLine.timeNames.contains(name), json.count <= 64 { times.append(name, json: json) }
        if name == journalTime, json.count <= 64 { times.append("ts", json: json) }
        if name == "instant", let ms = LogTime.instantMs(json) { times.append("ts", word: ms) }
        if let rank = rank(name, kind, json), rank < best?.rank ?? .max { best = (rank, value) }
      }
      try scanner.finish()
      let stamp = RunLogLine.stamp(of: times)
      guard !isLine, var value = best?.value else { return Inside(stamp: stamp) }
      return Inside(stamp: stamp, line: try content(&value))
    } catch {
      return nil
    }
  }

  private static func rank(_ name: String, _ kind: JSONKind, _ json: UnsafeBufferPointer<UInt8>) -> Int? {
    switch (kind, name) {
    // Data may be anything, but for a frame; a result anything but Splunk's.
    case (.string, "data") where !isFrame(json): nil
    case (.object, "result") where ByteSearch.find("\"_raw\"", in: json) == nil: nil
    case (.string, _): texts.firstIndex(of: name)
    case (.object, _): objects.firstIndex(of: name).map { texts.count + $0 }
    default: nil
    }
  }

  /// Whether a text is an object or a list, as a frame has it, be it behind the number that Socket.IO gives its packets (`42[…]`).
  private static func isFrame(_ json: UnsafeBufferPointer<UInt8>) -> Bool {
    let first = json.dropFirst().prefix(9).first { !(0x30...0x39).contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  private static func content(_ value: inout JSONScanner) throws(JSONError) -> [UInt8] {
    guard try value.peek() == .string else { return Array(try value.skip()) }
    var line = try value.string().decoded()
    while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
    return line
  }
}
