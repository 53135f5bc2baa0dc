import Bytes

/// The members of a JSON object by path (`carrierEdge.metrics.inbound.jitter.avg`), flat and bounded in size.
///
/// Paths are compared ignoring case and underscores, because different libraries of a service print
/// `call_sid` and `callSid`.
struct SummaryTree: SummaryValues {
  /// A member, with its name as in the file.
  struct Member {
    var path: String
    var value: Value
  }

  enum Value: Equatable {
    case text(String)
    case number(Double)
    case flag(Bool)
  }

  /// The maximum number of members, length of a text, and depth of objects.
  static let maxMembers = 2000
  static let longestText = 400
  static let deepest = 8
  private static let maxListed = 20

  private(set) var members: [String: Member] = [:]
  private var objects: Set<String> = []
  /// The number of members beyond the limit.
  private(set) var leftOut = 0

  private init() {}

  /// Reads one object. Throws `JSONError`.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var scanner = JSONScanner(bytes)
    try read(&scanner)
    try scanner.finish()
  }

  /// Reads an object that may be truncated, up to the point where it ends.
  static func beginning(of bytes: UnsafeBufferPointer<UInt8>) -> SummaryTree {
    var tree = SummaryTree()
    var scanner = JSONScanner(bytes)
    try? tree.read(&scanner)
    return tree
  }

  /// The form of a path that is compared.
  static func normal(_ path: some StringProtocol) -> String {
    String(decoding: path.utf8.lazy.filter { $0 != UInt8(ascii: "_") }.map(\.asciiLowercased), as: UTF8.self)
  }

  /// Whether there is an object at a path.
  func hasObject(_ path: String) -> Bool { objects.contains(path) }

  func value(at path: String) -> Value? { members[path]?.value }

  /// All values at or below a path, with their relative paths, ordered by name.
  func below(_ path: String) -> [(name: String, path: String, value: Value)] {
    let parts = path.isEmpty ? 0 : path.utf8.count { $0 == UInt8(ascii: ".") } + 1
    let beginning = path.isEmpty ? "" : path + "."
    return members.filter { $0.key.hasPrefix(beginning) }.sorted { $0.key < $1.key }.map { key, member in
      let name = member.path.split(separator: ".", omittingEmptySubsequences: false).dropFirst(parts)
      return (name.joined(separator: "_"), String(key.dropFirst(beginning.count)), member.value)
    }
  }

  // This does not recurse. The only state is the number of open objects and the length of the path before
  // each.
  private mutating func read(_ scanner: inout JSONScanner) throws(JSONError) {
    var path = ""
    var lengths: [Int] = []
    try scanner.beginObject()
    while true {
      guard let key = try scanner.nextKey() else {
        guard let length = lengths.popLast() else { return }
        path = String(path.utf8.prefix(length)) ?? ""
        continue
      }
      let length = path.utf8.count
      let whole = (path.isEmpty ? "" : path + ".") + String(key.string.prefix(Self.longestText))
      switch try scanner.peek() {
      case .object where lengths.count < Self.deepest:
        try scanner.beginObject()
        lengths.append(length)
        path = whole
        if objects.count < Self.maxMembers { objects.insert(Self.normal(whole)) }
      case .array: if let words = try Self.words(&scanner) { keep(.text(words), at: whole) }
      case .string: keep(.text(String(try scanner.string().string.prefix(Self.longestText))), at: whole)
      case .number:
        let number = try scanner.number()
        if number.isFinite { keep(.number(number), at: whole) }
      case .bool: keep(.flag(try scanner.bool()), at: whole)
      case .object, .null: try scanner.skip()
      }
    }
  }

  private mutating func keep(_ value: Value, at path: String) {
    let key = Self.normal(path)
    guard members.count < Self.maxMembers || members[key] != nil else { return leftOut += 1 }
    members[key] = Member(path: path, value: value)
  }

  /// Returns an array of words or numbers as one text; nil for an array of anything else.
  private static func words(_ scanner: inout JSONScanner) throws(JSONError) -> String? {
    var words: [String] = []
    try scanner.beginArray()
    while try scanner.nextElement() {
      switch try scanner.peek() {
      case .string where words.count < maxListed: words.append(try scanner.string().string)
      case .number where words.count < maxListed: words.append(SummaryArguments.text(try scanner.number()))
      default: try scanner.skip()
      }
    }
    return words.isEmpty ? nil : String(words.joined(separator: ", ").prefix(longestText))
  }
}

/// Values by path, for the conditions and events of a form.
protocol SummaryValues {
  /// The value at a path in normal form; nil if there is none.
  func value(at path: String) -> SummaryTree.Value?
}

extension SummaryValues {
  /// A string, number or flag as text; nil if it is missing, null, empty or anything else.
  func text(_ path: String) -> String? {
    switch value(at: path) {
    case .text(let text)?: text.isEmpty ? nil : text
    case .number(let number)?: SummaryArguments.text(number)
    case .flag(let flag)?: flag ? "true" : "false"
    case nil: nil
    }
  }

  /// A number, or a string that is one; nil if it is not a finite number.
  func number(_ path: String) -> Double? {
    switch value(at: path) {
    case .number(let number)?: number
    case .text(let text)? where text.utf8.count <= 40: Double(text).flatMap { $0.isFinite ? $0 : nil }
    default: nil
    }
  }
}

/// Writes the arguments of an event.
struct SummaryArguments {
  private var json = ByteWriter()
  private var names: Set<String> = []

  mutating func add(_ name: String, _ value: SummaryTree.Value) {
    guard names.insert(name).inserted else { return }
    json.append(names.count == 1 ? "{" : ",")
    json.append(json: name)
    json.append(":")
    switch value {
    case .text(let text): json.append(json: text)
    case .number(let number): json.append(number)
    case .flag(let flag): json.append(flag ? "true" : "false")
    }
  }

  /// The object.
  var text: String { names.isEmpty ? "{}" : json.string + "}" }

  /// A number in JSON notation; whole numbers have no decimal point.
  static func text(_ number: Double) -> String {
    var json = ByteWriter()
    json.append(number)
    return json.string
  }
}
