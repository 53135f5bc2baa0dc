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

  private(set) var members: [String: Member] = [:]
  private var objects: Set<String> = []
  /// The number of members beyond the limit.
  private(set) var leftOut = 0

  /// The members of an object.
  init(_ tree: JSONTree) { add(tree, at: "", depth: 0) }

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

  // Recursion is bounded by `deepest`.
  private mutating func add(_ tree: JSONTree, at path: String, depth: Int) {
    guard case .object(let members) = tree else {
      if let leaf = tree.leaf { keep(leaf, at: path) }
      return
    }
    guard depth <= Self.deepest else { return }
    if !path.isEmpty, objects.count < Self.maxMembers { objects.insert(Self.normal(path)) }
    for member in members {
      add(member.value, at: (path.isEmpty ? "" : path + ".") + member.name, depth: depth + 1)
    }
  }

  private mutating func keep(_ value: Value, at path: String) {
    let key = Self.normal(path)
    guard members.count < Self.maxMembers || members[key] != nil else { return leftOut += 1 }
    if case .text(let text) = value, text.utf8.count > Self.longestText {
      members[key] = Member(path: path, value: .text(String(text.prefix(Self.longestText))))
    } else {
      members[key] = Member(path: path, value: value)
    }
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
