import Bytes
import CallModel

/// Reads the JSON object of one report into the report's slot.
struct ReportParser {
  let table = MemberTable.all
  private let layouts = MemberLayouts()
  /// Names of members that no table has, with the type's: told once a source.
  var unknownMembers: Set<String> = []
  /// Names of members that held a number below zero, which none may.
  var impossibleMembers: Set<String> = []
  /// Whether a report holds only what changed since it was last heard.
  var isDelta = false
  /// Whether the members of unknown types are worth keeping (they become an event).
  private(set) var unknownReport: [UInt8]?

  /// Reads the object that comes next into a report, whose type is `report.type` unless the object says otherwise.
  ///
  /// A report whose type comes late, or is new, is read twice: first for the type.
  mutating func parse(_ scanner: inout JSONScanner, into report: Report) throws(JSONError) {
    report.isChanged = false
    report.hasOwnTime = false
    unknownReport = nil
    let start = scanner.position
    if report.typeName.isEmpty, try readType(&scanner, report) { scanner.position = start }
    if try parseMembers(&scanner, report) { return }
    // The type turned out to be another one: once more from the beginning.
    scanner.position = start
    _ = try parseMembers(&scanner, report)
  }

  /// Looks through the object for its type. False if it has none.
  private func readType(_ scanner: inout JSONScanner, _ report: Report) throws(JSONError) -> Bool {
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      guard key == "type" else {
        try scanner.skip()
        continue
      }
      _ = try become(&scanner, report)
      return true
    }
    return true
  }

  /// False where the type is not the one the members were read by.
  private mutating func parseMembers(_ scanner: inout JSONScanner, _ report: Report) throws(JSONError) -> Bool
  {
    let type = report.type
    var sample = isDelta ? report.sample : Sample(timeMs: 0)
    if !report.extra.bytes.isEmpty { report.extra.removeAll() }
    let layout = layouts.layout(of: report)
    let start = scanner.position
    var depth = 1
    try scanner.beginObject()
    while true {
      let action: Action
      var key: JSONText?
      if let expected = layout.pointee.expected(&scanner) {
        action = expected
      } else {
        let (place, isFirst) = (scanner.position, scanner.isFirst)
        guard let read = try scanner.nextKey() else {
          depth -= 1
          if depth == 0 { break }
          continue
        }
        key = read
        action = table.action(read.bytes, type)
        layout.pointee.learn(scanner, from: place, isFirst: isFirst, action)
      }
      switch action.kind {
      case .metric:
        if let value = try number(&scanner) {
          if value <= Self.largest,
            value >= 0 || value >= -Self.largest && action.code == Metric.lost.rawValue
          {
            sample.set(raw: action.code, value * action.factor)
          } else {
            impossible(value, key ?? layout.pointee.name, report)
          }
        }
      case .ignored, .id:
        try scanner.skip()
      case .text:
        try text(&scanner, report, Int(action.code))
      case .number:
        if let value = try number(&scanner) { report.set(Int(action.code), value * action.factor) }
      case .timestamp:
        report.hasOwnTime = true
        let time = try ReportTime.read(&scanner)
        report.hasTimeOfItsOwn = time != nil
        if let time { report.timeMs = time }
      case .type:
        if try become(&scanner, report) { return false }
        if type.isStill, passOverStill(&scanner, report) { return true }
      case .limitation: try limitation(&scanner, &sample)
      case .limitationDurations: try durations(&scanner, &sample)
      case .nested:
        if try scanner.peek() == .object {
          try scanner.beginObject()
          depth += 1
        } else {
          try scanner.skip()
        }
      case .extra, .unknown: try keep(&scanner, key ?? layout.pointee.name, action.kind, report)
      }
    }
    if type == .unknown { unknownReport = Array(scanner.bytes[start..<scanner.position]) }
    report.sample = sample
    return true
  }

  /// Reads the type: its name, or rtcstats' number for it. True if the report is of another type than it was.
  private func become(_ scanner: inout JSONScanner, _ report: Report) throws(JSONError) -> Bool {
    switch try scanner.peek() {
    case .string: return report.become(try scanner.string().bytes)
    case .number:
      let number = Int(exactly: try scanner.number()) ?? 0
      guard RtcstatsNumbers.types.indices.contains(number), number > 0 else { return false }
      return Array(RtcstatsNumbers.types[number].utf8).withUnsafeBufferPointer { report.become($0) }
    default:
      try scanner.skip()
      return false
    }
  }

  // MARK: Members

  /// A number, also where it is written as a string; a flag as 0 or 1; nil for null, and for what is not a finite number.
  @inline(__always)
  private func number(_ scanner: inout JSONScanner) throws(JSONError) -> Double? {
    if let digit = scanner.digitAhead(), digit { return try finite(scanner.number()) }
    return try oddNumber(&scanner)
  }

  @inline(__always)
  private func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }

  @inline(never)
  private func oddNumber(_ scanner: inout JSONScanner) throws(JSONError) -> Double? {
    switch try scanner.peek() {
    case .number: return try finite(scanner.number())
    case .bool: return try scanner.bool() ? 1 : 0
    case .string: return numberInText(try scanner.string().decoded())
    default:
      try scanner.skip()
      return nil
    }
  }

  /// Largest figure taken: the last up to which a Double counts one by one.
  private static let largest = 9_007_199_254_740_992.0

  /// A figure below zero is unknown: goog-* writes -1 for that, and no counter but `packetsLost` may fall below. So is one
  /// that nothing can count up to.
  @inline(never)
  private mutating func impossible(_ value: Double, _ key: JSONText, _ report: Report) {
    let name = "\(String(decoding: report.typeName.bytes, as: UTF8.self)).\(key.string)"
    if value > 0 {
      impossibleMembers.insert("beyond 2^53, taken as unknown: \(name)")
    } else if report.type != .googReceive, report.type != .googSend {
      impossibleMembers.insert("below zero, taken as unknown: \(name)")
    }
  }

  private func text(_ scanner: inout JSONScanner, _ report: Report, _ field: Int) throws(JSONError) {
    switch try scanner.peek() {
    case .string:
      let text = try scanner.string()
      if text.hasEscapes {
        text.decoded().withUnsafeBufferPointer { report.set(field, $0) }
      } else {
        report.set(field, text.bytes)
      }
    case .number: report.set(field, try scanner.skip())
    default: try scanner.skip()
    }
  }

  private func limitation(_ scanner: inout JSONScanner, _ sample: inout Sample) throws(JSONError) {
    guard try scanner.peek() == .string else { return _ = try scanner.skip() }
    let reason: LimitedBy
    switch try scanner.string() {
    case "none": reason = .none
    case "cpu": reason = .cpu
    case "bandwidth": reason = .bandwidth
    default: reason = .other
    }
    sample.set(.limitedBy, Double(reason.rawValue))
  }

  private func durations(_ scanner: inout JSONScanner, _ sample: inout Sample) throws(JSONError) {
    guard try scanner.peek() == .object else { return _ = try scanner.skip() }
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      guard let seconds = try number(&scanner) else { continue }
      if key == "cpu" { sample.set(.limitedByCpuMs, seconds * 1000) }
      if key == "bandwidth" { sample.set(.limitedByBandwidthMs, seconds * 1000) }
    }
  }

  private mutating func keep(
    _ scanner: inout JSONScanner, _ key: JSONText, _ kind: Action.Kind, _ report: Report
  ) throws(JSONError) {
    let value = try scanner.skip()
    // Chrome writes what it computed itself beside what it measured: `[bytesReceived_in_bits/s]`.
    if key.bytes.first == UInt8(ascii: "[") { return }
    if kind == .unknown, report.type != .unknown {
      unknownMembers.insert("\(String(decoding: report.typeName.bytes, as: UTF8.self)).\(key.string)")
    }
    guard report.type.isStream || report.type == .track else { return }
    if !report.extra.bytes.isEmpty { report.extra.append(byte: UInt8(ascii: ",")) }
    report.extra.append(byte: UInt8(ascii: "\""))
    report.extra.append(bytes: key.bytes)
    report.extra.append("\":")
    report.extra.append(bytes: value)
  }

  /// Certificates, codecs and candidates come in every snapshot as they were: one comparison instead of reading.
  private func passOverStill(_ scanner: inout JSONScanner, _ report: Report) -> Bool {
    let rest = scanner.position..<scanner.bytes.count
    let length = report.still.count
    if length > 0, rest.count >= length,
      report.still.equals(UnsafeBufferPointer(rebasing: scanner.bytes[rest.prefix(length)]))
    {
      scanner.position += length
      return true
    }
    var ahead = scanner
    do {
      while try ahead.nextKey() != nil { try ahead.skip() }
      report.still.set(UnsafeBufferPointer(rebasing: scanner.bytes[scanner.position..<ahead.position]))
    } catch {
      report.still.forget()  // The caller meets the same error.
    }
    return false
  }
}

/// A number written as text, as the goog-* statistics do; nil if it is none.
func numberInText(_ bytes: [UInt8]) -> Double? {
  if bytes == Array("true".utf8) { return 1 }
  if bytes == Array("false".utf8) { return 0 }
  return bytes.withUnsafeBufferPointer { buffer in
    var scanner = JSONScanner(buffer)
    guard let value = try? scanner.number(), (try? scanner.finish()) != nil, value.isFinite else {
      return nil
    }
    return value
  }
}
