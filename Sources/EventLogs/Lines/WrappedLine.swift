import Bytes
import LogText

/// A line wrapped in the object of a logger or collector: Docker's `{"log": …, "time": …}`, `message`
/// (winston, CloudWatch, journald), `msg` (pino), `line` (Loki), `_source.message` (Elasticsearch),
/// `textPayload` and `jsonPayload` (Google Cloud), `result._raw` (Splunk), `content.message` and
/// `attributes.message` (Datadog), `event` as an object (Splunk's collector), `short_message` (GELF),
/// `eventMessage` (Apple's log), `@m` and `RenderedMessage`, or their template (Serilog), `text` (a browser's
/// console), `data` (a WebSocket frame).
public enum WrappedLine {
  /// An object found in a line's object, with what surrounds it.
  public struct Object {
    /// The object, with the call and end of the line added to it, and the time if it holds statistics without
    /// one.
    public var bytes: [UInt8] {
      let owned = line.withUnsafeBufferPointer { owner.added(to: $0) } ?? line
      return owned.withUnsafeBufferPointer { json in
        StampedStatistics.added({ stamp?.date.map { $0.zoned ?? $0.localMs } }, to: json)
      } ?? owned
    }
    /// The same without the call, because an event may name its call in its arguments.
    var event: [UInt8] { line.withUnsafeBufferPointer { owner.added(to: $0, withCall: false) } ?? line }
    var call: String? { owner.call }
    let stamp: LogTime.Stamp?
    private let line: [UInt8]
    private let owner: LineAttribution

    fileprivate init(_ line: [UInt8], in around: Inside) {
      (self.line, owner, stamp) = (line, around.owner, around.stamp)
    }
  }

