import Bytes
import CallModel
import Glibc

/// How a report was written last time: nearly always the next one has the same members in the same order, and most of
/// their values are what they were. So what stands between two values that vary is compared as it stands, names, marks,
/// steady values and all, and only the values that vary are read.
///
/// What is compared was read once, from just such a place, so that nothing is taken that reading would refuse.
struct ReportTemplate: ~Copyable {
  /// A report of more members, or of more bytes, is read member by member each time.
  private static let maxMembers = 128
  private static let maxBytes = 4096
  /// Reports after which it is learnt anew which values vary: some change once and are steady again.
  private static let oldest = 64
  /// So many names may be missing before the order is taken for another one.
  private static let lookAhead = 4

  private struct Member {
    /// Where its name begins, with the marks before it, where its value does, and where that ends.
    var name: Int32
    var value: Int32
    var end: Int32
    /// Whether it is the first member of an object: there no comma stands before it.
    var isFirst: Bool
    /// Whether it is to be read each time.
    var varies: Bool
    var action: MemberMapping
  }

  /// What the steady members say of a stream.
  private(set) var steady = Sample(timeMs: 0)
  /// Whether a report that is written as this has any figure of a stream.
  private(set) var hasFigures = false
  /// How many members vary.
  private(set) var varyingCount = 0
  private var type = ReportType.unknown
  /// Whose values these are, 0 where nobody's.
  private var owner = 0
  /// Reports that were compared with it.
  private var age = 0
  /// Members as they were read last, and as they are read now.
  private var members = UnsafeMutablePointer<Member>.allocate(capacity: maxMembers)
  private var coming = UnsafeMutablePointer<Member>.allocate(capacity: maxMembers)
  private let varying = UnsafeMutablePointer<UInt8>.allocate(capacity: maxMembers)
  private var count = 0
  private var comingCount = 0
  private let text = UnsafeMutablePointer<UInt8>.allocate(capacity: maxBytes)
  private var length = 0
  /// The member that is expected next, and the one that was met last, -1 where it is new.
  private var next = 0
  private var met = -1
  /// Where the report begins that is read now, and whether it can be a template at all.
  private var start = 0
  private var isFit = true

  deinit {
    members.deallocate()
    coming.deallocate()
    varying.deallocate()
    text.deallocate()
  }

  // MARK: As before

  /// Whether these are a report's values, still what is known of it, and not so old that they should be learnt anew.
  mutating func takes(_ report: Report) -> Bool {
    guard report.templateOwner != 0, report.templateOwner == owner, age < Self.oldest else { return false }
    age &+= 1
    return true
  }

  /// Passes over what stands before the value that varies next, after all from the value before it on.
  @inline(__always)
  func passTo(_ place: Int, _ scanner: inout JSONScanner) -> MemberMapping? {
    let member = members + Int(varying[place])
    let from = place == 0 ? 0 : Int(members[Int(varying[place &- 1])].end)
    guard scanner.pass(text + from, Int(member.pointee.value) &- from) else { return nil }
    return member.pointee.action
  }

  /// Passes over what stands after the last value that varies.
  func passToEnd(_ scanner: inout JSONScanner) -> Bool {
    let from = varyingCount == 0 ? 0 : Int(members[Int(varying[varyingCount - 1])].end)
    return scanner.pass(text + from, length - from)
  }

  /// The name of the member that varies.
  func name(ofVarying place: Int) -> JSONText { name(of: Int(varying[place])) }

  // MARK: Member by member

  /// Begins to read a report, whose first byte is at a place in the scanned bytes.
  mutating func begin(_ type: ReportType, at start: Int) {
    self.start = start
    next = 0
    comingCount = 0
    isFit = true
    if type != self.type { forget() }
    self.type = type
  }

  /// Passes over the next member's name if it is the expected one, and says what to do with its value.
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

  /// Looks for a name that was not expected, as it was written from a place in the scanned bytes to where the scanner stands.
  mutating func meet(_ scanner: JSONScanner, from start: Int, isFirst: Bool) {
    let written = UnsafeBufferPointer(rebasing: scanner.bytes[start..<scanner.position])
    let ahead = next..<min(next + Self.lookAhead, count)
    met = ahead.first { members[$0].isFirst == isFirst && equal(self.written(name: $0), written) } ?? -1
    if met >= 0 { next = met + 1 }
  }

  /// Takes note of the member that was read, from its name to where the scanner stands.
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

  /// What is read now cannot be compared as it stands.
  mutating func unfit() { isFit = false }

  /// The report was read to its end and said `sample`: the next one may be written as it is. Gives whose template this is
  /// now: `owner`, or 0 for nobody's, of which only the names are of use.
  mutating func keep(_ scanner: JSONScanner, _ sample: borrowing Sample, for owner: Int) -> Int {
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
    steady = copy sample
    hasFigures = !steady.isEmpty
    varyingCount = 0
    for place in 0..<count where members[place].varies {
      // A report that becomes another one is none to be compared.
      guard members[place].action.kind != .type else {
        forget()
        return 0
      }
      hasFigures = hasFigures || members[place].action.isFigure
      members[place].action.clear(in: &steady)
      varying[varyingCount] = UInt8(place)
      varyingCount += 1
    }
    self.owner = owner
    age = 0
    return owner
  }

  /// Of members that say the same thing the last one holds: where one of them varies all are read, in their order.
  private func readTogether() {
    var read = Targets()
    for place in 0..<count where members[place].varies { read.insert(members[place].action.target) }
    for place in 0..<count where read.contains(members[place].action.target) { members[place].varies = true }
  }

  /// The name of the member that was passed over last.
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

/// What members may say: a set of `MemberMapping.target`.
struct Targets {
  private var bits = SIMD4<UInt64>()

  func contains(_ target: Int?) -> Bool { target.map { bits[$0 >> 6] >> UInt64($0 & 63) & 1 == 1 } ?? false }

  mutating func insert(_ target: Int?) {
    guard let target else { return }
    bits[target >> 6] |= 1 << UInt64(target & 63)
  }
}

extension MemberMapping {
  /// The one thing of its report that it says, below 256; nil where it says none or several.
  var target: Int? {
    switch kind {
    case .metric, .mediasoupMetric: Int(code)
    case .limitation: Int(Metric.limitedBy.rawValue)
    case .text: 128 + Int(code)
    case .number: 192 + Int(code)
    default: nil
    }
  }

  /// Whether it says something of a stream's sample.
  var isFigure: Bool { [.metric, .mediasoupMetric, .limitation, .limitationDurations].contains(kind) }

  /// Takes out of a sample what it says there.
  func clear(in sample: inout Sample) {
    switch kind {
    case .metric, .mediasoupMetric: if let metric = Metric(rawValue: code) { sample.clear(metric) }
    case .limitation: sample.clear(.limitedBy)
    case .limitationDurations:
      sample.clear(.limitedByCpuMs)
      sample.clear(.limitedByBandwidthMs)
    default: break
    }
  }
}
