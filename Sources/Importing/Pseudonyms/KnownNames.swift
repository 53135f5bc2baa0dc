/// Names of people found in a source, for a fast search of all of them in a text.
struct KnownNames {
  static let most = 4096
  /// ASCII names by their first two bytes: these have only one encoding.
  private var byStart: [UInt16: [String]] = [:]
  /// Which first bytes occur.
  private var starts: [Bool] = []
  /// Names with other letters, which may be composed in several ways.
  private var others: [String] = []
  private var all: Set<String> = []

  /// Whether one more name is accepted.
  var hasRoom: Bool { all.count < Self.most }

  /// Adds a name of at least two bytes.
  mutating func insert(_ name: String) {
    let bytes = Array(name.utf8)
    guard bytes.count > 1, all.insert(name).inserted else { return }
    guard bytes.allSatisfy({ $0 < 0x80 }) else { return others.append(name) }
    if starts.isEmpty { starts = Array(repeating: false, count: 1 << 16) }
    let start = Self.start(bytes[0], bytes[1])
    starts[Int(start)] = true
    byStart[start, default: []].append(name)
  }

  /// Names that may occur in a text, longest first.
  func candidates(in text: String) -> [String] {
    var found = Set(others)
    var text = text
    if !starts.isEmpty {
      text.withUTF8 { bytes in
        for place in bytes.indices.dropLast() {
          let start = Self.start(bytes[place], bytes[place + 1])
          guard starts[Int(start)] else { continue }
          let rest = bytes[place...]
          for name in byStart[start] ?? [] where rest.starts(with: name.utf8) { found.insert(name) }
        }
      }
    }
    return found.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
  }

  private static func start(_ first: UInt8, _ second: UInt8) -> UInt16 { UInt16(first) << 8 | UInt16(second) }
}
