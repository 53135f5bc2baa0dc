import Bytes
import CallModel
import Glibc

/// The form of a report as last written: nearly always the next one has the same members in the same order, with mostly
/// the same values. So the bytes between two varying values are compared as a whole, with names, punctuation and
/// constant values, and only the varying values are parsed.
///
/// The compared bytes were parsed once in the same position, so nothing is accepted that parsing would reject.
struct ReportTemplate: ~Copyable {
  /// Reports with more members, or more bytes, are always parsed member by member.
  private static let maxMembers = 128
  private static let maxBytes = 4096
  /// After this many reports the varying values are determined again: some change once and are constant again.
  private static let oldest = 64
  /// If more than this many names are missing, the order is considered different.
  private static let lookAhead = 4

  private struct Member {
    /// Offsets of its name, with the punctuation before it, of its value, and of the value's end.
    var name: Int32
    var value: Int32
    var end: Int32
    /// Whether it is the first member of an object, with no comma before it.
    var isFirst: Bool
    /// Whether it is parsed each time.
    var varies: Bool
    var action: MemberMapping
  }

  /// The figures that the varying members set: a bit each, by raw value.
  private(set) var varyingFigures: (low: UInt64, high: UInt64) = (0, 0)
  /// Number of varying members.
  private(set) var varyingCount = 0
  private var type = ReportType.unknown
  /// The owner of the values; 0 if there is none.
  private var owner = 0
  /// Number of reports compared with it.
  private var age = 0
  /// Members as last read, and as being read.
  private var members = UnsafeMutablePointer<Member>.allocate(capacity: maxMembers)
  private var coming = UnsafeMutablePointer<Member>.allocate(capacity: maxMembers)
  private let varying = UnsafeMutablePointer<UInt8>.allocate(capacity: maxMembers)
  private var count = 0
  private var comingCount = 0
  private let text = UnsafeMutablePointer<UInt8>.allocate(capacity: maxBytes)
  private var length = 0
  /// The next expected member, and the member read last, -1 if it is new.
  private var next = 0
  private var met = -1
  /// Start of the report being read, and whether it can become a template.
  private var start = 0
  private var isFit = true

  deinit {
    members.deallocate()
    coming.deallocate()
    varying.deallocate()
    text.deallocate()
  }

  // MARK: Comparing

  /// Whether the values are those of a report, still current, and not due to be determined again.
  mutating func takes(_ report: Report) -> Bool {
    guard report.templateOwner != 0, report.templateOwner == owner, age < Self.oldest else { return false }
    age &+= 1
    return true
  }

  /// Skips the bytes up to the next varying value, or after the last one.
  @inline(__always)
  func passTo(_ place: Int, _ scanner: inout JSONScanner) -> MemberMapping? {
    let member = members + Int(varying[place])
    let from = place == 0 ? 0 : Int(members[Int(varying[place &- 1])].end)
    guard scanner.pass(text + from, Int(member.pointee.value) &- from) else { return nil }
    return member.pointee.action
  }

  /// Skips the bytes after the last varying value.
  func passToEnd(_ scanner: inout JSONScanner) -> Bool {
    let from = varyingCount == 0 ? 0 : Int(members[Int(varying[varyingCount - 1])].end)
    return scanner.pass(text + from, length - from)
  }

  /// The name and the JSON value of each constant member that is kept without a column.
  func forEachSteadyExtra(_ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Void) {
    for place in 0..<count where !members[place].varies && members[place].action.kind == .extra {
      var start = Int(members[place].value)
      let end = Int(members[place].end)
      while start < end, text[start] <= UInt8(ascii: " ") { start += 1 }
      let name = name(of: place).bytes
      if name.first != UInt8(ascii: "[") {
        body(name, UnsafeBufferPointer(start: text + start, count: end - start))
      }
    }
  }

  /// The name of the varying member.
  func name(ofVarying place: Int) -> JSONText { name(of: Int(varying[place])) }

  // MARK: Learning

  /// Starts reading a report at an offset in the scanned bytes.
  mutating func begin(_ type: ReportType, at start: Int) {
    self.start = start
    next = 0
    comingCount = 0
    isFit = true
    if type != self.type { forget() }
    self.type = type
  }

  /// Skips the name of the next member if it is the expected one, and returns what to do with its value.
  @inline(__always)
  mutating func expected(_ scanner: inout JSONScanner) -> MemberMapping? {
    guard next < count else { return nil }
    let member = members + next
    guard
      scanner.pass(
        text + Int(member.pointee.name), Int(member.pointee.value &- member.pointee.name),
        asFirst: member.pointee.isFirst)
    else { return nil }
    met = next
    next &+= 1
    return member.pointee.action
  }

