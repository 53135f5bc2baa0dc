import Bytes
import CallModel

/// Members of a report that are in a table and have no column: names and values as the source's JSON has them.
///
/// A report has a dozen of them and few ever change, so a sample gets only those that are not what they were.
struct KeptMembers {
  /// Longer values are no figures, and no words either.
  private static let longest = 256
  /// Words and flags.
  private var facts = MemberTexts()
  private var counters = MemberTexts()

  var isEmpty: Bool { facts.isEmpty && counters.isEmpty }

  mutating func removeAll() {
    facts.removeAll()
    counters.removeAll()
  }

  /// Adds a member; rtcstats has numbers for names.
  mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    guard value.count <= Self.longest else { return }
    guard let first = value.first, !first.isASCIIDigit, first != UInt8(ascii: "-") else {
      return counters.add(name, value)
    }
    facts.add(name, value)
  }

  /// Whether a word or a flag is not as it was.
  func changesFact(since before: KeptMembers) -> Bool { facts.hasNew(since: before.facts) }

  /// Adds to the inside of a JSON object what is not as it was, each name behind a word.
  func writeChanges(since before: KeptMembers, behind word: String, to json: inout ByteWriter) {
    facts.writeNew(since: before.facts, behind: word, to: &json)
    counters.writeNew(since: before.counters, behind: word, to: &json)
  }
}

/// Members one behind the other, each a name, `":` and a value.
private struct MemberTexts {
  private var bytes: [UInt8] = []
  /// Where each of them ends.
  private var ends: [Int] = []

  var isEmpty: Bool { ends.isEmpty }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    if let first = name.first, first.isASCIIDigit, let number = Int(String(decoding: name, as: UTF8.self)),
      RtcstatsNumbers.members.indices.contains(number)
    {
      bytes.append(contentsOf: RtcstatsNumbers.members[number].utf8)
    } else {
      bytes.append(contentsOf: name)
    }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    bytes.append(contentsOf: value)
    ends.append(bytes.count)
  }

  /// Whether one of them was not among those before.
  func hasNew(since before: MemberTexts) -> Bool {
    !isSame(as: before) && !forEachNew(since: before) { _ in false }
  }

  func writeNew(since before: MemberTexts, behind word: String, to json: inout ByteWriter) {
    if isSame(as: before) { return }
    forEachNew(since: before) { member in
      if !json.bytes.isEmpty { json.append(byte: UInt8(ascii: ",")) }
      json.append(byte: UInt8(ascii: "\""))
      json.append(word)
      json.append(bytes: member)
      return true
    }
  }

  private func isSame(as other: MemberTexts) -> Bool { bytes == other.bytes && ends == other.ends }

  /// Visits those that were not among those before until a visit says no. Whether none did.
  @discardableResult
  private func forEachNew(
    since before: MemberTexts, _ visit: (UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      before.bytes.withUnsafeBufferPointer { then in
        var start = 0
        for (place, end) in ends.enumerated() {
          let member = UnsafeBufferPointer(rebasing: bytes[start..<end])
          start = end
          if !before.holds(member, near: place, in: then), !visit(member) { return false }
        }
        return true
      }
    }
  }

  /// Whether a member is among these, whose bytes are at hand: nearly always the same ones come in the same order.
  private func holds(
    _ member: UnsafeBufferPointer<UInt8>, near place: Int, in bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    func isHere(_ place: Int) -> Bool {
      let start = place == 0 ? 0 : ends[place - 1]
      return ends[place] - start == member.count
        && equal(member, UnsafeBufferPointer(rebasing: bytes[start..<ends[place]]))
    }
    return place < ends.count && isHere(place) || ends.indices.contains(where: isHere)
  }
}

/// What was told last of the members without a column, by the kind of the report that has them.
struct ToldMembers {
  private var told: [(role: ReportType, members: KeptMembers, timeMs: Double)] = []
  /// Least time between two samples that tell of changed counters, ms: polls are not quite regular.
  private static let leastMs = ExtraMembers.counterIntervalMs - 100

  /// Adds to the inside of a JSON object what of a report changed since.
  mutating func addChanges(of report: Report, at timeMs: Double, to json: inout ByteWriter) {
    guard !report.kept.isEmpty, let word = report.role.keptBehind else { return }
    guard let place = told.firstIndex(where: { $0.role == report.role }) else {
      report.kept.writeChanges(since: KeptMembers(), behind: word, to: &json)
      return told.append((report.role, report.kept, timeMs))
    }
    if abs(timeMs - told[place].timeMs) < Self.leastMs,
      !report.kept.changesFact(since: told[place].members)
    {
      return
    }
    report.kept.writeChanges(since: told[place].members, behind: word, to: &json)
    told[place] = (report.role, report.kept, timeMs)
  }
}

extension Report {
  /// Keeps a member that has no column.
  func keep(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    if type.keptBehind != nil { kept.add(name, value) }
  }

  /// Keeps a member that no table has, its name as it stands between the quotes of JSON.
  func addUnknown(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    if !extra.bytes.isEmpty { extra.append(byte: UInt8(ascii: ",")) }
    extra.append(byte: UInt8(ascii: "\""))
    extra.append(bytes: name)
    extra.append(byte: UInt8(ascii: "\""))
    extra.append(byte: UInt8(ascii: ":"))
    extra.append(bytes: value)
  }
}
