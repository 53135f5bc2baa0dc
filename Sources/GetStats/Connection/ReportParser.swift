import Bytes
import CallModel

/// Reads the JSON object of one report into the report's slot.
struct ReportParser {
  let table = MemberTable.all
  private let templates = ReportTemplates()
  let times = TimeCache()
  /// What the source is to be told of members.
  var odd = UnexpectedMembers()
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
    report.holdsStream = false
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
    report.forgetMembers()
    guard template.pointee.hasFigures else {
      // Candidates, certificates and the like: their sample stays the empty one that it is.
      var none = Sample(timeMs: 0)
      return try parseVarying(&scanner, report, template, &none)
    }
    // Where it is not, all of the sample is read anew.
    report.figures.pointee = template.pointee.steady
    return try parseVarying(&scanner, report, template, &report.figures.pointee)
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
    report.forgetMembers()
    report.templateOwner = 0
    let start = scanner.position
    template.pointee.begin(type, at: start)
    var depth = 1
    try scanner.beginObject()
    while true {
      let (place, isFirst) = (scanner.position, scanner.isFirst)
      let action: MemberMapping
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
      case .nested where try scanner.peek() == .array:
        template.pointee.unfit()
        try parseList(&scanner, report, &sample)
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
}

/// What becomes of the value of one member.
extension ReportParser {
  /// Does with the next value what is to be done with it. False where that is to be done even if the value stays as it is.
  @inline(__always)
  mutating func take(
    _ action: MemberMapping, _ scanner: inout JSONScanner, _ report: Report, _ sample: inout Sample,
    _ name: @autoclosure () -> JSONText
  ) throws(JSONError) -> Bool {
    switch action.kind {
    case .mediasoupMetric:
      report.hasMediasoupNames = true
      fallthrough
    case .metric:
      guard let value = try number(&scanner) else { return true }
      guard let figure = Figure.accepted(value, action) else {
        refuse(value, name().string, report)
        action.clear(in: &sample)
        return false
      }
      sample.set(raw: action.code, figure * action.factor)
    case .ignored, .id, .nested:
      try scanner.skip()
    case .type:
      // Already taken.
      break
    case .text:
      try text(&scanner, report, Int(action.code))
    case .number:
      guard let value = try number(&scanner) else { return true }
      guard let figure = Figure.accepted(value, action) else {
        if let ssrc = signedSSRC(value, action) {
          report.set(Int(action.code), ssrc)
          return true
        }
        refuse(value, name().string, report)
        report.forget(number: Int(action.code))
        return false
      }
      report.set(Int(action.code), figure * action.factor)
    case .timestamp:
      report.hasOwnTime = true
      let time = try times.read(&scanner)
      report.hasTimeOfItsOwn = time != nil
      if let time { report.timeMs = time }
      return false
    case .limitation: try limitation(&scanner, &sample)
    case .limitationDurations:
      try durations(&scanner, report, &sample)
      return false
    case .ofStream:
      if let value = try number(&scanner), value > 0 { report.holdsStream = true }
      return false
    case .extra, .unknown:
      try keep(&scanner, name(), action.kind, report)
      return false
    }
    return true
  }

  /// Members in a list of objects, mostly one in each: `"values":[{"ssrc":"1"},…]`, as React Native wrote it.
  mutating func parseList(
    _ scanner: inout JSONScanner, _ report: Report, _ sample: inout Sample
  ) throws(JSONError) {
    try scanner.beginArray()
    while try scanner.nextElement() {
      guard try scanner.peek() == .object else {
        try scanner.skip()
        continue
      }
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        _ = try take(table.action(key.bytes, report.type), &scanner, report, &sample, key)
      }
    }
  }

  /// A number, also where it is written as a string; a flag as 0 or 1; NaN for text that is meant as one and is none; nil for null,
  /// and for what says nothing.
  @inline(__always)
  private func number(_ scanner: inout JSONScanner) throws(JSONError) -> Double? {
    if let digit = scanner.digitAhead(), digit { return try scanner.number() }
    return try oddNumber(&scanner)
  }