  /// Looks up an unexpected name, written from an offset in the scanned bytes to the scanner's position.
  mutating func meet(_ scanner: JSONScanner, from start: Int, isFirst: Bool) {
    let written = UnsafeBufferPointer(rebasing: scanner.bytes[start..<scanner.position])
    let ahead = next..<min(next + Self.lookAhead, count)
    met = ahead.first { members[$0].isFirst == isFirst && equal(self.written(name: $0), written) } ?? -1
    if met >= 0 { next = met + 1 }
  }

  /// Records the member just read, from its name to the scanner's position.
  @inline(__always)
  mutating func read(
    _ scanner: JSONScanner, name: Int, value: Int, isFirst: Bool, _ action: MemberMapping, isAlwaysRead: Bool
  ) {
    let end = scanner.position
    guard isFit, comingCount < Self.maxMembers, end - start <= Self.maxBytes else { return unfit() }
    var varies = isAlwaysRead
    if !varies, met >= 0 {
      let before = members[met]
      varies =
        before.varies && age < Self.oldest
        || !equal(
          UnsafeBufferPointer(start: text + Int(before.value), count: Int(before.end - before.value)),
          UnsafeBufferPointer(rebasing: scanner.bytes[value..<end]))
    }
    (coming + comingCount).initialize(
      to: Member(
        name: Int32(name - start), value: Int32(value - start), end: Int32(end - start), isFirst: isFirst,
        varies: varies, action: action))
    comingCount &+= 1
  }

  /// The current report cannot be compared as a whole.
  mutating func unfit() { isFit = false }

  /// Ends the report: the next one may have the same form. Returns the owner of the template: `owner`, or 0 if only the
  /// names are usable.
  mutating func keep(_ scanner: JSONScanner, for owner: Int) -> Int {
    length = scanner.position - start
    guard isFit, length <= Self.maxBytes else {
      forget()
      return 0
    }
    swap(&members, &coming)
    count = comingCount
    _ = UnsafeMutableBufferPointer(start: text, count: length)
      .update(from: scanner.bytes[start..<scanner.position])
    readTogether()
    varyingFigures = (0, 0)
    varyingCount = 0
    for place in 0..<count where members[place].varies {
      // A report whose type changes cannot be compared.
      guard members[place].action.kind != .type else {
        forget()
        return 0
      }
      members[place].action.forEachFigure {
        let raw = UInt64($0.rawValue)
        if raw < 64 { varyingFigures.low |= 1 << raw } else { varyingFigures.high |= 1 << (raw - 64) }
      }
      varying[varyingCount] = UInt8(place)
      varyingCount += 1
    }
    self.owner = owner
    age = 0
    return owner
  }

  /// If several members set the same field, the last one wins: if one of them varies, all are parsed, in order.
  private func readTogether() {
    var read = Targets()
    for place in 0..<count where members[place].varies { read.insert(members[place].action.target) }
    for place in 0..<count where read.contains(members[place].action.target) { members[place].varies = true }
  }

  /// The name of the member skipped last.
  var name: JSONText { name(of: met) }

  private func name(of place: Int) -> JSONText {
    let written = written(name: place)
    let quote = UInt8(ascii: "\"")
    guard let first = written.firstIndex(of: quote), let last = written.lastIndex(of: quote), first < last
    else { return JSONText(escaped: written) }
    return JSONText(escaped: UnsafeBufferPointer(rebasing: written[(first + 1)..<last]))
  }

  private func written(name place: Int) -> UnsafeBufferPointer<UInt8> {
    let member = members[place]
    return UnsafeBufferPointer(start: text + Int(member.name), count: Int(member.value - member.name))
  }

  private mutating func forget() {
    count = 0
    length = 0
    next = 0
    owner = 0
    varyingCount = 0
  }
}

/// The fields that members can set: a set of `MemberMapping.target`.
struct Targets {
  private var bits = SIMD4<UInt64>()

  func contains(_ target: Int?) -> Bool { target.map { bits[$0 >> 6] >> UInt64($0 & 63) & 1 == 1 } ?? false }

  mutating func insert(_ target: Int?) {
    guard let target else { return }
    bits[target >> 6] |= 1 << UInt64(target & 63)
  }
}

extension MemberMapping {
  /// The single field that is set, below 256; nil for none or several.
  var target: Int? {
    switch kind {
    case .metric, .mediasoupMetric: Int(code)
    case .limitation: Int(Metric.limitedBy.rawValue)
    case .text: 128 + Int(code)
    case .number: 192 + Int(code)
    default: nil
    }
  }

  /// Calls the body with each figure of a stream's sample that it sets.
  func forEachFigure(_ body: (Metric) -> Void) {
    switch kind {
    case .metric, .mediasoupMetric, .luma: if let metric = Metric(rawValue: code) { body(metric) }
    case .limitation: body(.limitedBy)
    case .limitationDurations:
      body(.limitedByCpuMs)
      body(.limitedByBandwidthMs)
    default: break
    }
  }

  /// Clears its figures in a sample.
  func clear(in sample: inout Sample) { forEachFigure { sample.clear($0) } }
}