  /// The object inside the line's object, either directly or as a string; nil if there is none.
  public static func object(in line: UnsafeBufferPointer<UInt8>) -> Object? {
    guard let found = inside(line), let inner = found.line,
      inner.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{")
    else {
      return nil
    }
    return Object(inner, in: found)
  }

  /// The content of a line's object.
  struct Inside {
    /// The time of the innermost object that has one.
    var stamp: LogTime.Stamp?
    /// The line inside; nil if the object itself is the line and only its time was found.
    var line: [UInt8]?
    /// The call and end that the line belongs to, according to what is next to it.
    var owner = LineAttribution()
  }

  /// Returns the line inside; nil if the line is not an object with a line or a time in it.
  static func inside(_ line: UnsafeBufferPointer<UInt8>) -> Inside? {
    guard var found = opened(line) else { return nil }
    // What a process logs as JSON is wrapped again by Docker, and a third time by a collector.
    for _ in 1..<maxLevels {
      guard let inner = found.line, let next = inner.withUnsafeBufferPointer(opened) else { break }
      found.stamp = next.stamp ?? found.stamp
      found.owner = next.owner.within(found.owner)
      guard let line = next.line else { break }
      found.line = line
    }
    return found.line == nil && found.stamp == nil ? nil : found
  }

  private static let maxLevels = 5
  private static let longestName = 24
  private static let longestWay = 16
  /// Members that hold the line, in order of preference, in lower case and without punctuation.
  private static let texts = [
    "log", "eventmessage", "@m", "renderedmessage", "message", "msg", "line", "textpayload", "raw",
    "shortmessage", "text", "data",
  ]
  /// The same for a line that is an object.
  private static let objects = [
    "_source", "jsonpayload", "result", "message", "msg", "event", "content", "attributes",
  ]
  /// Members with an object that attributes the line to a call or end, and the maximum length of such an
  /// object.
  private static let contexts: Set = [
    "mdc", "contextmap", "labels", "metadata", "meta", "context", "extra", "fields", "attributes",
    "properties", "bindings",
  ]
  private static let longestContext = 8192
  /// Members that show that an object is the line itself: an event, a frame, or snapshots.
  private static let own: [JSONKind: Set<String>] = [
    .string: ["event", "lasteventid", "eventname"],
    .object: ["control", "report", "reports", "stats", "getstats", "peerconnections"],
    .array: ["report", "reports", "stats", "getstats", "peerconnections"],
  ]
  /// journald's time, in microseconds.
  private static let journalTime = "realtimetimestamp"

  private static func opened(_ line: UnsafeBufferPointer<UInt8>) -> Inside? {
    guard line.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{") else { return nil }
    var times = LogArguments()
    var best: (rank: Int, value: JSONScanner)?
    var template: JSONScanner?
    var found = Inside()
    var around = LineAttribution()
    var isLine = false
    var way: String?
    var scanner = JSONScanner(line)
    do throws(JSONError) {
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        let kind = try scanner.peek()
        let value = scanner
        let json = try scanner.skip()
        guard key.bytes.count <= longestName else { continue }
        let name = key == "_source" || key == "@m" || key == "@mt" ? key.string : LogName.normal(key.string)
        isLine = isLine || own[kind]?.contains(name) ?? false
        if LogTime.memberNames.contains(name), json.count <= 64 { times.append(name, json: json) }
        if name == journalTime, json.count <= 64 { times.append("ts", json: json) }
        if name == "instant", let ms = LogTime.instantMs(json) { times.append("ts", word: ms) }
        if kind == .string, name == "@mt" || name == "messagetemplate" { template = value }
        learn(key.string, name, kind, json, &found.owner, &around)
        if name == "type" || name == "direction" || name == "dir", kind == .string, json.count <= longestWay {
          way =
            LogArguments.plain(String(decoding: json, as: UTF8.self)).flatMap {
              OracleFrame.isDirection($0) ? $0 : nil
            } ?? way
        }
        if let rank = rank(name, kind, json), rank < best?.rank ?? .max { best = (rank, value) }
      }
      try scanner.finish()
      found.stamp = RunLogLine.stamp(of: times)
      found.owner = found.owner.within(around)
      if isLine { return found }
      if var value = best?.value {
        found.line = try content(&value)
        if let text = found.line, let whole = LoggedMembers.added(to: text, of: line) { found.line = whole }
        if let way, let inner = found.line { found.line = OracleFrame.adding(way, to: inner) }
      } else if var text = template {
        found.line = try MessageTemplate.filled(text.string().decoded(), from: line)
      }
      return found
    } catch {
      return nil
    }
  }

  private static func learn(
    _ key: String, _ name: String, _ kind: JSONKind, _ json: UnsafeBufferPointer<UInt8>,
    _ owner: inout LineAttribution,
    _ around: inout LineAttribution
  ) {
    switch kind {
    case .string, .number:
      guard LineAttribution.mayName(name),
        let value = LogArguments.plain(String(decoding: json, as: UTF8.self))
      else { return }
      owner.take(key, value)
    case .object where contexts.contains(name) && json.count <= longestContext:
      for member in (try? LogArguments(object: json))?.members ?? [] {
        if let value = LogArguments.plain(member.json) { around.take(member.name, value) }
      }
    default: break
    }
  }

  private static func rank(_ name: String, _ kind: JSONKind, _ json: UnsafeBufferPointer<UInt8>) -> Int? {
    switch (kind, name) {
    // `data` may be anything, so only a frame counts; of results, only Splunk's.
    case (.string, "data") where !isFrame(json): nil
    // Next to a frame, these members only describe it.
    case (.string, "data") where ByteSearch.find("\\\"control\\\"", in: json) != nil: -1
    case (.object, "data"): OracleFrame.isFrame(json) ? -1 : nil
    case (.object, "result") where ByteSearch.find("\"_raw\"", in: json) == nil: nil
    // These are Datadog's. In other logs, attributes usually accompany a text.
    case (.object, "content"), (.object, "attributes"):
      ByteSearch.find("\"message\"", in: json) == nil
        ? nil : objects.firstIndex(of: name).map { texts.count + $0 }
    case (.string, _): texts.firstIndex(of: name)
    case (.object, _): objects.firstIndex(of: name).map { texts.count + $0 }
    default: nil
    }
  }

  /// Whether a text is an object or an array, as in a frame, possibly after the number that Socket.IO gives
  /// to its packets (`42[…]`).
  private static func isFrame(_ json: UnsafeBufferPointer<UInt8>) -> Bool {
    let first = json.dropFirst().prefix(9).first { !$0.isASCIIDigit }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  private static func content(_ value: inout JSONScanner) throws(JSONError) -> [UInt8] {
    guard try value.peek() == .string else { return Array(try value.skip()) }
    var line = try value.string().decoded()
    while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}

/// The members that a logger adds to a message that is only a name:
/// `{"msg":"onStatusChanged","status":"BUSY"}`. They are the arguments of the callback (pino, winston,
/// bunyan, Serilog).
enum LoggedMembers {
  /// The maximum number of words in such a message, and its maximum length.
  private static let maxWords = 4
  private static let longest = 64
  /// Members about the logger, the line or the process.
  private static let own: Set = [
    "log", "eventmessage", "@m", "m", "mt", "renderedmessage", "message", "messagetemplate", "msg", "line",
    "textpayload", "raw", "shortmessage", "text",
    "ts", "t", "time", "timestamp", "date", "datetime", "instant", "realtimetimestamp", "receivetimestamp",
    "level", "levelname", "levelvalue", "levelno", "severity", "priority", "l", "i", "r", "v", "version",
    "pid", "processid", "process", "tid", "threadid", "thread", "threadname", "hostname", "host", "container",
    "containerid", "containername", "logger", "loggername", "name", "label", "service", "app", "application",
    "stream", "source", "sourcetype", "index", "tag", "filename", "function", "lineno", "caller", "module",
    "subsystem", "category", "senderimagepath", "processimagepath", "machtimestamp", "traceid", "spanid",
    "insertid", "logname", "resource", "kubernetes", "environment", "env",
  ]

  /// Returns the message with the other members appended as arguments; nil if it is not a bare name or has no
  /// other members.
  static func added(to message: [UInt8], of line: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard isBare(message), let members = try? LogArguments(object: line) else { return nil }
    var beside = LogArguments()
    for member in members.members where !own.contains(member.normal) {
      beside.add(member.name, json: member.json)
    }
    guard !beside.isEmpty else { return nil }
    return message + Array(": \(beside.flattened.object)".utf8)
  }

  // A name (`onStatusChanged`, `Call.onBusy`), or a few plain words (`Call status changed`). A name followed
  // by anything else has its own arguments.
  private static func isBare(_ message: [UInt8]) -> Bool {
    guard message.count <= longest, message.first?.isASCIILetter == true, message.last?.isASCIIWord == true
    else { return false }
    let words = message.split(separator: UInt8(ascii: " "))
    if words.count == 1 { return message.allSatisfy { $0.isASCIIWord || $0 == UInt8(ascii: ".") } }
    return words.count <= maxWords
      && words.allSatisfy { word in word.dropFirst().allSatisfy(\.isASCIISmall) }
      && words.dropFirst().allSatisfy { word in word.allSatisfy(\.isASCIISmall) }
  }
}