  @inline(never)
  private func oddNumber(_ scanner: inout JSONScanner) throws(JSONError) -> Double? {
    switch try scanner.peek() {
    case .number: return try scanner.number()
    case .bool: return try scanner.bool() ? 1 : 0
    case .string: return figureInText(try scanner.string().decoded())
    case .object: return try wrappedNumber(&scanner)
    default:
      try scanner.skip()
      return nil
    }
  }

  /// A number in the only member of an object that says its type: `{"$numberLong":"3735928559"}` in MongoDB's extended JSON.
  @inline(never)
  private func wrappedNumber(_ scanner: inout JSONScanner) throws(JSONError) -> Double? {
    var value: Double?
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      if key.bytes.starts(with: "$number".utf8), try scanner.peek() == .string {
        value = figureInText(try scanner.string().decoded())
      } else {
        try scanner.skip()
      }
    }
    return value
  }

  /// An SSRC above 2^31 that was written as a signed number of 32 bits, as Java and C# have only those; nil for all else.
  @inline(never)
  private mutating func signedSSRC(_ value: Double, _ action: MemberMapping) -> Double? {
    guard action.code == NumberField.ssrc.rawValue || action.code == NumberField.rtxSsrc.rawValue,
      value < 0, let signed = Int32(exactly: value)
    else { return nil }
    odd.impossible.insert("SSRCs below zero: read as numbers of 32 bits without a sign")
    return Double(UInt32(bitPattern: signed))
  }

  @inline(never)
  private mutating func refuse(_ value: Double, _ member: String, _ report: Report) {
    if let words = Figure.impossible(value, report.type, typeName: report.typeName.bytes, member: member) {
      odd.impossible.insert(words)
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

  private mutating func durations(
    _ scanner: inout JSONScanner, _ report: Report, _ sample: inout Sample
  ) throws(JSONError) {
    guard try scanner.peek() == .object else { return _ = try scanner.skip() }
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      guard let value = try number(&scanner) else { continue }
      guard
        let metric: Metric = key == "cpu" ? .limitedByCpuMs : key == "bandwidth" ? .limitedByBandwidthMs : nil
      else { continue }
      if let seconds = Figure.accepted(value) {
        sample.set(metric, seconds * 1000)
      } else {
        refuse(value, "qualityLimitationDurations.\(key.string)", report)
        sample.clear(metric)
      }
    }
  }

  private mutating func keep(
    _ scanner: inout JSONScanner, _ key: JSONText, _ kind: MemberMapping.Kind, _ report: Report
  ) throws(JSONError) {
    let value = try scanner.skip()
    // Chrome writes what it computed itself beside what it measured: `[bytesReceived_in_bits/s]`.
    if key.bytes.first == UInt8(ascii: "[") { return }
    if kind == .extra { return report.keep(key.bytes, value) }
    if kind == .unknown, report.isMerged {
      // What is the far end's was read as that, and what is nobody's told of there.
      let farEnd: ReportType = report.type.isInbound ? .remoteOutbound : .remoteInbound
      if table.action(key.bytes, farEnd).kind != .unknown { return }
    } else if kind == .unknown, report.type != .unknown {
      odd.unknown.insert("\(String(decoding: report.typeName.bytes, as: UTF8.self)).\(key.string)")
    }
    guard report.type.isStream || report.type == .track else { return }
    report.addUnknown(key.bytes, value)
  }
}

/// A number written as text, as the goog-* statistics do; nil if it is none.
func numberInText(_ bytes: [UInt8]) -> Double? {
  if bytes == Array("true".utf8) { return 1 }
  if bytes == Array("false".utf8) { return 0 }
  return bytes.withUnsafeBufferPointer { buffer in
    var scanner = JSONScanner(buffer)
    guard let value = try? scanner.number(), (try? scanner.finish()) != nil else { return nil }
    return value
  }
}

/// The same of a figure; NaN where digits stand in it and it is no number (`0,25`, `1,234`, `75n`), for its writer knew one.
func figureInText(_ bytes: [UInt8]) -> Double? {
  numberInText(bytes) ?? (bytes.contains(where: \.isASCIIDigit) ? .nan : nil)
}
