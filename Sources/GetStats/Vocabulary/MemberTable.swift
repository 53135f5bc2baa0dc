import Glibc

/// From a member's name and its report's type to what is to be done with it, in a few nanoseconds.
///
/// Names are compared as two 8-byte words (the first and the last eight bytes) and a length: together they tell apart all
/// names of up to 16 bytes; longer ones are compared whole. Immutable once made.
final class MemberTable: @unchecked Sendable {
  /// The vocabulary of every dialect, also under rtcstats' numbers.
  static let all = MemberTable()

  private struct Slot {
    var head: UInt64 = 0
    var tail: UInt64 = 0
    var name: UnsafeBufferPointer<UInt8> = .init(start: nil, count: 0)
    /// Index of the name; -1 where the slot is free.
    var index = -1
  }

  private static let slotCount = 2048
  /// Longer names are in no table.
  private static let mostBytes = 64
  private let slots: UnsafeMutablePointer<Slot>
  private let actions: UnsafeMutablePointer<Action>
  private let nameCount: Int
  private let names: UnsafeMutablePointer<UInt8>

  private static let rows: [(ReportType, [(String, Action)])] = [
    (.inbound, StreamMembers.inbound), (.outbound, StreamMembers.outbound),
    (.remoteInbound, StreamMembers.remoteInbound), (.remoteOutbound, StreamMembers.remoteOutbound),
    (.playout, StreamMembers.playout), (.source, StreamMembers.source), (.track, StreamMembers.track),
    (.codec, PathMembers.codec),
    (.transport, PathMembers.transport), (.pair, GoogMembers.pair),
    (.localCandidate, PathMembers.candidate), (.remoteCandidate, PathMembers.candidate),
    (.certificate, PathMembers.certificate), (.googCertificate, PathMembers.certificate),
    (.googReceive, GoogMembers.receive), (.googSend, GoogMembers.send), (.googPair, GoogMembers.pair),
    (.googComponent, GoogMembers.component), (.googBandwidth, GoogMembers.bandwidth),
  ]
  /// Native SDKs put the members of a report into one of its members, and count its time in microseconds.
  private static let everywhere: [(String, Action)] = [
    ("id", Action(kind: .id)), ("type", Action(kind: .type)), ("timestamp", Action(kind: .timestamp)),
    ("timestamp_us", Action(kind: .timestamp)), ("timestampUs", Action(kind: .timestamp)),
    ("t", Action(kind: .timestamp)),
    ("stats", Action(kind: .nested)), ("values", Action(kind: .nested)), ("members", Action(kind: .nested)),
  ]

  /// The same members under the numbers that rtcstats gives them.
  private static func numbered(_ members: [(String, Action)]) -> [(String, Action)] {
    let known = Dictionary(members, uniquingKeysWith: { $1 })
    return RtcstatsNumbers.members.enumerated().compactMap { number, name in
      known[name].map { ("\(number)", $0) }
    }
  }

  private init() {
    let rows = Self.rows.map { ($0.0, $0.1 + Self.numbered($0.1)) }
    var indices: [String: Int] = [:]
    for (name, _) in Self.everywhere + rows.flatMap(\.1) where indices[name] == nil {
      indices[name] = indices.count
    }
    nameCount = indices.count
    slots = .allocate(capacity: Self.slotCount)
    slots.initialize(repeating: Slot(), count: Self.slotCount)
    actions = .allocate(capacity: nameCount * ReportType.allCases.count)
    actions.initialize(repeating: Action(kind: .unknown), count: nameCount * ReportType.allCases.count)
    names = .allocate(capacity: indices.keys.reduce(0) { $0 + $1.utf8.count })
    for type in ReportType.allCases where type.isPassedOver {
      for index in 0..<nameCount { actions[Int(type.rawValue) * nameCount + index] = .ignored }
    }
    var used = 0
    for (name, index) in indices {
      let start = names + used
      for byte in name.utf8 {
        names[used] = byte
        used += 1
      }
      insert(UnsafeBufferPointer(start: start, count: name.utf8.count), index)
    }
    for (type, members) in rows {
      for (name, action) in members { set(action, type, indices[name]) }
    }
    for type in ReportType.allCases {
      for (name, action) in Self.everywhere { set(action, type, indices[name]) }
    }
  }

  deinit {
    slots.deallocate()
    actions.deallocate()
    names.deallocate()
  }

  private func set(_ action: Action, _ type: ReportType, _ index: Int?) {
    if let index { actions[Int(type.rawValue) * nameCount + index] = action }
  }

  private func insert(_ name: UnsafeBufferPointer<UInt8>, _ index: Int) {
    let (head, tail) = Self.words(name)
    var place = Self.place(head, tail, name.count)
    while slots[place].index >= 0 { place = (place + 1) & (Self.slotCount - 1) }
    slots[place] = Slot(head: head, tail: tail, name: name, index: index)
  }

  /// What to do with a member of a report of the given type.
  @inline(__always)
  func action(_ name: UnsafeBufferPointer<UInt8>, _ type: ReportType) -> Action {
    let (head, tail) = Self.words(name)
    var place = Self.place(head, tail, name.count)
    while true {
      let slot = slots + place
      if slot.pointee.index < 0 { return unlisted(name, type) }
      if slot.pointee.head == head, slot.pointee.tail == tail, slot.pointee.name.count == name.count,
        name.count <= 16 || equal(slot.pointee.name, name)
      {
        return actions[Int(type.rawValue) &* nameCount &+ slot.pointee.index]
      }
      place = (place &+ 1) & (Self.slotCount &- 1)
    }
  }

  /// What to do with a member whose name is in no table: GStreamer writes `packets-received` for `packetsReceived`.
  @inline(never)
  private func unlisted(_ name: UnsafeBufferPointer<UInt8>, _ type: ReportType) -> Action {
    if type.isPassedOver { return .ignored }
    let hyphen = UInt8(ascii: "-")
    guard name.count <= Self.mostBytes, name.contains(hyphen) else { return Action(kind: .unknown) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.mostBytes) { camel in
      var count = 0
      var isCapital = false
      for byte in name where byte != hyphen || !isCapital {
        if byte != hyphen {
          camel.initializeElement(at: count, to: isCapital && byte.isASCIISmall ? byte & 0xDF : byte)
          count += 1
        }
        isCapital = byte == hyphen
      }
      return action(UnsafeBufferPointer(rebasing: camel[..<count]), type)
    }
  }

  @inline(__always)
  private static func place(_ head: UInt64, _ tail: UInt64, _ count: Int) -> Int {
    let mixed = (head ^ (tail &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(count)) &* 0xD6E8_FEB8_6659_FD93
    return Int(truncatingIfNeeded: mixed >> 53)
  }

  /// The first and the last eight bytes; of a shorter name all bytes, twice.
  @inline(__always)
  private static func words(_ name: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64) {
    let count = name.count
    let raw = UnsafeRawBufferPointer(name)
    if count >= 8 {
      return (
        raw.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
        raw.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
      )
    }
    var word: UInt64 = 0
    for byte in name { word = word &<< 8 | UInt64(byte) }
    return (word, word)
  }
}

/// Whether two runs of bytes are the same.
@inline(__always)
func equal(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
  guard a.count == b.count else { return false }
  guard let first = a.baseAddress, let second = b.baseAddress else { return true }
  return memcmp(first, second, a.count) == 0
}

/// Whether an array holds just these bytes.
@inline(__always)
func equal(_ a: [UInt8], _ b: UnsafeBufferPointer<UInt8>) -> Bool {
  a.withUnsafeBufferPointer { equal($0, b) }
}
