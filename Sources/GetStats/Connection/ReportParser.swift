import Bytes
import CallModel

/// Reads the JSON object of one report into the report's slot.
struct ReportParser {
  let table = MemberTable.all
  private let templates = ReportTemplates()
  let times = RepeatedTime()
  /// What the source is to be told of members.
  var odd = OddMembers()
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
    if !report.extra.bytes.isEmpty { report.extra.removeAll() }
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
