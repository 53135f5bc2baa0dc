import Bytes
import CallModel

/// Parses the JSON object of one report into its `Report`.
struct ReportParser {
  let table = MemberTable.all
  private let templates = ReportTemplates()
  let times = TimeCache()
  /// Members to note in the source.
  var odd = UnexpectedMembers()
  /// Whether reports contain only changed members.
  var isDelta = false
  /// The members of a report of an unknown type, if they are to be kept (as an event).
  private(set) var unknownReport: [UInt8]?

  /// Parses the next object into a report of type `report.type`, unless the object has another type.
  ///
  /// A report whose type comes late, or is new, is parsed twice: first for the type.
  mutating func parse(_ scanner: inout JSONScanner, into report: Report) throws(JSONError) {
    report.isChanged = false
    report.hasOwnTime = false
    report.holdsStream = false
    unknownReport = nil
    let start = scanner.position
    if report.typeName.isEmpty, try readType(&scanner, report) { scanner.position = start }
    if try parseMembers(&scanner, report) { return }
    // The type was another one: parse again from the beginning.
    scanner.position = start
    _ = try parseMembers(&scanner, report)
  }

  /// Searches the object for its type. False if it has none.
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

  /// False if the type differs from the one by which the members were parsed.
  private mutating func parseMembers(_ scanner: inout JSONScanner, _ report: Report) throws(JSONError) -> Bool
  {
    let template = templates.template(of: report)
    if !isDelta, template.pointee.takes(report), try parseAsBefore(&scanner, report, template) { return true }
    return try parseEach(&scanner, report, template)
  }

  /// Parses a report that is written as the one before, except for values known to vary. If it is not, returns false
  /// with the scanner back at its beginning.
  private mutating func parseAsBefore(
    _ scanner: inout JSONScanner, _ report: Report, _ template: UnsafeMutablePointer<ReportTemplate>
  ) throws(JSONError) -> Bool {
    report.forgetVaryingMembers { report in template.pointee.forEachSteadyExtra { report.keep($0, $1) } }
    // The others are what the report before left. If it is not written as that one, the whole sample is parsed again.
    let varying = template.pointee.varyingFigures
    report.figures.pointee.clear(low: varying.low, high: varying.high)
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
    report.templateOwner = template.pointee.keep(scanner, for: isDelta ? 0 : templates.newOwner())
    report.sample = sample
    return true
  }

  /// Parses the type: its name, or rtcstats' number for it. True if the report had another type before.
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

/// Handles the values of members.
extension ReportParser {
  /// Handles the next value. False if it must be handled even if the value is unchanged.
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
      // Already handled.
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
    case .luma:
      try luma(scanner, action, report, &sample)
      try keep(&scanner, name(), .extra, report)
      return false
    case .ofStream:
      if let value = try number(&scanner), value > 0 { report.holdsStream = true }
      return false
    case .extra: try keep(&scanner, name(), .extra, report)
    case .unknown:
      try keep(&scanner, name(), .unknown, report)
      return false
    }
    return true
  }

  /// Members in a list of objects, mostly one per object: `"values":[{"ssrc":"1"},…]`, as written by React Native.
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

  /// A number, also if written as a string; a flag as 0 or 1; NaN for text that is not a number although it should be;
  /// nil for null and for placeholders.
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

  /// A number as the only member of an object, which is named after its type: `{"$numberLong":"3735928559"}` in
  /// MongoDB's extended JSON.
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

  /// An SSRC above 2^31 written as a signed 32-bit number, as Java and C# have no unsigned ones; nil for anything else.
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

  /// Takes the luma part of an object by colour component.
  private mutating func luma(
    _ scanner: JSONScanner, _ action: MemberMapping, _ report: Report, _ sample: inout Sample
  ) throws(JSONError) {
    var scanner = scanner
    guard let metric = Metric(rawValue: action.code), try scanner.peek() == .object else { return }
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      guard key == "y" else {
        try scanner.skip()
        continue
      }
      guard let value = try number(&scanner) else { continue }
      if let figure = Figure.accepted(value) {
        sample.set(metric, figure)
      } else {
        refuse(value, metric.info.members, report)
        sample.clear(metric)
      }
    }
  }

  private mutating func keep(
    _ scanner: inout JSONScanner, _ key: JSONText, _ kind: MemberMapping.Kind, _ report: Report
  ) throws(JSONError) {
    let value = try scanner.skip()
    // Chrome writes figures it computed beside the measured ones: `[bytesReceived_in_bits/s]`.
    if key.bytes.first == UInt8(ascii: "[") { return }
    if kind == .extra { return report.keep(key.bytes, value) }
    if kind == .unknown, report.isMerged {
      // Members of the remote report were read as such, and members that are in neither were noted there.
      let farEnd: ReportType = report.type.isInbound ? .remoteOutbound : .remoteInbound
      if table.action(key.bytes, farEnd).kind != .unknown { return }
    } else if kind == .unknown, report.type != .unknown {
      odd.unknown.insert("\(String(decoding: report.typeName.bytes, as: UTF8.self)).\(key.string)")
    }
    guard report.type.isStream || report.type == .track else { return }
    report.addUnknown(key.bytes, value)
  }
}

/// A number written as text, as in goog-* statistics; nil if it is not one.
func numberInText(_ bytes: [UInt8]) -> Double? {
  if bytes == Array("true".utf8) { return 1 }
  if bytes == Array("false".utf8) { return 0 }
  return bytes.withUnsafeBufferPointer { buffer in
    var scanner = JSONScanner(buffer)
    guard let value = try? scanner.number(), (try? scanner.finish()) != nil else { return nil }
    return value
  }
}

/// The same for a figure; NaN if it contains digits but is not a number (`0,25`, `1,234`, `75n`), as its writer had a
/// value.
func figureInText(_ bytes: [UInt8]) -> Double? {
  numberInText(bytes) ?? (bytes.contains(where: \.isASCIIDigit) ? .nan : nil)
}
