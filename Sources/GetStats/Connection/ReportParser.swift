import Bytes
import CallModel

/// Reads the JSON object of one report into the report's slot.
struct ReportParser {
  let table = MemberTable.all
  private let templates = ReportTemplates()
  private let times = RepeatedTime()
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
    let template = templates.template(of: report)
    if !isDelta, template.pointee.takes(report), try parseAsBefore(&scanner, report, template) { return true }
    return try parseEach(&scanner, report, template)
  }

  /// Reads a report that is written as the one before was, but for values that are known to vary. False where it is not:
  /// then it is to be read from its beginning, where the scanner stands again.
  private mutating func parseAsBefore(
    _ scanner: inout JSONScanner, _ report: Report, _ template: UnsafeMutablePointer<ReportTemplate>
  ) throws(JSONError) -> Bool {
    if !report.extra.bytes.isEmpty { report.extra.removeAll() }
    guard template.pointee.hasFigures else {
      var none = Sample(timeMs: 0)
      return try parseVarying(&scanner, report, template, &none)
    }
    var sample = template.pointee.steady
    guard try parseVarying(&scanner, report, template, &sample) else { return false }
    report.sample = sample
    return true
  }

  private mutating func parseVarying(
    _ scanner: inout JSONScanner, _ report: Report, _ template: UnsafeMutablePointer<ReportTemplate>,
    _ sample: inout Sample
  ) throws(JSONError) -> Bool {
    let start = scanner.position
    for place in 0..<template.pointee.varyingCount {
      guard let action = template.pointee.passTo(place, &scanner) else {
        scanner.position = start
        return false
      }
      _ = try take(action, &scanner, report, &sample, template.pointee.name(ofVarying: place))
    }
    guard template.pointee.passToEnd(&scanner) else {
      scanner.position = start
      return false
    }
    return true
  }

  private mutating func parseEach(
    _ scanner: inout JSONScanner, _ report: Report, _ template: UnsafeMutablePointer<ReportTemplate>
  ) throws(JSONError) -> Bool {
    let type = report.type
    var sample = isDelta ? report.sample : Sample(timeMs: 0)
    if !report.extra.bytes.isEmpty { report.extra.removeAll() }
    report.templateOwner = 0
    let start = scanner.position
    template.pointee.begin(type, at: start)
    var depth = 1
    try scanner.beginObject()
    while true {
      let (place, isFirst) = (scanner.position, scanner.isFirst)
      let action: Action
      var key: JSONText?
      if let expected = template.pointee.expected(&scanner) {
        action = expected
      } else {
        guard let read = try scanner.nextKey() else {
          depth -= 1
          if depth == 0 { break }
          continue
        }
        key = read
        action = table.action(read.bytes, type)
        template.pointee.meet(scanner, from: place, isFirst: isFirst)
      }
      let value = scanner.position
      switch action.kind {
      case .type where try become(&scanner, report): return false
      case .nested where try scanner.peek() == .object:
        try scanner.beginObject()
        depth += 1
        template.pointee.unfit()
        continue
      default: break
      }
      let isSteady = try take(action, &scanner, report, &sample, key ?? template.pointee.name)
      template.pointee.read(
        scanner, name: place, value: value, isFirst: isFirst, action, isAlwaysRead: !isSteady)
    }
    if type == .unknown { unknownReport = Array(scanner.bytes[start..<scanner.position]) }
    if type == .unknown { template.pointee.unfit() }
    report.templateOwner = template.pointee.keep(
      scanner, sample, for: isDelta ? 0 : templates.newOwner())
    report.sample = sample
    return true
  }

  /// Does with the next value what is to be done with it. False where that is to be done even if the value stays as it is.
  @inline(__always)
  private mutating func take(
    _ action: Action, _ scanner: inout JSONScanner, _ report: Report, _ sample: inout Sample,
    _ name: @autoclosure () -> JSONText
  ) throws(JSONError) -> Bool {
    switch action.kind {
    case .metric:
      guard let value = try number(&scanner) else { return true }
      guard value <= Self.largest,
        value >= 0 || value >= -Self.largest && action.code == Metric.lost.rawValue
      else {
        impossible(value, name(), report)
        return false
      }
      sample.set(raw: action.code, value * action.factor)
    case .ignored, .id, .nested:
      try scanner.skip()
    case .type:
      // Already taken.
      break
    case .text:
      try text(&scanner, report, Int(action.code))
    case .number:
      if let value = try number(&scanner) { report.set(Int(action.code), value * action.factor) }
    case .timestamp:
      report.hasOwnTime = true
      let time = try times.read(&scanner)
      report.hasTimeOfItsOwn = time != nil
      if let time { report.timeMs = time }
      return false
    case .limitation: try limitation(&scanner, &sample)
    case .limitationDurations:
      try durations(&scanner, &sample)
      return false
    case .extra, .unknown:
      try keep(&scanner, name(), action.kind, report)
      return false
    }
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
