import Glibc

/// All forms of one kind, with the names by which they are found in JSON.
struct SummaryForms: Sendable {
  let all: [SummaryForm]
  /// Members that hold documents, of all forms.
  let within: Set<String>
  /// Each name with the forms that it is a mark of, by its first two bytes.
  private var marks: [Int: [(name: [UInt8], form: Int)]] = [:]
  /// Which pairs of bytes some mark begins with, a bit for each: every file is asked, and most have none.
  private var firsts = [UInt64](repeating: 0, count: 1 << 10)

  init(_ forms: [SummaryForm]) {
    all = forms
    within = forms.reduce(into: Set()) { $0.formUnion($1.within) }
    for (form, each) in forms.enumerated() {
      for mark in each.marks {
        let name = Array(mark.utf8.dropFirst())
        guard name.count > 1 else { continue }
        let pair = Int(name[0]) << 8 | Int(name[1])
        marks[pair, default: []].append((name, form))
        firsts[pair >> 6] |= 1 << UInt64(pair & 63)
      }
    }
  }

  /// The forms of which a mark is in the bytes, found in one pass over its quotation marks.
  func marked(in bytes: UnsafeBufferPointer<UInt8>) -> [SummaryForm] {
    guard let base = bytes.baseAddress else { return [] }
    var found: Set<Int> = []
    firsts.withUnsafeBufferPointer { firsts in
      var at = 0
      while at + 2 < bytes.count, let hit = memchr(base + at, Int32(UInt8(ascii: "\"")), bytes.count - at - 2)
      {
        at = UnsafeRawPointer(hit) - UnsafeRawPointer(base) + 1
        let pair = Int(base[at]) << 8 | Int(base[at + 1])
        guard firsts[pair >> 6] & (1 << UInt64(pair & 63)) != 0 else { continue }
        for mark in marks[pair] ?? [] where bytes[at...].starts(with: mark.name) { found.insert(mark.form) }
      }
    }
    return found.sorted().map { all[$0] }
  }
}
