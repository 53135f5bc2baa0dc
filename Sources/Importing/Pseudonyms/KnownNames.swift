import Bytes

/// Names of people found in a source, for a fast search of all of them in a text.
struct KnownNames {
  /// The most spellings that are kept.
  static let most = 16_384
  /// Spellings by their first two bytes, in lower case.
  private var byStart: [UInt16: [String]] = [:]
  /// Which first bytes occur.
  private var starts: [Bool] = []
  /// Names with other letters, which may be composed in several ways.
  private(set) var others: [String] = []
  /// The person of each spelling.
  private var people: [String: String] = [:]

  /// Words of every log that someone may be called as well: only the same letters are the name.
  private static let usual: Set<String> = [
    "audio", "video", "call", "phone", "user", "test", "state", "status", "name", "type", "event", "data",
    "error",
    "code", "server", "client", "media", "admin", "agent", "support", "service", "mobile", "desktop",
  ]

  /// Whether another name is accepted.
  var hasRoom: Bool { people.count < Self.most }

  /// The name that a spelling is of.
  func person(of spelling: String) -> String { people[spelling] ?? spelling }

  /// Whether a spelling is found in capitals too.
  func ignoresCase(_ spelling: String) -> Bool {
    !Self.usual.contains(spelling.lowercased()) && spelling == spelling.lowercased()
  }

  /// Adds a name of at least two bytes, with its spellings.
  mutating func insert(_ name: String) {
    if !name.utf8.allSatisfy({ $0 < 0x80 }), people[name] == nil { others.append(name) }
    for spelling in Self.spellings(of: name) where people[spelling] == nil {
      let bytes = Array(spelling.utf8)
      guard bytes.count > 1 else { continue }
      people[spelling] = name
      if starts.isEmpty { starts = Array(repeating: false, count: 1 << 16) }
      let start = Self.start(bytes[0].asciiLowercased, bytes[1].asciiLowercased)
      starts[Int(start)] = true
      byStart[start, default: []].append(spelling)
    }
  }

  /// A name as it is also written: without capitals (with letters beyond ASCII, also in them), percent-encoded, and
  /// with other signs for its blanks, as in paths.
  private static func spellings(of name: String) -> [String] {
    guard !usual.contains(name.lowercased()) else { return [name] }
    let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
    var all = [name.lowercased()] + (isASCII ? [] : [name, name.uppercased(), name.capitalizedWords])
    for spelling in all {
      let encoded = spelling.percentEncoded
      if encoded != spelling { all += isASCII ? [encoded.lowercased()] : [encoded, encoded.lowercased()] }
      if spelling.contains(" ") {
        all += ["+", "-", "_", ".", ""].map { sign in
          String(spelling.split(separator: " ").joined(separator: sign))
        }
      }
    }
    return all
  }

  /// Names that may occur in a text, longest first.
  func candidates(in text: String) -> [String] {
    guard !starts.isEmpty else { return [] }
    var found: Set<String> = []
    var text = text
    text.withUTF8 { bytes in
      for place in bytes.indices.dropLast() {
        let start = Self.start(bytes[place].asciiLowercased, bytes[place + 1].asciiLowercased)
        guard starts[Int(start)] else { continue }
        let rest = bytes[place...]
        for name in byStart[start] ?? []
        where rest.count >= name.utf8.count
          && zip(rest, name.utf8).allSatisfy({ $0.asciiLowercased == $1.asciiLowercased })
        {
          found.insert(name)
        }
      }
    }
    return found.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
  }

  private static func start(_ first: UInt8, _ second: UInt8) -> UInt16 { UInt16(first) << 8 | UInt16(second) }
}

extension String {
  /// Each word with a capital.
  fileprivate var capitalizedWords: String {
    split(separator: " ").map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined(
      separator: " ")
  }

  /// As in a URL (RFC 3986 2.1).
  fileprivate var percentEncoded: String {
    let digits = Array("0123456789ABCDEF".utf8)
    return String(
      decoding: utf8.flatMap { byte in
        byte.isASCIIWord || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
          || byte == UInt8(ascii: "~")
          ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }, as: UTF8.self)
  }
}
