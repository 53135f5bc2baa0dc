import Bytes
import CallModel

/// Members of a report that are in a table and have no column: names and values as the source's JSON has them.
///
/// A report has a dozen of them and few ever change, so a sample gets only those that are not what they were.
final class KeptMembers {
  /// Longer values are no figures, and no words either.
  private static let longest = 256
  /// Words and flags.
  @exclusivity(unchecked) private var facts = MemberTexts()
  @exclusivity(unchecked) private var counters = MemberTexts()

  var isEmpty: Bool { facts.isEmpty && counters.isEmpty }

  func removeAll() {
    facts.removeAll()
    counters.removeAll()
  }

  /// Adds a member; rtcstats has numbers for names.
  func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    guard value.count <= Self.longest else { return }
    guard let first = value.first, !first.isASCIIDigit, first != UInt8(ascii: "-") else {
      return counters.add(name, value)
    }
    facts.add(name, value)
  }

  /// Becomes what another one is.
  func take(_ other: KeptMembers) {
    facts.take(other.facts)
    counters.take(other.counters)
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
private struct MemberTexts: ~Copyable {
  private var bytes = FlatList<UInt8>()
  /// Where each of them ends.
  private var ends = FlatList<Int>()

  var isEmpty: Bool { ends.count == 0 }

  mutating func removeAll() {
    bytes.removeAll()
    ends.removeAll()
  }

  mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    if let first = name.first, first.isASCIIDigit, let number = Int(String(decoding: name, as: UTF8.self)),
      RtcstatsNumbers.members.indices.contains(number)
    {
      var written = RtcstatsNumbers.members[number]
      written.withUTF8 { bytes.append(contentsOf: $0) }
    } else {
      bytes.append(contentsOf: name)
    }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    bytes.append(contentsOf: value)
    ends.append(bytes.count)
  }

  mutating func take(_ other: borrowing MemberTexts) {
    removeAll()
    bytes.append(contentsOf: other.bytes.elements)
    ends.append(contentsOf: other.ends.elements)
  }

  /// Whether one of them was not among those before.
  func hasNew(since before: borrowing MemberTexts) -> Bool {
    if isSame(as: before) { return false }
    for place in ends.indices where !before.holds(self[place], near: place) { return true }
    return false
  }

  func writeNew(since before: borrowing MemberTexts, behind word: String, to json: inout ByteWriter) {
    if isSame(as: before) { return }
    for place in ends.indices where !before.holds(self[place], near: place) {
      if !json.bytes.isEmpty { json.append(byte: UInt8(ascii: ",")) }
      json.append(byte: UInt8(ascii: "\""))
      json.append(word)
      json.append(bytes: self[place])
    }
  }

  private func isSame(as other: borrowing MemberTexts) -> Bool {
    equal(bytes.elements, other.bytes.elements) && ends.elements.elementsEqual(other.ends.elements)
  }

  /// Whether a member is among these: nearly always the same ones come in the same order.
  private func holds(_ member: UnsafeBufferPointer<UInt8>, near place: Int) -> Bool {
    if place < ends.count, equal(self[place], member) { return true }
    for other in ends.indices where equal(self[other], member) { return true }
    return false
  }

  /// Where a member lies; good until they change.
  private subscript(place: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes.elements[(place == 0 ? 0 : ends[place - 1])..<ends[place]])
  }
}

/// What was told last of the members without a column, by the kind of the report that has them.
final class ReportedMembers {
  private struct Entry {
    let role: ReportType
    let members = KeptMembers()
    var timeMs: Double
  }
  private var entries: [Entry] = []
  /// Least time between two samples that tell of changed counters, ms: polls are not quite regular.
  private static let minMs = ExtraMembers.counterIntervalMs - 100

  /// Adds to the inside of a JSON object what of a report changed since.
  func addChanges(of report: Report, at timeMs: Double, to json: inout ByteWriter) {
    let kept = report.kept
    if kept.isEmpty { return }
    let role = report.role
    guard let word = role.keptBehind else { return }
    var place = 0
    while place < entries.count, entries[place].role != role { place += 1 }
    if place == entries.count {
      entries.append(Entry(role: role, timeMs: timeMs))
    } else if abs(timeMs - entries[place].timeMs) < Self.minMs,
      !kept.changesFact(since: entries[place].members)
    {
      return
    }
    kept.writeChanges(since: entries[place].members, behind: word, to: &json)
    entries[place].members.take(kept)
    entries[place].timeMs = timeMs
  }
}

extension Report {
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
