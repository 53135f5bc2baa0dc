import Bytes
import CallModel

/// Known members of a report without a column: names and values in the source's JSON.
///
/// A report has a dozen of them and few ever change, so samples get only changed ones.
final class KeptMembers {
  /// Longer values are neither figures nor words.
  private static let longest = 256
  /// Words and flags.
  @exclusivity(unchecked) private var facts = MemberTexts()
  @exclusivity(unchecked) private var counters = MemberTexts()

  var isEmpty: Bool { facts.isEmpty && counters.isEmpty }

  func removeAll() {
    facts.removeAll()
    counters.removeAll()
  }

  /// Adds a member; rtcstats has numbers as names.
  func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    guard value.count <= Self.longest else { return }
    guard let first = value.first, !first.isASCIIDigit, first != UInt8(ascii: "-") else {
      return counters.add(name, value)
    }
    facts.add(name, value)
  }

  /// Copies another instance.
  func take(_ other: KeptMembers) {
    facts.take(other.facts)
    counters.take(other.counters)
  }

  /// Whether a word or flag changed.
  func changesFact(since before: KeptMembers) -> Bool { facts.hasNew(since: before.facts) }

  /// Appends changed members to the inside of a JSON object, with a prefix for each name.
  func writeChanges(since before: KeptMembers, behind word: String, to json: inout ByteWriter) {
    facts.writeNew(since: before.facts, behind: word, to: &json)
    counters.writeNew(since: before.counters, behind: word, to: &json)
  }
}

/// Concatenated members, each a name, `":` and a value.
private struct MemberTexts: ~Copyable {
  private var bytes = FlatList<UInt8>()
  /// End offset of each.
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

  /// Whether any of them is new or changed.
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

  /// Whether a member is among these: nearly always they come in the same order.
  private func holds(_ member: UnsafeBufferPointer<UInt8>, near place: Int) -> Bool {
    if place < ends.count, equal(self[place], member) { return true }
    for other in ends.indices where equal(self[other], member) { return true }
    return false
  }

  /// The bytes of a member; valid until they change.
  private subscript(place: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes.elements[(place == 0 ? 0 : ends[place - 1])..<ends[place]])
  }
}

/// The members without a column as last emitted, by type of report.
final class ReportedMembers {
  private struct Entry {
    let role: ReportType
    let members = KeptMembers()
    var timeMs: Double
  }
  private var entries: [Entry] = []
  /// Minimum interval between samples with changed counters, ms: a little less than the nominal one, as polls are not
  /// quite regular.
  private static let minMs = ExtraMembers.counterIntervalMs - 100

  /// Appends the changes of a report to the inside of a JSON object.
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
  /// Keeps a member that is in no table; its name is in the escaped form of JSON.
  func addUnknown(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    if !extra.bytes.isEmpty { extra.append(byte: UInt8(ascii: ",")) }
    extra.append(byte: UInt8(ascii: "\""))
    extra.append(bytes: name)
    extra.append(byte: UInt8(ascii: "\""))
    extra.append(byte: UInt8(ascii: ":"))
    extra.append(bytes: value)
  }
}
