import Bytes
import CallModel
import Redaction

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

  /// Those added so far are the same in each report, until `removeAll`.
  func markSteady() {
    facts.markSteady()
    counters.markSteady()
  }

  /// Removes those that vary.
  func removeVarying() {
    facts.removeVarying()
    counters.removeVarying()
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
  func writeChanges(since before: KeptMembers, behind word: String, to json: ExtraText) {
    if facts.writeNew(since: before.facts, behind: word, to: &json.members) { json.mayHoldSecrets = true }
    counters.writeNew(since: before.counters, behind: word, to: &json.members)
  }
}

/// The members without a column of one sample, as they are written: the inside of a JSON object.
final class ExtraText {
  fileprivate(set) var members = ByteWriter(capacity: 1024)
  /// Whether there is more in it than numbers of known members: words, or members that no table has.
  fileprivate(set) var mayHoldSecrets = false
  private let redactor = Redactor()

  func removeAll() {
    members.removeAll()
    mayHoldSecrets = false
  }

  /// Adds members that are in no table, as the inside of a JSON object.
  func addUnknown(_ unknown: [UInt8]) {
    guard !unknown.isEmpty else { return }
    if !members.bytes.isEmpty { members.append(byte: UInt8(ascii: ",")) }
    members.append(bytes: unknown)
    mayHoldSecrets = true
  }

  /// The JSON object, without secrets; nil without members.
  var text: String? {
    let inside = members.bytes
    guard !inside.isEmpty else { return nil }
    let object = String(unsafeUninitializedCapacity: inside.count + 2) { bytes in
      bytes[0] = UInt8(ascii: "{")
      _ = UnsafeMutableBufferPointer(rebasing: bytes[1...]).initialize(fromContentsOf: inside)
      bytes[inside.count + 1] = UInt8(ascii: "}")
      return inside.count + 2
    }
    return mayHoldSecrets ? redactor.text(object) : object
  }
}

/// Concatenated members, each a name, `":` and a value.
private struct MemberTexts: ~Copyable {
  private var bytes = FlatList<UInt8>()
  /// End offset of each.
  private var ends = FlatList<Int>()
  /// The number of those that do not vary, which come first, and their bytes.
  private var steady = (count: 0, bytes: 0)

  var isEmpty: Bool { ends.count == 0 }

  mutating func removeAll() {
    steady = (0, 0)
    removeVarying()
  }

  mutating func markSteady() { steady = (ends.count, bytes.count) }

  mutating func removeVarying() {
    bytes.removeAll(behind: steady.bytes)
    ends.removeAll(behind: steady.count)
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

  /// Whether it wrote any.
  @discardableResult
  func writeNew(since before: borrowing MemberTexts, behind word: String, to json: inout ByteWriter) -> Bool {
    if isSame(as: before) { return false }
    var isAny = false
    for place in ends.indices where !before.holds(self[place], near: place) {
      isAny = true
      if !json.bytes.isEmpty { json.append(byte: UInt8(ascii: ",")) }
      json.append(byte: UInt8(ascii: "\""))
      json.append(word)
      json.append(bytes: self[place])
    }
    return isAny
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
  func addChanges(of report: Report, at timeMs: Double, to json: ExtraText) {
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
    kept.writeChanges(since: entries[place].members, behind: word, to: json)
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
