import Glibc

/// All forms of one kind, with the names by which they are found in JSON.
struct SummaryForms: Sendable {
  let all: [SummaryForm]
  /// Members that hold documents, of all forms.
  let within: Set<String>
  /// Each member that a form needs, by the first two bytes of its name, and a bit of the form for it.
  private var marks: [Int: [(name: [UInt8], form: Int, bit: UInt64)]] = [:]
  /// The bits of all members that each form needs.
  private var wanted: [UInt64] = []
  /// Which pairs of bytes some mark begins with, a bit for each: every file is asked, and most have none.
  private var firsts = [UInt64](repeating: 0, count: 1 << 10)

  init(_ forms: [SummaryForm]) {
    all = forms
    within = forms.reduce(into: Set()) { $0.formUnion($1.within) }
    for (form, each) in forms.enumerated() {
      wanted.append(0)
      for (number, spellings) in each.marks.prefix(64).enumerated() {
        let bit: UInt64 = 1 << UInt64(number)
        wanted[form] |= bit
        for name in spellings.map({ Array($0.utf8) + [UInt8(ascii: "\"")] }) {
          let pair = Int(name[0]) << 8 | Int(name[1])
          marks[pair, default: []].append((name, form, bit))
          firsts[pair >> 6] |= 1 << UInt64(pair & 63)
        }
      }
    }
  }

  /// The forms of which all members are in the bytes, found in one pass over its quotation marks.
  func marked(in bytes: UnsafeBufferPointer<UInt8>) -> [SummaryForm] {
    guard let base = bytes.baseAddress else { return [] }
    var found = [UInt64](repeating: 0, count: all.count)
    firsts.withUnsafeBufferPointer { firsts in
      var at = 0
      while at + 2 < bytes.count, let hit = memchr(base + at, Int32(UInt8(ascii: "\"")), bytes.count - at - 2)
      {
        at = UnsafeRawPointer(hit) - UnsafeRawPointer(base) + 1
        let pair = Int(base[at]) << 8 | Int(base[at + 1])
        guard firsts[pair >> 6] & (1 << UInt64(pair & 63)) != 0 else { continue }
        for mark in marks[pair] ?? [] where found[mark.form] & mark.bit == 0 {
          guard bytes[at...].starts(with: mark.name) else { continue }
          let next = bytes[(at + mark.name.count)...].first { $0 > UInt8(ascii: " ") }
          if next == UInt8(ascii: ":") { found[mark.form] |= mark.bit }
        }
      }
    }
    return all.indices.filter { wanted[$0] != 0 && found[$0] == wanted[$0] }.map { all[$0] }
  }
}
